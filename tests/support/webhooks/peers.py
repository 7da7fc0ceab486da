"""A system that exchanges CloudEvents over HTTP: what is posted to it, it posts to others."""

import contextlib
from collections.abc import Callable

import httpx
from serving.loopback import async_client
from serving.server import HttpServer
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

Headers = dict[str, str]
Answering = Callable[[Headers, bytes], Response]


class Peer:
    """A webhook of somebody else.

    Attributes:
        posted: Headers, names in lower case, and body of each request.
        answer: Answers them; 204 at first.
    """

    def __init__(self) -> None:
        self.posted: list[tuple[Headers, bytes]] = []
        self.answer: Answering = lambda headers, body: Response(status_code=204)
        self._port = 0
        self._server: HttpServer | None = None

    @property
    def url(self) -> str:
        """Where it listens."""
        assert self._server is not None
        return f"{self._server.url}/hook"

    async def start(self) -> None:
        """Listen, again where it did before."""
        self._server = HttpServer(self, "127.0.0.1", self._port)
        await self._server.start()
        self._port = int(self._server.url.rpartition(":")[2])

    async def stop(self) -> None:
        """Listen no more."""
        server, self._server = self._server, None
        if server is not None:
            await server.stop()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request."""
        request = Request(scope, receive)
        body = await request.body()
        headers = dict(request.headers)
        self.posted.append((headers, body))
        await self.posted_to(headers, body)
        await self.answer(headers, body)(scope, receive, send)

    async def posted_to(self, headers: Headers, body: bytes) -> None:
        """Do what is to be done with an event."""


class Hub(Peer):
    """Posts whatever is posted to it to all webhooks that it knows.

    Args:
        secret: Of the webhooks.

    Attributes:
        webhooks: Return where each is; None while it is not there.
    """

    def __init__(self, secret: str) -> None:
        super().__init__()
        self.webhooks: list[Callable[[], str | None]] = []
        self._secret = secret
        self._client = async_client(5.0)

    async def close(self) -> None:
        """Listen no more, and disconnect."""
        await self.stop()
        await self._client.aclose()

    async def posted_to(self, headers: Headers, body: bytes) -> None:
        await self.post({"content-type": headers["content-type"]}, body)

    async def post(self, headers: Headers, body: bytes) -> None:
        """Post an event to all."""
        complete = {**headers, "authorization": f"Bearer {self._secret}"}
        for url in filter(None, [each() for each in self.webhooks]):
            with contextlib.suppress(httpx.TransportError):  # it is closed just now
                await self._client.post(url, headers=complete, content=body)
