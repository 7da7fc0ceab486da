"""A link to the broker that outlives its connections.

It knows which topics are requested, requests them again after a loss, and is healthy only when the
broker has acknowledged every one.
"""

import asyncio
import logging
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import count
from secrets import SystemRandom
from typing import Any

from eventservices.attention import attentively
from eventservices.ending import ended
from eventservices.errors import EventServiceError, NotConnectedError, RefusedError
from eventservices.lasting import lasting
from eventservices.secure import late
from eventservices.steam.counters import Counters
from eventservices.steam.mqtt import PROTOCOL, PROTOCOL_5, MqttConnection
from eventservices.steam.properties import Properties
from eventservices.steam.settings import AirSettings, parse_url

GONE = -1
"""Return code of a subscription that was abandoned before its SUBACK."""

FAILURE = 0x80
"""Return code from which on a SUBACK means a refusal."""

_CHUNK = 64  # topics in one SUBSCRIBE
_ACK_S = 5.0
_LATE_S = 0.5  # a timer that comes later than this shows that the loop was blocked
_SHARED_S = 0.25  # how long a proof is valid for other callers
_BUSY = 5  # deadlines of a probe while other messages come
_BACKOFF_S = (0.1, 5.0)
_STEADY_S = 10.0
_TAKEN_OVER_S = 30.0

_log = logging.getLogger(__name__)

OnMessage = Callable[[str | bytes, bytes], None]
OnMessage5 = Callable[[str | bytes, bytes, Properties], None]
Acknowledged = asyncio.Future[int]
"""The return code of a subscription, once the broker has sent it."""


@dataclass(frozen=True, slots=True)
class _Asked:
    since_s: float
    replies: tuple[Acknowledged, ...]


class Link:
    """Keeps one process in touch with a broker.

    Args:
        settings: Of the air.
        client_id: Unique among the broker's clients.
        probe_topic: Topic of its own, on which it proves a round trip.
        on_message: Is called with topic and payload of every other message; must not raise.
        on_retained: Is called with those that the broker had kept; where None, they are counted
            only.
        on_message_5: Is called with topic, payload and properties of every message, kept or not,
            instead of the others; then MQTT 5 is used.
    """

    def __init__(
        self,
        settings: AirSettings,
        client_id: str,
        probe_topic: str,
        on_message: OnMessage,
        on_retained: OnMessage | None = None,
        on_message_5: OnMessage5 | None = None,
    ) -> None:
        self.counters = Counters()
        self._settings = settings
        self._address = parse_url(settings.url)
        self._client_id = client_id
        self._probe_topic = probe_topic
        self._on_message = on_message
        self._on_retained = on_retained
        self._on_message_5 = on_message_5
        self._version = PROTOCOL if on_message_5 is None else PROTOCOL_5
        self._connection: MqttConnection | None = None
        self._wanted: dict[str, Acknowledged] = {}
        self._asked: dict[int, _Asked] = {}
        self._probes: dict[bytes, asyncio.Future[None]] = {}
        self._numbers = count(1)
        self._heard = 0
        self._proving: asyncio.Task[float] | None = None
        self._proved_s = float("-inf")
        self._took_s = 0.0
        self._keeper: asyncio.Task[None] | None = None

    async def open(self) -> None:
        """Connect, prove that messages are received, and keep the link up from then on.

        Raises:
            NotConnectedError: The broker does not answer in time.
            RefusedError: The broker does not accept this client.
        """
        if self._keeper is not None:
            return
        self.subscribe([self._probe_topic])
        try:
            await self._connect()
            await acknowledged(self._wanted.values(), self._settings.connect_s)
        except BaseException:
            await self.close()
            raise
        keeping = lasting(self._keep)
        self._keeper = asyncio.create_task(keeping, name=f"steam link {self._client_id}")

    async def close(self) -> None:
        """End the link; harmless where it has ended."""
        keeper, self._keeper = self._keeper, None
        await ended(keeper)
        await ended(self._proving)
        self.unsubscribe(list(self._wanted))
        if self._connection is not None:
            await self._connection.close()
            self._connection = None

    @property
    def connected(self) -> bool:
        """Whether messages can be sent; sends nothing of whether any arrive."""
        return self._connection is not None and not self._connection.ends

    @property
    def healthy(self) -> bool:
        """Whether it is connected and every subscription is active."""
        return self.connected and all(
            reply.done() and 0 <= reply.result() < FAILURE for reply in self._wanted.values()
        )

    @property
    def backlog_bytes(self) -> int:
        """Bytes that the socket has not accepted yet."""
        return self._connection.backlog_bytes if self._connection and self.connected else 0

    def publish(
        self, topic: str, payload: bytes, *, retain: bool = False, properties: bytes = b"\0"
    ) -> None:
        """Send a message, which the broker keeps for later subscribers if `retain` is set.

        Raises:
            NotConnectedError: The connection is away, or its backlog is at the limit.
        """
        connection = self._connection
        if connection is None or connection.ends:
            raise NotConnectedError("the broker is away")
        if connection.backlog_bytes > self._settings.outgoing_bytes:
            raise NotConnectedError("the outgoing buffer is full")
        connection.publish(topic, payload, retain=retain, properties=properties)

    def subscribe(self, topics: Iterable[str]) -> list[Acknowledged]:
        """Subscribe to topics from now on, over every loss.

        Returns:
            For each topic the reply of the broker, to be awaited with `acknowledged`.

        Raises:
            RefusedError: More topics are requested than the settings allow.
        """
        wanted = list(topics)
        fresh = [topic for topic in dict.fromkeys(wanted) if topic not in self._wanted]
        if len(self._wanted) + len(fresh) > self._settings.topics:
            raise RefusedError(f"more than {self._settings.topics} topics on one connection")
        loop = asyncio.get_running_loop()
        self._wanted.update((topic, loop.create_future()) for topic in fresh)
        self._ask(fresh)
        return [self._wanted[topic] for topic in wanted]

    def unsubscribe(self, topics: Sequence[str]) -> None:
        """Unsubscribe from topics."""
        gone = [topic for topic in topics if topic in self._wanted]
        for topic in gone:
            reply = self._wanted.pop(topic)
            if not reply.done():
                reply.set_result(GONE)
        if self._connection is not None and self.connected:
            for start in range(0, len(gone), _CHUNK):
                self._connection.unsubscribe(gone[start : start + _CHUNK])

    async def probe(self, deadline_s: float, *, shared: bool = False) -> float:
        """Send a message to itself and wait for it.

        Args:
            deadline_s: Longest wait, while no other message comes.
            shared: Whether a proof of a moment ago, or one that somebody waits for, will do.

        Returns:
            Its duration, wall time; seconds.

        Raises:
            NotConnectedError: It did not come back; the connection is made again.
        """
        if not shared:
            return await self._prove(deadline_s)
        if time.monotonic() - self._proved_s < _SHARED_S:
            return self._took_s
        if self._proving is None or self._proving.done():
            proving = self._prove(deadline_s)
            self._proving = asyncio.create_task(proving, name=f"steam proof {self._client_id}")
            self._proving.add_done_callback(_seen)
        return await asyncio.shield(self._proving)

    async def _prove(self, deadline_s: float) -> float:
        mark = str(next(self._numbers)).encode()
        back = self._probes[mark] = asyncio.get_running_loop().create_future()
        sent_s = time.perf_counter()
        try:
            self.publish(self._probe_topic, mark)
            await self._heard_within(back, deadline_s)
        except TimeoutError as error:
            self._give_up("deaf")
            raise NotConnectedError(f"no message came back within {deadline_s} s") from error
        finally:
            del self._probes[mark]
        self._proved_s, self._took_s = time.monotonic(), time.perf_counter() - sent_s
        return self._took_s

    async def _heard_within(self, back: asyncio.Future[None], deadline_s: float) -> None:
        """Wait for a message to oneself, and longer while others come: it waits behind them.

        Raises:
            TimeoutError: It did not come, and no other did.
        """
        for again in range(_BUSY, 0, -1):
            heard = self._heard
            try:
                await attentively(asyncio.shield(back), deadline_s)
            except TimeoutError:
                if self._heard == heard or again == 1:
                    raise
            else:
                return

    async def _connect(self) -> None:
        connection = MqttConnection(
            self._client_id,
            self._settings.keepalive_s,
            self._receive,
            self._take_codes,
            self._version,
        )
        connection.echoed = self._probe_topic
        try:
            async with asyncio.timeout(self._settings.connect_s):
                await connection.open(self._address)
        except TimeoutError as error:
            place, secure = self._address.shown, self._address.secure
            reason = late("the broker did not answer in time", place, secure=secure)
            raise NotConnectedError(reason) from error
        self._connection = connection
        self._ask(list(self._wanted))

    async def _keep(self) -> None:
        loop = asyncio.get_running_loop()
        delay_s, most_s = _BACKOFF_S
        while True:
            started_s = loop.time()
            await self._watch()
            ended = self._connection is not None and not self._connection.aborted
            self._mark_lost()
            steady = loop.time() - started_s > max(_STEADY_S, 2 * delay_s)
            delay_s = _BACKOFF_S[0] if steady else _longer(delay_s, most_s)
            most_s = _BACKOFF_S[1]
            await asyncio.sleep(delay_s)
            try:
                await self._connect()
            except EventServiceError as error:
                _log.warning("broker not reached", extra={"reason": str(error)})
                continue
            self.counters.reconnected += 1
            if ended:
                self._note_takeover()
                most_s = _TAKEN_OVER_S

    def _note_takeover(self) -> None:
        """Count and report that the broker ended a connection and accepted the next at once.

        MQTT 3.1.1 does not state the reason. A broker that restarts needs a moment until it
        listens.
        """
        self.counters.takeovers += 1
        _log.warning(
            "connection taken over: has another client this identifier?",
            extra={"client_id": self._client_id, "takeovers": self.counters.takeovers},
        )

    async def _watch(self) -> None:
        """Return when the connection has ended, or is of no use any more."""
        loop = asyncio.get_running_loop()
        period_s = self._settings.keepalive_s / 2
        while self._connection is not None and not self._connection.ends:
            begun_s = loop.time()
            try:
                async with asyncio.timeout(period_s):
                    await self._connection.lost.wait()
            except TimeoutError:
                if loop.time() - begun_s < period_s + _LATE_S:  # else the loop was blocked
                    self._check_replies()

    def _check_replies(self) -> None:
        now_s = asyncio.get_running_loop().time()
        if any(now_s - asked.since_s > _ACK_S for asked in self._asked.values()):
            self._give_up("no SUBACK")

    def _give_up(self, reason: str) -> None:
        _log.warning("connection given up", extra={"reason": reason})
        if self._connection is not None:
            self._connection.abort()

    def _mark_lost(self) -> None:
        if self._connection is not None:
            # A closing transport waits for its peer; one that is deaf never reads.
            self._connection.abort()
            self.counters.unsent += self._connection.unsent
            self._connection = None
        self._asked.clear()
        loop = asyncio.get_running_loop()
        for topic, reply in self._wanted.items():
            if reply.done():
                self._wanted[topic] = loop.create_future()

    def _ask(self, topics: Sequence[str]) -> None:
        if self._connection is None or not self.connected:
            return
        now_s = asyncio.get_running_loop().time()
        for start in range(0, len(topics), _CHUNK):
            chunk = topics[start : start + _CHUNK]
            mid = self._connection.subscribe(chunk)
            self._asked[mid] = _Asked(now_s, tuple(self._wanted[topic] for topic in chunk))

    def _take_codes(self, mid: int, codes: Sequence[int]) -> None:
        asked = self._asked.pop(mid, None)
        if asked is None:
            return
        # A SUBACK with too few codes grants nothing beyond them.
        padded = [*codes, *[FAILURE] * (len(asked.replies) - len(codes))]
        for reply, code in zip(asked.replies, padded, strict=False):
            if code >= FAILURE:
                self.counters.refused += 1
            if not reply.done():
                reply.set_result(code)

    def _receive(self, topic: str | bytes, payload: bytes, properties: Mapping[str, Any]) -> None:
        self._heard += 1
        if topic == self._probe_topic:
            back = self._probes.get(payload)
            if back is not None and not back.done():
                back.set_result(None)
        elif self._on_message_5 is not None:
            self._on_message_5(topic, payload, Properties.read(properties))
        elif not properties["retain"]:
            self._on_message(topic, payload)
        elif self._on_retained is not None:
            self._on_retained(topic, payload)
        else:  # on the air nothing is kept: a later subscriber receives nothing older
            self.counters.unclaimed += 1


async def acknowledged(replies: Iterable[Acknowledged], deadline_s: float) -> None:
    """Wait until subscriptions are active.

    Raises:
        NotConnectedError: A reply did not come in time.
        RefusedError: The broker refused one.
    """
    waiting = set(replies)
    if not waiting:
        return
    done, late = await asyncio.wait(waiting, timeout=deadline_s)
    if late:
        raise NotConnectedError(f"{len(late)} subscriptions not active after {deadline_s} s")
    if any(reply.result() >= FAILURE for reply in done):
        raise RefusedError("the broker refused a subscription")


def _seen(proof: asyncio.Task[float]) -> None:
    """Look at what a proof came to: who waited for it may have gone."""
    if not proof.cancelled():
        proof.exception()


def _longer(delay_s: float, most_s: float) -> float:
    """Return the next delay: decorrelated jitter."""
    return min(most_s, SystemRandom().uniform(_BACKOFF_S[0], delay_s * 3))
