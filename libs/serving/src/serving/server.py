"""An HTTP server in the process's own event loop."""

import asyncio
import contextlib
import socket
from collections.abc import Iterator
from typing import Final

import uvicorn
from starlette.types import ASGIApp

from serving.idle import Idle, Room

GRACE_S: Final = 2
CONNECTIONS: Final = 200
"""Most connections at once: one more ends the oldest that requests nothing, and where all are being
answered it is answered 503."""

BACKLOG: Final = 2048
"""Most connections that wait to be accepted."""


LOOPBACK: Final = {"0.0.0.0": "127.0.0.1", "::": "::1"}  # noqa: S104 - what it is called by
"""Addresses to listen on that are not addresses to connect to, and their form for local clients."""


def callable_host(host: str) -> str:
    """Return the form of a listening address in the URL of a client on this machine."""
    called = LOOPBACK.get(host, host)
    return f"[{called}]" if ":" in called else called


class _Quiet(uvicorn.Server):
    """Leaves signals to the process."""

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        yield


class HttpServer:
    """Serves an application.

    Args:
        app: The application.
        host: Address to listen on.
        port: Port; with 0 the system chooses one.

    Attributes:
        room: The connections.
        idle: Ends those that request nothing for long.
    """

    def __init__(self, app: ASGIApp, host: str, port: int) -> None:
        self._host = host
        self._port = port
        config = uvicorn.Config(
            app,
            backlog=BACKLOG,
            log_config=None,
            access_log=False,
            lifespan="off",
            limit_concurrency=CONNECTIONS,
            timeout_graceful_shutdown=GRACE_S,
            ws="none",
        )
        config.load()  # imports the HTTP parser, which would block the loop later
        self._server = _Quiet(config)
        self.room = self._server.server_state.connections = Room(CONNECTIONS)
        self.idle = Idle(self.room)
        self._watching: asyncio.Task[None] | None = None
        self._listening: socket.socket | None = None
        self._serving: asyncio.Task[None] | None = None

    @property
    def url(self) -> str:
        """Its URL, without a path; loopback where it listens at every address."""
        return f"http://{callable_host(self._host)}:{self._port}"

    async def start(self) -> None:
        """Begin to listen, and serve requests from now on.

        Raises:
            OSError: The address is in use, or not of this machine; names it.
        """
        family = socket.AF_INET6 if ":" in self._host else socket.AF_INET
        listening = socket.socket(family, socket.SOCK_STREAM)
        try:
            listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            listening.bind((self._host, self._port))
            listening.listen(BACKLOG)
        except OSError as error:
            listening.close()
            address = f"{self._host}:{self._port}"
            raise OSError(error.errno, error.strerror or str(error), address) from error
        self._listening, self._port = listening, listening.getsockname()[1]
        self._serving = asyncio.create_task(self._server.serve([listening]), name="http")
        self._watching = asyncio.create_task(self.idle.watch(), name="http idle")

    async def stop(self) -> None:
        """Finish pending answers and stop listening; idempotent."""
        serving, self._serving = self._serving, None
        if serving is not None:
            self._server.should_exit = True
            try:
                await serving
            finally:
                await self._end_watching()
                if self._listening is not None:
                    self._listening.close()

    async def _end_watching(self) -> None:
        watching, self._watching = self._watching, None
        if watching is not None:
            watching.cancel()
            await asyncio.gather(watching, return_exceptions=True)
