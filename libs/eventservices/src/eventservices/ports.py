"""Ports on loopback for servers that are started here."""

import random
import socket
from collections.abc import Callable
from typing import Final

from eventservices.errors import NotConnectedError

PORTS: Final = range(15_000, 32_000)
"""Below those that Linux uses for outgoing connections (32,768 and above, ip(7)).

A port from up there that is free now may be some connection's own when the server requests it.
"""
TRIES: Final = 100
_BY_CHANCE: Final = random.SystemRandom().choice


def free_port(
    kind: socket.SocketKind = socket.SOCK_STREAM,
    choose: Callable[[range], int] = _BY_CHANCE,
) -> int:
    """Return a port on loopback that nobody listens on now.

    Args:
        kind: Of TCP (`SOCK_STREAM`) or of UDP (`SOCK_DGRAM`).
        choose: Chooses among `PORTS`; by chance, so that two callers rarely get the same.

    Raises:
        NotConnectedError: 100 ports in a row were in use.
    """
    for _ in range(TRIES):
        port = choose(PORTS)
        with socket.socket(socket.AF_INET, kind) as probe:
            try:
                probe.bind(("127.0.0.1", port))
            except OSError:
                continue
            return port
    raise NotConnectedError(
        f"no free port was found between {PORTS.start} and {PORTS.stop - 1} in {TRIES} tries"
    )
