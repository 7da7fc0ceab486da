"""A connection between a client and a server that loses what it is told to lose."""

import contextlib
import socket
import threading
from collections.abc import Callable
from functools import partial

Eats = Callable[[bytes], bool]


class LosingProxy:
    """Passes bytes between clients and a server, and breaks connections on demand.

    Args:
        port: Of the server, on loopback.

    Attributes:
        lose_answer: Tells which bytes of the server are lost, with the connection.
        lose_request: Tells which bytes of the client are.
        lost: Times that something was lost.
        barred: While set, new connections are broken at once.
    """

    def __init__(self, port: int) -> None:
        self.lose_answer: Eats | None = None
        self.lose_request: Eats | None = None
        self.lost = 0
        self.barred = threading.Event()
        self._server_port = port
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port: int = self._listener.getsockname()[1]
        self._open: list[socket.socket] = [self._listener]
        threading.Thread(target=self._accept, daemon=True).start()

    @property
    def url(self) -> str:
        """Where clients connect to."""
        return f"nats://127.0.0.1:{self.port}"

    def close(self) -> None:
        """Break everything."""
        for each in self._open:
            _break(each)

    def _accept(self) -> None:
        with contextlib.suppress(OSError):
            while True:
                client, _ = self._listener.accept()
                if self.barred.is_set():
                    _break(client)
                    continue
                server = socket.create_connection(("127.0.0.1", self._server_port))
                self._open += [client, server]
                for source, target in ((client, server), (server, client)):
                    passing = partial(self._pass, source, target, asks=source is client)
                    threading.Thread(target=passing, daemon=True).start()

    def _pass(self, source: socket.socket, target: socket.socket, *, asks: bool) -> None:
        with contextlib.suppress(OSError):
            while data := source.recv(1 << 20):
                if self._eats(data, asks=asks):
                    break
                target.sendall(data)
        _break(source)
        _break(target)

    def _eats(self, data: bytes, *, asks: bool) -> bool:
        rule = self.lose_request if asks else self.lose_answer
        if rule is None or not rule(data):
            return False
        if asks:
            self.lose_request = None
        else:
            self.lose_answer = None
        self.lost += 1
        return True


def _break(connection: socket.socket) -> None:
    with contextlib.suppress(OSError):
        connection.shutdown(socket.SHUT_RDWR)
    connection.close()


def acknowledges(data: bytes) -> bool:
    """Tell whether bytes of a server say that a message is stored."""
    return b'"seq":' in data and b'"stream":' in data


def publishes(data: bytes) -> bool:
    """Tell whether bytes of a client store a message."""
    return b"HPUB fes.store." in data
