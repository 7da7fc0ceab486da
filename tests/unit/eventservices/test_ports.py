"""Ports on loopback that are free."""

import socket

import pytest
from eventservices.errors import NotConnectedError
from eventservices.ports import PORTS, free_port

KINDS = (socket.SOCK_STREAM, socket.SOCK_DGRAM)


@pytest.mark.parametrize("kind", KINDS)
def test_a_free_port_is_one_that_no_outgoing_connection_is_given(kind: socket.SocketKind) -> None:
    with socket.socket(socket.AF_INET, kind) as taken:
        port = free_port(kind)
        assert port in PORTS
        taken.bind(("127.0.0.1", port))


@pytest.mark.parametrize("kind", KINDS)
def test_a_port_in_use_is_passed_over(kind: socket.SocketKind) -> None:
    with socket.socket(socket.AF_INET, kind) as taken:
        port = free_port(kind)
        taken.bind(("127.0.0.1", port))
        other = free_port(kind)
        wanted = [port, port, other]
        assert free_port(kind, lambda _: wanted.pop(0)) == other


def test_where_none_is_free_that_is_told() -> None:
    with socket.socket() as taken:
        port = free_port()
        taken.bind(("127.0.0.1", port))
        with pytest.raises(NotConnectedError, match="15000 and 31999 in 100 tries"):
            free_port(choose=lambda _: port)
