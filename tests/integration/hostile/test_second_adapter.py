"""A second adapter of one identifier leaves the event service to the first, until that one goes."""

import asyncio
import random
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path

import pytest
from fes.adapter import AdapterRuntime
from fes.adapter.pool import ConnectionPool
from fes.adapter.replicas.dialling import Dialling
from fes.eventlog import Record
from fes.link.end import Hello
from fes.testing.eventually import eventually
from fes.testing.memory import MemoryAdapter
from integration.hostile.hosted import Hosted, hosted
from support.processes.contexts import adapter_context

FILE = """
version: 1
system: test
event_services:
  near: {kind: memory}
  beyond: {kind: memory}
gateways:
  g1: {adapters: {near: {}, beyond: {}}}
"""


class Log:
    """Takes records, and keeps none."""

    def wants(self, identity: str) -> bool:
        return bool(identity)

    def write(self, record: Record) -> None:
        del record


@pytest.fixture
async def town(tmp_path: Path) -> AsyncIterator[Hosted]:
    async with hosted(tmp_path, FILE, remote={"g1.beyond"}) as found:
        yield found


@asynccontextmanager
async def process(port: int) -> AsyncIterator[AdapterRuntime]:
    """Run an adapter as its program does."""
    context = adapter_context("g1", "beyond", MemoryAdapter, ConnectionPool())
    runtime = AdapterRuntime(MemoryAdapter(context), Log())
    dialling = Dialling(
        (f"ws://127.0.0.1:{port}/link",),
        runtime.link,
        lambda: Hello("g1.beyond", "beyond", runtime.epoch, {}),
        lambda end: end.send(runtime.counted()),
        lambda _: None,
        random.Random(7),
        refused=runtime.refused,
        granted=runtime.granted,
    )
    async with runtime:
        task = asyncio.create_task(dialling.run())
        try:
            yield runtime
        finally:
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)


async def test_the_second_releases_its_event_service_and_has_it_when_the_first_has_gone(
    town: Hosted,
) -> None:
    state = town.pack.hosts["g1"].adapters["beyond"]
    async with AsyncExitStack() as ending:
        first = await ending.enter_async_context(process(town.links.port))
        await eventually(lambda: state.ready)
        async with process(town.links.port) as second:
            await eventually(lambda: "linked already" in second.reason)
            await eventually(lambda: not second.adapter.connected)
            assert await town.decisions("g1", "refused", "link") >= 1
            assert (state.ready, first.ready, first.adapter.connected) == (True, True, True)

            await ending.aclose()
            await eventually(lambda: second.ready and state.ready, 60.0)
            assert second.adapter.connected
