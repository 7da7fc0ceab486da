"""The webhook: checks who may post, how much and how many at once, and answers.

Source:
    CloudEvents, HTTP 1.1 web hooks for event delivery, sections 2 to 4.
"""

import asyncio
import hmac
import json
from collections.abc import Callable, Iterable, MutableMapping
from typing import Any, Final

from fes.errors import CodecError
from fes.payload.cloudevents_http import Item, RequestError, read_request
from serving.guard import BodyGuard, raw_path
from starlette.types import Receive, Scope, Send

from adapter_http.settings import Settings

RETRY_S: Final = 1
"""Seconds after which a client that was refused for too many requests may try again."""

SHOWN: Final = 20
"""Most refused events of a batch whose reasons are in the answer."""

COUNTED: Final = ("unauthorized", "overloaded", "refused_bodies", "refused_events", "batches")

_Extra = Iterable[tuple[str, str]]


class Webhook:
    """An ASGI application that accepts CloudEvents.

    Args:
        settings: Path, limits, origins.
        secret: Secret that clients send.
        accept: Accepts a CloudEvent; returns why it is refused, "" where it is not.
        set_aside: Accepts the reason and the bytes of a request that is refused as a whole.

    Attributes:
        counts: Counters of refusals, by reason.
    """

    def __init__(
        self,
        settings: Settings,
        secret: str,
        accept: Callable[[Item], str],
        set_aside: Callable[[str, bytes], None],
    ) -> None:
        self.counts = dict.fromkeys(COUNTED, 0)
        self._settings = settings
        self._secret = secret.encode()
        self._accept = accept
        self._set_aside = set_aside
        self._active = 0
        self._guarded = BodyGuard(self._receive, settings.max_bytes, self._refused_body)

    async def __call__(self, scope: MutableMapping[str, Any], receive: Receive, send: Send) -> None:
        """Answer a request."""
        if scope["type"] != "http":
            return
        if raw_path(scope) != self._settings.path:
            await _answer(send, 404, "nothing is here")
        elif scope["method"] == "OPTIONS":
            await self._shake_hands(scope, send)
        elif scope["method"] != "POST":
            await _answer(send, 405, "events are posted", [("allow", "POST, OPTIONS")])
        elif not self._is_authorized(scope):
            self.counts["unauthorized"] += 1
            await _answer(send, 401, "the secret is not this one", [("www-authenticate", "Bearer")])
        elif self._active >= self._settings.concurrency:
            self.counts["overloaded"] += 1
            await _answer(send, 429, "too many requests at once", [("retry-after", str(RETRY_S))])
        else:
            self._active += 1
            try:
                await self._guarded(scope, receive, send)
            finally:
                self._active -= 1

    def _is_authorized(self, scope: Scope) -> bool:
        found = _values(scope, b"authorization")
        scheme, _, token = (found[0] if len(found) == 1 else b"").partition(b" ")
        return hmac.compare_digest(token.strip(), self._secret) and scheme.lower() == b"bearer"

    async def _shake_hands(self, scope: Scope, send: Send) -> None:
        """Permit an origin that requests it to send."""
        asking = [each.decode("latin-1") for each in _values(scope, b"webhook-request-origin")]
        if len(asking) != 1:
            await _answer(send, 400, "expected one WebHook-Request-Origin")
            return
        origins = self._settings.origins
        if "*" not in origins and asking[0].lower() not in {each.lower() for each in origins}:
            await _answer(send, 403, "this origin is not allowed")
            return
        allowed = "*" if "*" in origins else asking[0]
        granted = [("allow", "POST, OPTIONS"), ("webhook-allowed-origin", allowed)]
        await _answer(send, 200, "", [*granted, ("webhook-allowed-rate", "*")])

    async def _receive(self, scope: Scope, receive: Receive, send: Send) -> None:
        body = (await receive()).get("body", b"")
        try:
            items = read_request(scope["headers"], body, self._settings.max_batch)
        except CodecError as error:
            self.counts["refused_events"] += 1
            self._set_aside(str(error), body)
            status = error.status if isinstance(error, RequestError) else 400
            await _answer(send, status, str(error))
            return
        refused: list[dict[str, Any]] = []
        for index, item in enumerate(items):
            reason = self._accept(item)
            if reason:
                refused.append({"index": index, "reason": reason})
            if len(items) > 1:
                await asyncio.sleep(0)  # others have their turn between two events of a batch
        self.counts["batches"] += len(items) > 1
        self.counts["refused_events"] += len(refused)
        if not refused:
            await _answer(send, 202, "")
            return
        more = {"accepted": len(items) - len(refused), "refused": refused[:SHOWN]}
        await _answer(send, 400, refused[0]["reason"], more=more)

    def _refused_body(self, path: str) -> None:
        del path
        self.counts["refused_bodies"] += 1


def _values(scope: Scope, name: bytes) -> list[bytes]:
    return [value for key, value in scope["headers"] if key == name]


async def _answer(
    send: Send, status: int, detail: str, extra: _Extra = (), *, more: dict[str, Any] | None = None
) -> None:
    """Send an answer; a refusal has the reason as JSON."""
    body = json.dumps({"detail": detail, **(more or {})}).encode() if detail else b""
    headers = [(key.encode(), value.encode("latin-1")) for key, value in extra]
    headers.append((b"content-length", str(len(body)).encode()))
    if body:
        headers.append((b"content-type", b"application/json"))
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body})
