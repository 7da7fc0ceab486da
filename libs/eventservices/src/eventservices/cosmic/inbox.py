"""The subscribing half of a node: what is received, put together, and passed on."""

import asyncio
from typing import TYPE_CHECKING, Final

from eventservices.cosmic.attributes import (
    NO_ATTRIBUTES,
    ChannelAttributes,
    EventAttributes,
    decode_following,
    part,
)
from eventservices.cosmic.event import Delivery, Fault, OnEvent, OnException
from eventservices.cosmic.fragments import Assembler, Whole
from eventservices.cosmic.frame import Frame
from eventservices.cosmic.holder import Holder
from eventservices.cosmic.identifier import RESERVED_ETAGS, Etag, TimeClass
from eventservices.cosmic.medium import Medium
from eventservices.cosmic.subscription import Key, Subscription, group_key, is_group
from eventservices.errors import MalformedError, RefusedError
from eventservices.suppress import Suppressor

if TYPE_CHECKING:
    from eventservices.cosmic.settings import NodeSettings

MAX_SUBSCRIPTIONS: Final = 1024
"""Most subscriptions of a node."""

Takers = tuple[Subscription, ...]


class Inbox:
    """Receives for one node; see `Node` for the operations.

    Args:
        bus: The bus.
        settings: What the node is.

    Attributes:
        received: Events passed on, once however many subscriptions accepted them.
        suppressed: Events whose identity had been passed on before.
        unstamped: Events whose attributes did not follow in time.
        unclaimed: Frames that nobody subscribed to.
    """

    def __init__(self, bus: Medium, settings: "NodeSettings") -> None:
        self.received = 0
        self.suppressed = 0
        self.unstamped = 0
        self.unclaimed = 0
        self.assembler = Assembler(bus.settings.event_bytes)
        self.holder = Holder(self._release)
        self._bus = bus
        self._suppressor = Suppressor(settings.suppress_window, settings.suppress_origins)
        self._table: dict[Key, Takers] = {}
        self._groups = 0
        self._timer: asyncio.TimerHandle | None = None

    @property
    def subscriptions(self) -> list[Subscription]:
        """Subscriptions active."""
        return [one for takers in self._table.values() for one in takers]

    def subscribe(
        self,
        key: Key,
        subject: str,
        attributes: ChannelAttributes,
        on_event: OnEvent | None,
        on_exception: OnException | None,
        queue: int,
    ) -> Subscription:
        """Pass on the events of an etag, or the frames of an identifier, from now on."""
        if len(self.subscriptions) >= MAX_SUBSCRIPTIONS:
            raise RefusedError(f"the node has {MAX_SUBSCRIPTIONS} subscriptions already")
        made = Subscription(self._bus, key, subject, attributes, on_event, on_exception, queue)
        self._table[key] = (*self._table.get(key, ()), made)
        self._groups += is_group(key)
        return made

    def cancel(self, unwanted: Subscription) -> None:
        """Pass on nothing more; harmless where that is so."""
        unwanted.close()
        takers = self._table.get(unwanted.key, ())
        rest = tuple(one for one in takers if one is not unwanted)
        self._groups -= is_group(unwanted.key) * (len(takers) - len(rest))
        if rest:
            self._table[unwanted.key] = rest
        else:
            self._table.pop(unwanted.key, None)

    def close(self) -> None:
        """Cancel all subscriptions."""
        for subscription in self.subscriptions:
            self.cancel(subscription)
        self.holder.clear()
        if self._timer is not None:
            self._timer.cancel()

    def take(self, frame: Frame) -> None:
        """Accept a frame of another node."""
        try:
            self._take(frame)
        except MalformedError as error:
            self._bus.malformed(str(error), frame.data)

    def _by_identifier(self, frame: Frame) -> Takers:
        takers = self._table.get((frame.can_id, frame.extended), ())
        if frame.extended and self._groups:
            takers = (*takers, *self._table.get(group_key(frame.can_id), ()))
        return takers

    def _take(self, frame: Frame) -> None:
        takers = self._by_identifier(frame)
        if not frame.extended:
            self._take_short(frame, takers)
            return
        etag = frame.identifier.etag
        if etag >= RESERVED_ETAGS:
            self._take_event(frame, self._table.get(etag, ()), takers)
        elif takers:  # a device that knows no channels may use any identifier
            self._hold(frame, takers)
        elif etag == Etag.ATTRIBUTES:
            self._follow(frame)

    def _take_short(self, frame: Frame, takers: Takers) -> None:
        if takers:
            self._hold(frame, takers)
        else:
            self.unclaimed += 1

    def _take_event(self, frame: Frame, by_etag: Takers, takers: Takers) -> None:
        whole = bool(by_etag) and frame.identifier.time_class is TimeClass.NRT
        if whole:
            self._assemble(frame, by_etag)
        rest = takers if whole else (*by_etag, *takers)
        if rest:
            self._hold(frame, rest)
        elif not whole:
            self.unclaimed += 1

    def _assemble(self, frame: Frame, takers: Takers) -> None:
        whole = self.assembler.take(frame.source, frame.data)
        if whole is not None:
            attributes, content = _parted(whole)
            self._deliver(frame, content, attributes, takers)

    def _hold(self, frame: Frame, takers: Takers) -> None:
        now_us = self._bus.now_us()
        hold_us = max(one.attributes.hold_us for one in takers)
        not_before_us = self._slot_end_us(frame)
        if hold_us or not_before_us > now_us:
            self.holder.put(frame, now_us + hold_us, not_before_us, now_us)
            self._set_timer()
        else:
            self._deliver(frame, frame.data, NO_ATTRIBUTES, takers)

    def _follow(self, frame: Frame) -> None:
        whole = self.assembler.take(frame.source, frame.data)
        if whole is not None:
            self.holder.follow(decode_following(whole.data), self._bus.now_us())

    def _slot_end_us(self, frame: Frame) -> int:
        """Return when a hard real-time event is passed on; 0 where that is at once."""
        if not frame.extended or frame.identifier.time_class is not TimeClass.HRT:
            return 0
        slot = self._bus.calendar.find(frame.identifier.node, frame.identifier.etag)
        return slot.deadline_us(frame.time_us) if slot is not None else 0

    def _release(self, frame: Frame, attributes: EventAttributes | None) -> None:
        takers = self._by_identifier(frame)
        if frame.extended:
            takers = (*self._table.get(frame.identifier.etag, ()), *takers)
        if attributes is None and any(one.attributes.hold_us for one in takers):
            self.unstamped += 1
            for one in takers:
                one.fault(Fault.UNSTAMPED)
        self._deliver(frame, frame.data, attributes or NO_ATTRIBUTES, takers)

    def _deliver(
        self,
        frame: Frame,
        content: bytes,
        told: EventAttributes,
        takers: Takers,
    ) -> None:
        if not takers:
            return
        if told.stamp is not None and self._suppressor.repeated(told.stamp):
            self.suppressed += 1
            return
        self.received += 1
        for one in takers:
            one.deliver(Delivery(one.subject, content, told.stamp, told.others, told.typed, frame))

    def _set_timer(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        wake_us = self.holder.wake_us()
        if wake_us is not None:
            wait_s = max(0.0, (wake_us - self._bus.now_us()) / 1e6)
            self._timer = asyncio.get_running_loop().call_later(wait_s, self._time_out)

    def _time_out(self) -> None:
        self._timer = None
        self.holder.release(self._bus.now_us())
        self._set_timer()


def _parted(whole: Whole) -> tuple[EventAttributes, bytes]:
    return part(whole.data) if whole.with_attributes else (NO_ATTRIBUTES, whole.data)
