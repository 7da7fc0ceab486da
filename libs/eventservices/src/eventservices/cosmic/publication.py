"""Publications: announced channels, and what is sent on them."""

from typing import TYPE_CHECKING, Final

from eventservices.cosmic.attributes import (
    ChannelAttributes,
    EventAttributes,
    Following,
    check_others,
    encode_following,
    join,
)
from eventservices.cosmic.calendar import Slot
from eventservices.cosmic.event import ChannelException, Event, Fault, OnException
from eventservices.cosmic.fragments import split
from eventservices.cosmic.frame import FRAME_BYTES, Frame
from eventservices.cosmic.identifier import (
    HRT_PRIORITY,
    NRT_PRIORITIES,
    Etag,
    Identifier,
    TimeClass,
)
from eventservices.cosmic.medium import Medium
from eventservices.cosmic.timing import frame_time_us
from eventservices.cosmic.transmission import Outcome, Transmission
from eventservices.errors import EventServiceError, RefusedError, TooLargeError
from eventservices.stamp import Stamp, Stamper, check

if TYPE_CHECKING:
    from eventservices.cosmic.settings import NodeSettings

MAX_SLOTTED: Final = 64
"""Most events that wait for the slots of one hard real-time channel."""

BLOCKING: Final = 1
"""Frames that may have the bus when a slot begins: what goes is not interrupted."""

LEAST_SLOT_US: Final = 100
"""Shortest slot, on a bus that needs no time."""

_FAULTS: Final = {
    Outcome.LATE: Fault.DEADLINE,
    Outcome.EXPIRED: Fault.EXPIRED,
    Outcome.FAILED: Fault.OMITTED,
}


class Publication:
    """One announced channel of a node.

    Attributes:
        subject: Its name.
        etag: What represents it on the bus.
        attributes: What the channel guarantees.
        slot: HRT: the reserved time; None else.
    """

    def __init__(
        self,
        bus: Medium,
        settings: "NodeSettings",
        subject: str,
        etag: int,
        attributes: ChannelAttributes,
        on_exception: OnException | None,
        origin: str,
    ) -> None:
        self.subject = subject
        self.etag = etag
        self.attributes = attributes
        self.slot: Slot | None = None
        self._bus = bus
        self._number = settings.number
        self._on_exception = on_exception
        home = settings.home or settings.name
        self._stamper = Stamper(origin, home, clock_us=bus.clock_us)
        self._slotted = 0
        self._last_start_us = 0
        self.can_id = Identifier(self._priority(), self._number, etag).can_id
        if attributes.time_class is TimeClass.HRT:
            self.slot = bus.calendar.reserve(self._wanted_slot())

    def close(self) -> None:
        """Release the slot, with what waits for it; what waits for the bus is still sent."""
        if self.slot is not None:
            self._bus.calendar.release(self.slot)
            self._bus.withdraw(self._number, self.can_id)

    def publish(self, event: Event, time_us: int | None, stamp: Stamp | None) -> Stamp | None:
        """Send an event; see `Node.publish`."""
        check_others(event.attributes)
        if stamp is not None:
            given: Stamp | None = check(stamp)
        else:
            given = self._stamper.next(time_us) if self.attributes.stamped else None
        told = EventAttributes(given, event.typed, dict(event.attributes))
        if self.attributes.time_class is TimeClass.NRT:
            self._send_whole(event, told)
        else:
            self._send_short(event, told)
        return given

    def _send_whole(self, event: Event, told: EventAttributes) -> None:
        bare = told == EventAttributes()
        data = event.content if bare else join(told, event.content)
        limit = self._bus.settings.event_bytes
        if len(data) > limit:
            raise TooLargeError(len(data), limit)
        self._bus.offer(
            Transmission(
                self.can_id,
                split(data, with_attributes=not bare),
                self._teller(told.stamp),
                self._number,
                expires_us=self._expires_us(event),
                size=len(data),
            )
        )

    def _send_short(self, event: Event, told: EventAttributes) -> None:
        if len(event.content) > FRAME_BYTES:
            raise TooLargeError(len(event.content), FRAME_BYTES)
        frame = Frame(self.can_id, event.content)
        behind = following(frame, told)
        sent = self._teller(told.stamp, behind)
        if self.slot is None:
            self._bus.offer(self._by_deadline(event, sent))
            return
        if self._slotted >= MAX_SLOTTED:
            raise RefusedError(f"{MAX_SLOTTED} events wait for a slot of {self.subject!r} already")
        self._bus.offer(self._in_slot(event, sent, self.slot))
        self._slotted += 1

    def _by_deadline(self, event: Event, told: "_Teller") -> Transmission:
        deadline_us = event.deadline_us
        if deadline_us is None:
            deadline_us = self._bus.now_us() + self.attributes.deadline_us
        return Transmission(
            self.can_id,
            iter((event.content,)),
            told,
            self._number,
            time_class=TimeClass.SRT,
            deadline_us=deadline_us,
            expires_us=self._expires_us(event),
        )

    def _in_slot(self, event: Event, told: "_Teller", slot: Slot) -> Transmission:
        earliest_us = max(self._bus.now_us(), self._last_start_us + 1)
        self._last_start_us = slot.next_start_us(earliest_us)
        return Transmission(
            self.can_id,
            iter((event.content,)),
            told,
            self._number,
            time_class=TimeClass.HRT,
            start_us=self._last_start_us,
            attempts=1 + self.attributes.omission,
        )

    def _teller(self, stamp: Stamp | None, following: bytes = b"") -> "_Teller":
        return _Teller(self, stamp, following)

    def told(self, outcome: Outcome, stamp: Stamp | None, now_us: int) -> None:
        """Note the outcome of an event, as the bus reports it."""
        if self.slot is not None:
            self._slotted -= 1
        fault = _FAULTS.get(outcome)
        if fault is not None and self._on_exception is not None:
            told = ChannelException(fault, self.subject, stamp, now_us)
            self._bus.call(self._on_exception, told)

    def follow(self, following: bytes) -> None:
        """Send the attributes of an event that was sent."""
        send_following(self._bus, self._number, following)

    def _priority(self) -> int:
        if self.attributes.time_class is TimeClass.NRT:
            return self.attributes.priority
        return HRT_PRIORITY

    def _wanted_slot(self) -> Slot:
        frames = 1 + self.attributes.omission + BLOCKING
        lasts_us = frames * frame_time_us(FRAME_BYTES, self._bus.settings.bit_rate)
        length_us = max(LEAST_SLOT_US, -int(-lasts_us // 1))
        if self.attributes.period_us < length_us:
            raise RefusedError(f"a slot of {length_us} µs does not fit {self.attributes.period_us}")
        return Slot(self._number, self.etag, self.attributes.period_us, length_us)

    def _expires_us(self, event: Event) -> int:
        if event.expires_us is not None:
            return event.expires_us
        validity_us = self.attributes.validity_us
        return self._bus.now_us() + validity_us if validity_us else 0


class _Teller:
    """Receives the outcome of one event, and has its attributes follow it."""

    def __init__(self, publication: Publication, stamp: Stamp | None, following: bytes) -> None:
        self._publication = publication
        self._stamp = stamp
        self._following = following

    def __call__(self, outcome: Outcome, now_us: int) -> None:
        """Note an outcome."""
        self._publication.told(outcome, self._stamp, now_us)
        if outcome is Outcome.SENT and self._following:
            self._publication.follow(self._following)


def send_following(bus: Medium, number: int, told: bytes) -> None:
    """Send the attributes of an event; where too much waits, the event stays without."""
    can_id = Identifier(NRT_PRIORITIES[0], number, Etag.ATTRIBUTES).can_id
    try:
        bus.offer(Transmission(can_id, split(told), _nothing, number, size=len(told)))
    except EventServiceError:
        bus.counters.unfollowed += 1


def following(frame: Frame, told: EventAttributes) -> bytes:
    """Return the bytes of what follows a frame; none where nothing is notified of its event."""
    if told == EventAttributes():
        return b""
    source, extended = frame.source
    return encode_following(Following(source, extended, frame.data, told))


def _nothing(_outcome: Outcome, _now_us: int) -> None:
    """Ignore the outcome: an event whose attributes do not follow is delivered without them."""
