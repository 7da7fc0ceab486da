"""Refuses bodies that are too large, too slow or encoded before anything reads them."""

import asyncio
import contextlib
import json
from collections.abc import Callable, Mapping
from typing import Final
from urllib.parse import quote

from starlette.types import ASGIApp, Message, Receive, Scope, Send

DISCARD_BYTES: Final = 64 * 2**20
"""Most bytes that are read further and discarded, so that a client reads why it is refused."""

BODY_S: Final = 10.0
"""Longest time for a body to arrive, and longest time of reading further."""


class BodyGuard:
    """Counts a request's body as it streams in.

    Args:
        app: Accepts requests that pass.
        limit_bytes: Largest body.
        on_refusal: Called with the path, as it was sent, of each request that does not pass; None
            where refusals are not counted.
    """

    def __init__(
        self, app: ASGIApp, limit_bytes: int, on_refusal: Callable[[str], None] | None = None
    ) -> None:
        self._app = app
        self._on_refusal = on_refusal
        self._limit = limit_bytes

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Accept a request."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        headers = dict(scope["headers"])
        if headers.get(b"content-encoding", b"identity").lower() != b"identity":
            await _discard(receive)
            await self._refuse(scope, send, 415, "encoded bodies are not accepted")
        elif _declared(headers) > self._limit:
            await _discard(receive)
            await self._refuse(scope, send, 413, f"body exceeds {self._limit} bytes")
        else:
            await self._stream(scope, receive, send)

    async def _stream(self, scope: Scope, receive: Receive, send: Send) -> None:
        try:
            async with asyncio.timeout(BODY_S):
                body, whole = await self._read(receive)
        except TimeoutError:
            await self._refuse(scope, send, 408, f"the body did not come within {BODY_S:g} s")
            return
        if body is None:
            return  # the client disconnected
        if len(body) > self._limit:
            if not whole:
                await _discard(receive)
            await self._refuse(scope, send, 413, f"body exceeds {self._limit} bytes")
            return
        await self._app(scope, _replay(bytes(body), receive), send)

    async def _read(self, receive: Receive) -> tuple[bytearray | None, bool]:
        """Return a body, or as much as shows that it is too large, and whether it is complete."""
        body, whole = bytearray(), False
        while not whole and len(body) <= self._limit:
            message = await receive()
            if message["type"] != "http.request":
                return None, True
            body += message.get("body", b"")
            whole = not message.get("more_body", False)
        return body, whole

    async def _refuse(self, scope: Scope, send: Send, status: int, detail: str) -> None:
        if self._on_refusal is not None:
            self._on_refusal(raw_path(scope))
        await refuse(send, status, detail)


def raw_path(scope: Scope) -> str:
    """Return the path of a request as it was sent, percent-encoded.

    Only in this form a `/` in a name can be distinguished from one between names.
    """
    raw = scope.get("raw_path")
    return quote(scope["path"]) if raw is None else bytes(raw).decode("ascii", "replace")


def _replay(body: bytes, receive: Receive) -> Receive:
    """Return a function that returns a body that was read, and then what follows."""
    given = False

    async def replay() -> Message:
        nonlocal given
        if given:
            return await receive()
        given = True
        return {"type": "http.request", "body": body, "more_body": False}

    return replay


async def _discard(receive: Receive) -> None:
    """Read further and discard, so that the client reads its answer."""
    taken = 0
    with contextlib.suppress(TimeoutError):
        async with asyncio.timeout(BODY_S):
            while taken < DISCARD_BYTES:
                message = await receive()
                taken += len(message.get("body", b""))
                if message["type"] != "http.request" or not message.get("more_body", False):
                    return


async def refuse(
    send: Send, status: int, detail: str, more: Mapping[bytes, bytes] | None = None
) -> None:
    """Answer with a problem, and close the connection.

    Args:
        send: Sends the answer.
        status: Of the answer, such as 404.
        detail: What is wrong, and what to do.
        more: Further headers.
    """
    body = json.dumps({"detail": detail}).encode()
    headers = [
        (b"content-type", b"application/json"),
        (b"content-length", str(len(body)).encode()),
        (b"connection", b"close"),
        *(more or {}).items(),
    ]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body})


def _declared(headers: dict[bytes, bytes]) -> int:
    text = headers.get(b"content-length", b"0")
    return int(text) if text.isdigit() else 0
