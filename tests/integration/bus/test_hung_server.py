"""A naming server that hangs keeps no other from answering."""

import asyncio
from pathlib import Path

import pytest
from eventservices.bus.binding.naming_client import NamingClient
from eventservices.bus.wire.naming import AddName, Lookup, subject
from eventservices.natslink import NatsLink
from eventservices.servers import NatsServer, ServerSpec
from fes.testing.eventually import eventually
from fes_naming.links import Links
from fes_naming.server import FORWARDS, NamingServer

pytestmark = pytest.mark.broker

QUERIES = 2 * FORWARDS.most


def _hang(name: str, payload: bytes, headers: bytes, reply: str) -> None:
    del name, payload, headers, reply


async def test_own_names_are_answered_while_queries_wait_for_a_server_that_hangs(
    tmp_path: Path,
) -> None:
    links = Links(".", {"ie.": "hung"})
    with NatsServer(ServerSpec("hung", tmp_path)) as broker:
        urls = [broker.url]
        async with NatsLink(urls) as link, NamingServer(urls, "h", "root", links) as server:
            await link.listen(subject("h", "hung"), _hang)
            await link.flush()
            naming = NamingClient(link, "h", ["root"])
            assert await server.ask(AddName("own", "bus", 1))
            waiting = [
                asyncio.create_task(naming.ask(Lookup(f"ie.n{number}")))
                for number in range(QUERIES)
            ]
            await eventually(lambda: server.core._ticket == QUERIES, what="the queries")
            found = await naming.ask(Lookup("own"))
            assert found is not None
            assert found.buses == ("bus",)
            assert not any(each.done() for each in waiting)
            for each in waiting:
                each.cancel()
            await asyncio.gather(*waiting, return_exceptions=True)
