"""From an adapter's native events to messages: mapping, limits, residual filters, stamps."""

from collections import deque
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from eventservices.stamp import Stamp as NativeStamp
from eventservices.stamp import Stamper

from fes.adapter.context import AdapterContext, Subscription
from fes.adapter.inbound.acknowledgements import Acknowledgements, Answer
from fes.adapter.inbound.matching import Matching
from fes.adapter.stamps import from_native
from fes.control import RequestType, is_signal
from fes.errors import EventError, FesError, LimitError
from fes.eventlog import Decision
from fes.link.messages import Heard, HeardControl
from fes.mapping import EventPart, Native
from fes.model import Event, Stamp, attributes, binary, is_reserved
from fes.model.limits import Limits, check_limits, check_size
from fes.scopes.sessions import session_of

SET_ASIDE = 100
"""Most unreadable events kept for inspection; the oldest is dropped first."""

SHOWN = 200
"""Most characters of a refused event's subject in the event log."""

REASON = 500
"""Most characters of a reason in the event log."""

WRAPPING_BYTES = 64 * 1024
"""Bytes of a control event beside the event in it; as text an event is a third longer."""

PassOn = Callable[[HeardControl, Event], bool]
"""Sends a control event, decoded as `Event`, to the gateway; returns False where it was not
accepted."""


class Inbound:
    """Turns what an adapter receives into messages for the gateway.

    Args:
        context: The adapter's.
        send: Sends what is received to the gateway; False where the link's queue was full.
        log: Appends a decision about an event to the event log.
        stamper: Stamps events whose publisher does not.
        pass_on: Sends control events, where that needs more than `send`.
    """

    def __init__(
        self,
        context: AdapterContext,
        send: Callable[[Any], bool],
        log: Callable[..., None],
        stamper: Stamper,
        pass_on: PassOn | None = None,
    ) -> None:
        self.desired = 0
        self.acknowledgements = Acknowledgements()
        self.counters = dict.fromkeys(
            (
                "received",
                "filtered",
                "accepted",
                "control",
                "refused",
                "left_out",
                "dropped",
                "malformed",
                "malformed_attributes",
            ),
            0,
        )
        self.aside: deque[tuple[str, bytes]] = deque(maxlen=SET_ASIDE)
        self._context = context
        self._send = send
        self._pass_on = pass_on or (lambda control, _: send(control))
        self._log = log
        self._stamper = stamper
        self._matching = Matching()
        self._control = context.pool.latest(("control event", context.limits))

    def subscribe(self, subscription: Subscription) -> None:
        """Begin to pass events that a subscription accepts to the gateway."""
        self._matching.add(subscription)

    def unsubscribe(self, number: int) -> None:
        """Stop passing events for a subscription."""
        self._matching.remove(number)

    def heard(
        self, native: Native, stamp: NativeStamp | None, answer: Answer | None = None
    ) -> None:
        """Accept a native event; see `Sink`."""
        token = 0
        if answer is not None:
            token = self.acknowledgements.begin(answer)
            if not token:
                self.counters["dropped"] += 1
                return
        self._hear(native, stamp, token)
        if token:
            self.acknowledgements.finish(token)

    def heard_control(self, event: Event, stamp: NativeStamp | None) -> None:
        """Accept a control event; see `Sink`."""
        if stamp is not None and stamp.origin == self._stamper.origin:
            return
        self.counters["control"] += 1
        try:
            control = self._control.of((event, stamp), lambda: self._control_of(event, stamp))
        except LimitError as error:
            self.refuse(f"control event: {error}", stamp)
            return
        if not self._pass_on(control, event):
            self.counters["dropped"] += 1
            self._log(
                Decision.DROPPED, stamp=control.stamp, reason="link queue full: control event"
            )

    def set_aside(self, reason: str, raw: bytes) -> None:
        """Accept what could not be read; see `Sink`."""
        self.counters["malformed"] += 1
        self.aside.append((reason, raw[:1024]))
        self._log(Decision.REFUSED, reason=reason[:REASON])

    def refuse(self, reason: str, stamp: NativeStamp | None, subject: str = "") -> None:
        """Count and log an event that may not enter."""
        identity = from_native(stamp)[0] if stamp is not None else None
        self._refuse(reason, identity, subject)

    def _hear(self, native: Native, stamp: NativeStamp | None, token: int) -> None:
        self.counters["received"] += 1
        try:
            made = self._context.mapping.events_of(native)
        except FesError as error:
            self.refuse(str(error), stamp)
            return
        own = self._stamper.next(native.time_us) if stamp is None else stamp
        identity, via = from_native(own)
        for gone in made.left_out:
            self.counters["left_out"] += 1
            reason = gone.reason[:REASON]
            self._log(
                Decision.LEFT_OUT, stamp=identity, subject=gone.subject[:SHOWN], reason=reason
            )
        for part in made.parts:
            self._pass(part.event, _of_part(identity, part), via, token)

    def _refuse(self, reason: str, stamp: Stamp | None, subject: str) -> None:
        self.counters["refused"] += 1
        self._log(Decision.REFUSED, stamp=stamp, subject=subject[:SHOWN], reason=reason[:REASON])

    def _pass(self, event: Event, stamp: Stamp, via: tuple[str, ...], token: int = 0) -> None:
        matched = self._matching.accepted(event)
        if not matched:
            self.counters["filtered"] += 1
            return
        try:
            message = self._header(event, stamp, via, matched, token)
        except EventError as error:
            self._refuse(str(error), stamp, event.subject)
            return
        self._log(
            Decision.RECEIVED,
            stamp=stamp,
            subject=event.subject,
            path=via,
            session=session_of(event) if event.attributes else "",
        )
        self.acknowledgements.sent(token)
        if self._send(message):
            self.counters["accepted"] += 1
        else:
            self.acknowledgements.answered(token, taken=False)
            self.counters["dropped"] += 1
            self._log(
                Decision.DROPPED, stamp=stamp, subject=event.subject, reason="link queue full"
            )

    def _header(
        self,
        event: Event,
        stamp: Stamp,
        via: tuple[str, ...],
        matched: tuple[int, ...],
        token: int,
    ) -> Heard:
        if is_reserved(event.subject):
            raise EventError(f"subject {event.subject[:60]!r} is reserved")
        check_limits(event, self._context.limits)
        body = binary.encode(event)
        check_size(len(body), self._context.limits)
        for text in attributes.malformed(event) if event.attributes else ():
            self.counters["malformed_attributes"] += 1
            self._log(
                Decision.DEGRADED, stamp=stamp, subject=event.subject[:SHOWN], what=text[:REASON]
            )
        expires_us = attributes.expires_us(event, stamp.time_us) if event.attributes else 0
        return Heard(
            stamp,
            via,
            event.subject,
            matched,
            self.desired,
            expires_us,
            attributes.priority(event) if event.attributes else 0,
            attributes.is_persistent(event) if event.attributes else False,
            body,
            attributes.starts_us(event) if event.attributes else 0,
            token,
        )

    def _control_of(self, event: Event, stamp: NativeStamp | None) -> HeardControl:
        identity = from_native(stamp)[0] if stamp is not None else None
        body = self._control_body(event)
        is_publication = event.parameter("Type") == RequestType.PUBLICATION
        inner = event.parameter("Event") if is_publication else None
        urgency = attributes.priority(inner) if isinstance(inner, Event) else 0
        return HeardControl(identity, body, is_publication, priority=urgency)

    def _control_body(self, event: Event) -> bytes:
        limits = self._context.limits
        check_limits(event, limits)
        inner = event.parameter("Event")
        if isinstance(inner, Event):
            check_limits(inner, limits)
        body = binary.encode(event)
        most = control_bytes(limits) if is_signal(event) else limits.event_bytes + WRAPPING_BYTES
        check_size(len(body), replace(limits, event_bytes=most))
        return body


def control_bytes(limits: Limits) -> int:
    """Return the largest control event accepted, bytes.

    One that contains the largest event, as text.
    """
    return -(-limits.event_bytes // 3) * 4 + WRAPPING_BYTES


def _of_part(stamp: Stamp, part: EventPart) -> Stamp:
    if not part.tag and part.time_us is None:
        return stamp
    moment = stamp.time_us if part.time_us is None else part.time_us
    return Stamp(part.origin(stamp.origin), stamp.epoch, stamp.sequence, moment, stamp.home)
