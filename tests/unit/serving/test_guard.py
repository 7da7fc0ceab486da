"""Bodies are bounded in size and time before anything else of a service sees the request."""

import asyncio
from collections.abc import AsyncIterator, Iterable

import pytest
from serving import guard as guard_module
from serving.guard import BodyGuard
from starlette.types import Message, Receive, Scope, Send

LIMIT = 1000


class Service:
    """What is guarded; notes what it is given, and would ask who the client is."""

    def __init__(self) -> None:
        self.bodies: list[bytes] = []

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        message = await receive()
        self.bodies.append(message["body"])
        await send({"type": "http.response.start", "status": 401, "headers": []})
        await send({"type": "http.response.body", "body": b""})


class Client:
    """Sends a request piece by piece, and notes the answer.

    Args:
        pieces: Of the body; None for a client that says nothing more.
        headers: Of the request.
    """

    def __init__(
        self, pieces: Iterable[bytes | None], headers: tuple[tuple[bytes, bytes], ...] = ()
    ) -> None:
        self.scope = {"type": "http", "path": "/", "headers": list(headers)}
        self.taken = 0
        self.status = 0
        self.headers: dict[bytes, bytes] = {}
        self._pieces = self._send(pieces)

    async def _send(self, pieces: Iterable[bytes | None]) -> AsyncIterator[Message]:
        for piece in pieces:
            if piece is None:
                await asyncio.Event().wait()
            self.taken += len(piece or b"")
            yield {"type": "http.request", "body": piece, "more_body": True}
        yield {"type": "http.request", "body": b"", "more_body": False}
        yield {"type": "http.disconnect"}

    async def receive(self) -> Message:
        return await anext(self._pieces)

    async def send(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            self.status = message["status"]
            self.headers = dict(message["headers"])


async def ask(client: Client) -> tuple[Service, list[str]]:
    """Make a request of a guarded service; return it, and the paths that were refused."""
    service, refused = Service(), list[str]()
    guard = BodyGuard(service, LIMIT, refused.append)
    async with asyncio.timeout(10):
        await guard(client.scope, client.receive, client.send)
    return service, refused


async def test_a_body_within_the_limit_is_given_whole() -> None:
    client = Client([b"a" * 400, b"b" * 600])
    service, refused = await ask(client)
    assert service.bodies == [b"a" * 400 + b"b" * 600]
    assert (client.status, refused) == (401, [])


async def test_a_body_that_grows_too_large_is_refused_before_anybody_asks_who_it_is() -> None:
    """A stream of pieces tells no length beforehand."""
    client = Client([b"x" * 400] * 50)
    service, refused = await ask(client)
    assert service.bodies == []
    assert (client.status, refused) == (413, ["/"])
    assert client.headers[b"connection"] == b"close"


async def test_what_is_read_on_of_it_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(guard_module, "DISCARD_BYTES", 5000)
    client = Client([b"x" * 1000] * 10_000)
    await ask(client)
    assert client.status == 413
    assert client.taken <= LIMIT + 1000 + 5000


@pytest.mark.parametrize("told", [b"1001", b"99999999999999999999"])
async def test_a_length_that_is_told_as_too_large_is_refused(told: bytes) -> None:
    client = Client([b""], ((b"content-length", told),))
    service, _ = await ask(client)
    assert (client.status, service.bodies) == (413, [])


async def test_a_length_that_is_a_lie_does_not_help() -> None:
    client = Client([b"x" * 600] * 3, ((b"content-length", b"5"),))
    service, _ = await ask(client)
    assert (client.status, service.bodies) == (413, [])


@pytest.mark.parametrize("coding", [b"gzip", b"deflate", b"br", b"GZIP"])
async def test_a_body_that_might_unfold_is_refused(coding: bytes) -> None:
    client = Client([b"x"], ((b"content-encoding", coding),))
    service, _ = await ask(client)
    assert (client.status, service.bodies) == (415, [])


@pytest.mark.parametrize(
    ("pieces", "headers", "status"),
    [
        ([b"x", None], (), 408),
        ([b"x" * 2000, None], (), 413),
        ([b"x", None], ((b"content-length", b"5000"),), 413),
        ([b"x", None], ((b"content-encoding", b"gzip"),), 415),
    ],
)
async def test_a_body_that_never_ends_is_not_waited_for(
    monkeypatch: pytest.MonkeyPatch,
    pieces: list[bytes | None],
    headers: tuple[tuple[bytes, bytes], ...],
    status: int,
) -> None:
    monkeypatch.setattr(guard_module, "BODY_S", 0.05)
    client = Client(pieces, headers)
    service, refused = await ask(client)
    assert (client.status, service.bodies, refused) == (status, [], ["/"])


async def test_a_client_that_goes_in_the_middle_gets_no_answer() -> None:
    client = Client([])
    client._pieces = _gone()
    service, refused = await ask(client)
    assert (client.status, service.bodies, refused) == (0, [], [])


async def _gone() -> AsyncIterator[Message]:
    yield {"type": "http.request", "body": b"x", "more_body": True}
    yield {"type": "http.disconnect"}
