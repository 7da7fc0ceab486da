"""The HTTP server of a process, in the loop that its gateways run in."""

import asyncio
import contextlib
import socket
from collections.abc import Iterator

import uvicorn

from fes_gateway.http.app import make_app
from fes_gateway.http.dispatch import Dispatch
from fes_gateway.http.guard import BodyGuard
from fes_gateway.pack import Pack

GRACE_S = 2
CONNECTIONS = 200


class _Quiet(uvicorn.Server):
    """Leaves signals to the process."""

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        yield


class HttpServer:
    """Serves the REST interface of a pack.

    Args:
        pack: The gateways.
        host: Address to listen on.
        port: Port; 0 has the system choose one.
    """

    def __init__(self, pack: Pack, host: str, port: int) -> None:
        self._host = host
        self._port = port
        dispatch = Dispatch(make_app(), pack.hosts)
        app = BodyGuard(dispatch, dispatch.count_refusal)
        self._server = _Quiet(
            uvicorn.Config(
                app,
                host=host,
                port=port,
                log_config=None,
                access_log=False,
                lifespan="off",
                limit_concurrency=CONNECTIONS,
                timeout_graceful_shutdown=GRACE_S,
                ws="none",
            )
        )
        self._socket: socket.socket | None = None
        self._serving: asyncio.Task[None] | None = None

    @property
    def url(self) -> str:
        """Where it listens, without a path."""
        port = self._socket.getsockname()[1] if self._socket else self._port
        return f"http://{self._host}:{port}"

    async def start(self) -> None:
        """Listen.

        Raises:
            OSError: The address is taken.
        """
        family = socket.AF_INET6 if ":" in self._host else socket.AF_INET
        listening = socket.socket(family, socket.SOCK_STREAM)
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listening.bind((self._host, self._port))
        self._socket = listening
        self._serving = asyncio.create_task(self._server.serve([listening]), name="http")

    async def stop(self) -> None:
        """Finish what is being answered and listen no more; harmless twice."""
        if self._serving is not None:
            self._server.should_exit = True
            await self._serving
            self._serving = None
