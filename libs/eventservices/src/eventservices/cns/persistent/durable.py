"""One consumer of a channel's persistent events: it receives each, in order."""

import asyncio
import logging
import time
from collections.abc import Awaitable, Callable
from typing import Final, Protocol

import msgspec

from eventservices.cns.event import Event
from eventservices.cns.moved import Moved
from eventservices.cns.persistent.hand import Hand, Held
from eventservices.cns.persistent.recovery import (
    ACK,
    IN_PROGRESS,
    NAK,
    Progress,
    answers,
    recover,
)
from eventservices.cns.persistent.replies import (
    HEARTBEAT,
    NO_RESPONDERS,
    delivery_of,
    status_of,
)
from eventservices.cns.persistent.session import TROUBLE, Session
from eventservices.cns.persistent.sorter import Sorter
from eventservices.cns.persistent.streams import ACK_WAIT_S, delete_consumer, ensure_consumer
from eventservices.cns.queueing import Receipt
from eventservices.stamp import Stamp

log = logging.getLogger(__name__)

WINDOW: Final = 256
"""Most events in hand: requested or delivered, and not finished."""

EXPIRES_S: Final = 30
HEARTBEAT_S: Final = 2
DEAF_AFTER_S: Final = 5.0
LOOK_S: Final = 1.0
TOUCH_S: Final = ACK_WAIT_S / 3
_NS: Final = 1_000_000_000


class StoredReceiver(Protocol):
    """Fetches events from the store."""

    def receive_stored(
        self,
        event: Event,
        stamp: Stamp | None,
        moved: Moved | None,
        received_us: int,
        receipt: Receipt,
    ) -> None:
        """Accept an event; must not raise."""


Read = Callable[[bytes, bytes], tuple[Event, Stamp | None, Moved | None] | None]
"""Returns the event in a message; None where it is none, and set aside."""

Prepare = Callable[[Session], Awaitable[object]]
"""Makes sure that there is a stream; returns what distinguishes it from its predecessors."""


class Durable:
    """Reads a stream for one consumer.

    Args:
        stream: Name of the stream.
        name: Name of the consumer at the broker.
        receiver: Accepts the events.
        read: Decodes them.
        prepare: Makes sure that there is the stream.
        lasting: Whether the name outlives the client.

    Attributes:
        remade: Times that the broker had lost the consumer.
    """

    def __init__(
        self,
        stream: str,
        name: str,
        receiver: StoredReceiver,
        read: Read,
        prepare: Prepare,
        *,
        lasting: bool,
    ) -> None:
        self.remade = 0
        self.on_close: Callable[[Durable], Awaitable[Session | None]] | None = None
        self._stream, self._name = stream, name
        self._receiver, self._read, self._prepare = receiver, read, prepare
        self._lasting = lasting
        self._wake = asyncio.Event()
        self._hand = Hand(self._wake.set)
        self._outstanding = 0
        self._missing = False
        self._heard_s = 0.0
        self._looked_s = 0.0
        self._position: int | None = None
        self._made: object = None
        self._sorter: Sorter[tuple[bytes, bytes, Held]] = Sorter()
        self._resumed_s = 0.0

    async def open(self, session: Session) -> None:
        """Make sure that the broker keeps events for this consumer from now on."""
        self._made = await self._prepare(session)
        info = await ensure_consumer(
            session, self._stream, self._name, lasting=self._lasting, start=None
        )
        self._position = Progress.of(info).delivered

    async def serve(self, session: Session) -> None:
        """Read over one connection."""
        await self._resume(session)
        inbox = session.client.new_inbox()
        await session.client.listen(inbox, self._on_message)
        self._outstanding, self._heard_s = 0, time.monotonic()
        while True:
            await self._send_acks(session)
            if self._missing:
                await asyncio.sleep(LOOK_S)
                await self._resume(session)
            await self._ask(session, inbox)
            await self._pause()
            await self._look(session)

    async def close(self, *, forget: bool) -> None:
        """Read no more.

        Args:
            forget: Whether events are kept for this consumer no more; else what it has in hand
                comes first when it is back.
        """
        session = await self.on_close(self) if self.on_close else None
        if session is None:
            return
        try:
            await self._send_acks(session)
            if forget or not self._lasting:
                await delete_consumer(session, self._stream, self._name)
                return
            await session.flush()
        except TROUBLE as error:
            log.warning("consumer_not_closed", extra={"consumer": self._name, "error": repr(error)})

    async def _resume(self, session: Session) -> None:
        made = await self._prepare(session)
        if made != self._made:
            self._made = made
            self._begin_anew()
        before = self._position
        start = None if before is None else before + 1
        info = await ensure_consumer(
            session, self._stream, self._name, lasting=self._lasting, start=start
        )
        progress = Progress.of(info)
        told = answers(progress, self._hand.held, self._hand.finished)
        self._sorter.expect(number for number, answer in told if answer == NAK)
        self._resumed_s = time.monotonic()
        await recover(session, self._stream, self._name, progress, told)
        if self._missing:
            self.remade += 1
            log.warning("consumer_was_lost", extra={"consumer": self._name, "next": start})
        self._missing = False

    def _begin_anew(self) -> None:
        # Another stream counts from 1 again: events in hand are still delivered, not acknowledged.
        self._hand.clear()
        self._position = 0
        self._give(self._sorter.release())

    async def _send_acks(self, session: Session) -> None:
        acks = self._hand.acks
        while acks:
            await session.client.publish(acks[0], ACK)
            acks.popleft()

    async def _ask(self, session: Session, inbox: str) -> None:
        room = WINDOW - len(self._hand)
        if self._outstanding or room <= 0 or self._missing:
            return
        self._outstanding = room
        request = {
            "batch": room,
            "expires": EXPIRES_S * _NS,
            "idle_heartbeat": HEARTBEAT_S * _NS,
        }
        subject = f"$JS.API.CONSUMER.MSG.NEXT.{self._stream}.{self._name}"
        await session.client.publish(subject, msgspec.json.encode(request), inbox)

    async def _pause(self) -> None:
        try:
            async with asyncio.timeout(LOOK_S):
                await self._wake.wait()
        except TimeoutError:
            return
        finally:
            self._wake.clear()

    async def _look(self, session: Session) -> None:
        now_s = time.monotonic()
        if self._outstanding and now_s - self._heard_s > DEAF_AFTER_S:
            session.fail("a pull request is not answered")
        if now_s - self._looked_s < LOOK_S:
            return
        self._looked_s = now_s
        await self._look_for_expected(session, now_s)
        for held in self._hand.untouched(now_s - TOUCH_S, now_s):
            await session.client.publish(held.reply, IN_PROGRESS)

    async def _look_for_expected(self, session: Session, now_s: float) -> None:
        if not self._sorter.expected or now_s - self._resumed_s < 2 * LOOK_S:
            return
        info = await session.jetstream.consumer_info(self._stream, self._name)
        there_is_more = Progress.of(info).unacknowledged > len(self._hand)
        if not there_is_more or now_s - self._resumed_s > 2 * ACK_WAIT_S:
            log.warning("events_did_not_come", extra={"count": len(self._sorter.expected)})
            self._give(self._sorter.release())

    def _on_message(self, _subject: str, payload: bytes, headers: bytes, reply: str) -> None:
        self._heard_s = time.monotonic()
        status = status_of(headers)
        if status:
            self._on_status(status, headers)
            return
        self._outstanding -= 1
        if self._outstanding <= 0:
            self._wake.set()
        self._on_event(payload, headers, reply)

    def _on_status(self, status: int, headers: bytes) -> None:
        if status == HEARTBEAT:
            return
        self._outstanding = 0
        self._missing = status == NO_RESPONDERS or b"Consumer Deleted" in headers
        self._wake.set()

    def _on_event(self, payload: bytes, headers: bytes, reply: str) -> None:
        delivery = delivery_of(reply)
        held = self._hand.take(delivery, reply, self._heard_s)
        if held is None:
            return
        self._position = max(self._position or 0, delivery.sequence)
        self._give(self._sorter.put(held.number, (payload, headers, held)))
        if len(self._hand) >= WINDOW:
            self._give(self._sorter.release())

    def _give(self, ready: list[tuple[bytes, bytes, Held]]) -> None:
        for payload, headers, held in ready:
            found = self._read(payload, headers)
            if found is None:
                held.done()
            else:
                self._receiver.receive_stored(*found, held.stored_us, held)
