"""Delivery to one target: with a queue, a bounded number and time of attempts, and a signature.

Source:
    CloudEvents, HTTP 1.1 web hooks for event delivery, section 2 (which answers are final).
"""

import asyncio
import hashlib
import hmac
import logging
from collections.abc import Mapping
from contextlib import suppress
from typing import Final, NamedTuple

import httpx
from eventservices.backoff import Backoff
from eventservices.errors import NotConnectedError, RefusedError
from serving.clocks import wall_us

from adapter_http.allowed import AllowList
from adapter_http.settings import Target

SIGNATURE: Final = "Event-Signature"
"""Header of the signature: `t=<seconds since 1970>,v1=<hexadecimal HMAC-SHA-256>`."""

FIRST_S: Final = 0.1
LONGEST_S: Final = 10.0
"""Shortest and longest pause between two attempts, unless the target requests a longer one."""

ANSWER_BYTES: Final = 64 * 1024
ANSWER_S: Final = 1.0
"""Most bytes of an answer that are read and discarded; above it the connection is closed."""

COUNTED: Final = ("delivered", "retried", "undelivered", "target_refused", "overflowed")

_AGAIN: Final = (408, 425, 429, *range(500, 600))
_log = logging.getLogger(__name__)


class Request(NamedTuple):
    """A request to post.

    Attributes:
        headers: Without authorization and signature.
        body: The bytes.
    """

    headers: Mapping[str, str]
    body: bytes


class _AgainError(Exception):
    """Raised when another attempt may help.

    Contains the pause that the target requests, seconds.
    """

    def __init__(self, reason: str, pause_s: float = 0.0) -> None:
        super().__init__(reason)
        self.pause_s = pause_s


class Delivery:
    """Posts events to one target, in order.

    Args:
        target: The target.
        client: Makes the requests.
        allowed: Addresses that may be connected to.
        token: Sent as `Authorization: Bearer`; "" for none.
        key: Key of the signature; empty for none.
        attempts: Most attempts of one event.
        retry_s: Longest time of these attempts.
        most: Most events that wait.
        counts: Counters, shared by the targets.
    """

    def __init__(
        self,
        target: Target,
        client: httpx.AsyncClient,
        allowed: AllowList,
        *,
        token: str,
        key: bytes,
        attempts: int,
        retry_s: float,
        most: int,
        counts: dict[str, int],
    ) -> None:
        self.target = target
        self._url = httpx.URL(target.url)
        self._client = client
        self._allowed = allowed
        self._token = token
        self._key = key
        self._attempts = attempts
        self._retry_s = retry_s
        self._counts = counts
        self._queue: asyncio.Queue[Request] = asyncio.Queue(most)

    def __len__(self) -> int:
        """Return how many events wait."""
        return self._queue.qsize()

    def put(self, request: Request) -> None:
        """Queue an event; where too many wait it is dropped and counted."""
        try:
            self._queue.put_nowait(request)
        except asyncio.QueueFull:
            self._lost("overflowed", "too many events wait")

    async def run(self) -> None:
        """Deliver until cancelled."""
        while True:
            await self._deliver(await self._queue.get())

    async def _deliver(self, request: Request) -> None:
        backoff = Backoff(FIRST_S, LONGEST_S, float("inf"))
        backoff.pause_s()
        reason = "no attempt"
        try:
            async with asyncio.timeout(self._retry_s):
                for attempt in range(1, self._attempts + 1):
                    try:
                        await self._post(request)
                    except _AgainError as error:
                        reason = str(error)
                        if attempt < self._attempts:
                            self._counts["retried"] += 1
                            await asyncio.sleep(max(backoff.pause_s(), error.pause_s))
                    else:
                        self._counts["delivered"] += 1
                        return
        except TimeoutError:
            reason = f"{reason}, for {self._retry_s:g} s"
        except (RefusedError, httpx.HTTPError, httpx.InvalidURL) as error:
            self._lost("target_refused", str(error))
            return
        self._lost("undelivered", reason)

    async def _post(self, request: Request) -> None:
        port = self._url.port or (443 if self._url.scheme == "https" else 80)
        try:
            # The connection is made to the address that was checked: a name may change its address.
            address = await self._allowed.resolve(self._url.host, port)
            sending = self._client.build_request(
                "POST",
                self._url.copy_with(host=address),
                headers={"Host": self._url.netloc.decode(), **self._headers(request)},
                content=request.body,
                extensions={"sni_hostname": self._url.host},
            )
            answer = await self._client.send(sending, stream=True)
            await _discard(answer)
        except (NotConnectedError, httpx.TransportError) as error:
            raise _AgainError(str(error) or type(error).__name__) from error
        if answer.status_code in _AGAIN:
            raise _AgainError(f"status {answer.status_code}", _pause_s(answer))
        if not answer.is_success:
            raise RefusedError(f"status {answer.status_code}")

    def _headers(self, request: Request) -> dict[str, str]:
        headers = dict(request.headers)
        if self._token:
            headers["Authorization"] = f"Bearer {self._token}"
        if self._key:
            headers[SIGNATURE] = sign(self._key, wall_us() // 1_000_000, request)
        return headers

    def _lost(self, counter: str, reason: str) -> None:
        self._counts[counter] += 1
        extra = {"target": self._url.host, "counter": counter, "reason": reason[:200]}
        _log.warning("event_not_delivered", extra=extra)


def sign(key: bytes, time_s: int, request: Request) -> str:
    """Return the signature of the time, the sorted `ce-` headers and the body of a request.

    Args:
        key: Shared with the target.
        time_s: Seconds since 1970 UTC.
        request: The request to post.
    """
    context = sorted((k.lower(), v) for k, v in request.headers.items() if _is_context(k))
    head = "".join(f"{line}\n" for line in (str(time_s), *(f"{k}:{v}" for k, v in context)))
    signed = hmac.new(key, head.encode() + b"\n" + request.body, hashlib.sha256)
    return f"t={time_s},v1={signed.hexdigest()}"


async def _discard(answer: httpx.Response) -> None:
    """Read an answer to its end, to reuse the connection, unless it is long or slow."""
    size = 0
    try:
        # The status counts, whether or not the rest can be read.
        with suppress(TimeoutError, httpx.TransportError):
            async with asyncio.timeout(ANSWER_S):
                async for part in answer.aiter_raw():
                    size += len(part)
                    if size > ANSWER_BYTES:
                        break
    finally:
        await answer.aclose()


def _is_context(name: str) -> bool:
    return name.lower().startswith("ce-")


def _pause_s(answer: httpx.Response) -> float:
    """Return the pause that a target requests, seconds; a date is ignored."""
    text = answer.headers.get("retry-after", "")
    return float(text) if text.isascii() and text.isdigit() and len(text) < 6 else 0.0
