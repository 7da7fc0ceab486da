"""Refuses a body that is too large or encoded before anything reads it."""

import json
from typing import Final

from starlette.types import ASGIApp, Message, Receive, Scope, Send

BODY_BYTES: Final = 64 * 1024


class BodyGuard:
    """Counts a request's body as it comes in.

    Args:
        app: Takes the requests that pass.
        limit_bytes: Largest body.
    """

    def __init__(self, app: ASGIApp, limit_bytes: int = BODY_BYTES) -> None:
        self._app = app
        self._limit = limit_bytes

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Take a request."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        headers = dict(scope["headers"])
        length = headers.get(b"content-length", b"0")
        if headers.get(b"content-encoding", b"identity").lower() != b"identity":
            await _refuse(send, 415, "encoded bodies are not taken")
        elif length.isdigit() and int(length) > self._limit:
            await self._refuse_large(send)
        else:
            await self._pass(scope, receive, send)

    async def _pass(self, scope: Scope, receive: Receive, send: Send) -> None:
        body = bytearray()
        message: Message = {"more_body": True}
        while message.get("more_body", False):
            message = await receive()
            if message["type"] == "http.disconnect":
                return
            body += message.get("body", b"")
            if len(body) > self._limit:
                await self._refuse_large(send)
                return
        whole: list[Message] = [{"type": "http.request", "body": bytes(body), "more_body": False}]

        async def replay() -> Message:
            return whole.pop() if whole else await receive()

        await self._app(scope, replay, send)

    async def _refuse_large(self, send: Send) -> None:
        await _refuse(send, 413, f"body exceeds {self._limit} bytes")


async def _refuse(send: Send, status: int, detail: str) -> None:
    body = json.dumps({"detail": detail}).encode()
    headers = [
        (b"content-type", b"application/json"),
        (b"content-length", str(len(body)).encode()),
        (b"connection", b"close"),
    ]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body})
