"""An HTTP server in the loop of everything else."""

import asyncio
import contextlib
import socket
from collections.abc import Iterator
from typing import Final

import uvicorn
from starlette.types import ASGIApp

GRACE_S: Final = 2
CONNECTIONS: Final = 200
"""Most connections at once; above it a request is answered 503."""


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
        port: Port; 0 has the system choose one.
    """

    def __init__(self, app: ASGIApp, host: str, port: int) -> None:
        self._host = host
        self._port = port
        self._server = _Quiet(
            uvicorn.Config(
                app,
                log_config=None,
                access_log=False,
                lifespan="off",
                limit_concurrency=CONNECTIONS,
                timeout_graceful_shutdown=GRACE_S,
                ws="none",
            )
        )
        self._serving: asyncio.Task[None] | None = None

    @property
    def url(self) -> str:
        """Where it listens, without a path."""
        host = f"[{self._host}]" if ":" in self._host else self._host
        return f"http://{host}:{self._port}"

    async def start(self) -> None:
        """Listen.

        Raises:
            OSError: The address is taken or none of this machine's.
        """
        family = socket.AF_INET6 if ":" in self._host else socket.AF_INET
        listening = socket.socket(family, socket.SOCK_STREAM)
        try:
            listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            listening.bind((self._host, self._port))
        except OSError:
            listening.close()
            raise
        self._port = listening.getsockname()[1]
        self._serving = asyncio.create_task(self._server.serve([listening]), name="http")

    async def stop(self) -> None:
        """Finish what is being answered and listen no more; harmless twice."""
        serving, self._serving = self._serving, None
        if serving is not None:
            self._server.should_exit = True
            await serving
