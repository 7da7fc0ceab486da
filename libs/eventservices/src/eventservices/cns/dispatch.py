"""Receives a channel's events from NATS and passes each to the consumers connected here."""

import asyncio
import logging
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

from eventservices.cns.calls import call_client
from eventservices.cns.codec import decode
from eventservices.cns.event import Event
from eventservices.cns.inflight import InFlight
from eventservices.cns.moved import Moved, read_moved
from eventservices.errors import MalformedError
from eventservices.natsclient import Handler
from eventservices.natslink import Listening, NatsLink
from eventservices.natsstamp import read_stamp
from eventservices.stamp import Stamp

log = logging.getLogger(__name__)

OnMalformed = Callable[[str, bytes], None]
"""Called with the reason why a message was set aside, and its bytes; a plain function."""


@dataclass(frozen=True, slots=True)
class SetAside:
    """A message that was no event.

    Attributes:
        payload: Its bytes.
        headers: Its header block.
        reason: What was wrong.
    """

    payload: bytes
    headers: bytes
    reason: str


class Receiver(Protocol):
    """What the dispatcher calls for every event."""

    def receive(self, event: Event, stamp: Stamp | None, moved: Moved | None) -> None:
        """Accept an event; must not raise."""


class Dispatcher:
    """Listens to a channel's events while anybody here consumes them.

    Args:
        link: The connection.
        subject: NATS subject of the channel's best-effort events.
        kept_subject: NATS subject of its persistent events, as they go into their store.
        keep: Malformed messages kept; the oldest go first.

    Attributes:
        received: Messages that came.
        malformed: Messages that were no event.
        failed: Times that a receiver raised.
        on_malformed: Is notified of each.
        in_flight: Events of this client that its own consumers are still to receive.
        set_aside: The last of them.
    """

    def __init__(self, link: NatsLink, subject: str, kept_subject: str, keep: int) -> None:
        self.received = 0
        self.malformed = 0
        self.failed = 0
        self.on_malformed: OnMalformed | None = None
        self.in_flight = InFlight()
        self.set_aside: deque[SetAside] = deque(maxlen=keep)
        self._link = link
        self._subject = subject
        self._kept_subject = kept_subject
        self._receivers: tuple[Receiver, ...] = ()
        self._kept_receivers: tuple[Receiver, ...] = ()
        self._listenings: dict[str, Listening] = {}
        self._changing = asyncio.Lock()

    def hears(self, *, kept: bool) -> bool:
        """Return whether anybody here receives best-effort events, or persistent ones."""
        return bool(self._kept_receivers if kept else self._receivers)

    async def attach(self, receiver: Receiver, *, kept: bool = True) -> None:
        """Hand events to `receiver` from now on.

        Args:
            receiver: Accepts them.
            kept: Whether it accepts persistent events too, as they come; one that reads them from
                their store does not.

        Raises:
            NotConnectedError: The server did not confirm the subscription; nothing was changed.
        """
        self._receivers += (receiver,)
        if kept:
            self._kept_receivers += (receiver,)
        try:
            await self._settle()
            await self._link.flush()
        except BaseException:
            await self.detach(receiver)
            raise

    async def detach(self, receiver: Receiver) -> None:
        """Hand no more events to `receiver`; harmless where it gets none."""
        self._receivers = tuple(held for held in self._receivers if held is not receiver)
        self._kept_receivers = tuple(held for held in self._kept_receivers if held is not receiver)
        if not self._receivers:
            self.in_flight.forget(self.in_flight.snapshot())
        await self._settle()

    def read(
        self, payload: bytes, headers: bytes
    ) -> tuple[Event, Stamp | None, Moved | None] | None:
        """Return the event in a message, its stamp, and how it came; None where it is set aside."""
        self.received += 1
        try:
            return decode(payload), read_stamp(headers), read_moved(headers)
        except MalformedError as error:
            self.malformed += 1
            self.put_aside(payload, headers, str(error))
            call_client(self.on_malformed, str(error), payload)
            log.warning("event_malformed", extra={"subject": self._subject, "reason": str(error)})
            return None

    def put_aside(self, payload: bytes, headers: bytes, reason: str) -> None:
        """Keep a message that nobody could use."""
        self.set_aside.append(SetAside(payload, headers, reason))

    async def _settle(self) -> None:
        async with self._changing:
            await self._listen(self._subject, self._on_message, wanted=bool(self._receivers))
            kept = bool(self._kept_receivers)
            await self._listen(self._kept_subject, self._on_kept_message, wanted=kept)

    async def _listen(self, subject: str, handler: Handler, *, wanted: bool) -> None:
        if wanted and subject not in self._listenings:
            self._listenings[subject] = await self._link.listen(subject, handler)
        elif not wanted and subject in self._listenings:
            await self._link.mute(self._listenings.pop(subject))

    def _on_message(self, _subject: str, payload: bytes, headers: bytes, _reply: str) -> None:
        self._give(payload, headers, self._receivers)

    def _on_kept_message(self, _subject: str, payload: bytes, headers: bytes, _reply: str) -> None:
        self._give(payload, headers, self._kept_receivers)

    def _give(self, payload: bytes, headers: bytes, receivers: tuple[Receiver, ...]) -> None:
        found = self.read(payload, headers)
        if found is None:
            return
        event, stamp, moved = found
        for receiver in receivers:
            try:
                receiver.receive(event, stamp, moved)
            except Exception:  # the consumers beside it are to have the event
                self.failed += 1
                log.exception("receiver_failed", extra={"subject": self._subject})
        if stamp is not None:
            self.in_flight.end(stamp.identity)
