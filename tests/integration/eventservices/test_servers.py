"""Brokers that are started here choose ports that somebody else may take in the same moment."""

import socket
from pathlib import Path

import pytest
from eventservices.errors import NotConnectedError
from eventservices.natslink import NatsLink
from eventservices.ports import free_port
from eventservices.servers import NatsServer, ServerSpec

pytestmark = pytest.mark.broker


@pytest.mark.parametrize("name", ["port", "http_port", "mqtt_port"])
async def test_a_port_that_is_taken_meanwhile_is_replaced(tmp_path: Path, name: str) -> None:
    server = NatsServer(ServerSpec("n", tmp_path, mqtt=True))
    taken = getattr(server, name)
    with socket.create_server(("127.0.0.1", taken)), server:
        assert getattr(server, name) != taken
        async with NatsLink([server.url]) as link:
            await link.probe()
        before = server.url
        server.stop()
        server.start()
        assert server.url == before


def test_a_port_that_was_specified_is_not(tmp_path: Path) -> None:
    port = free_port()
    with (
        socket.create_server(("127.0.0.1", port)),
        pytest.raises(NotConnectedError, match="in use"),
        NatsServer(ServerSpec("n", tmp_path, port=port)),
    ):
        pass
