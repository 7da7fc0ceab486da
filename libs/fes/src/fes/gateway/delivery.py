"""Delivery: received events, from admission to the destinations that requested them.

Source:
    FES thesis, section 5.9.3 (`forward`), made exact in design, section 6.
"""

from collections.abc import Callable, Mapping

import msgspec

from fes.control import ControlEvent
from fes.control.signal import Acknowledgement
from fes.distribution import matches
from fes.errors import ControlEventError, EventError
from fes.gateway.custody.store import Custody, Handover
from fes.gateway.custody.succession import Succession
from fes.gateway.custody.transfer import CustodyTransfer
from fes.gateway.forwarding.announcements import Announcements
from fes.gateway.forwarding.deferred import DeferredEvents
from fes.gateway.forwarding.dispatch import Dispatch
from fes.gateway.forwarding.next_hop import NextHops
from fes.gateway.forwarding.sent_window import SentWindow
from fes.gateway.forwarding.transit import Transit, of_event
from fes.gateway.guidance.guiding import IsWithdrawn
from fes.gateway.inputs import LinkUp
from fes.gateway.outputs import Decided
from fes.gateway.peers.gossip import Gossip
from fes.gateway.requests.desired import DesiredState
from fes.gateway.router import Router
from fes.gateway.scopes.managed import ManagedScopes
from fes.gateway.settings import GatewaySettings
from fes.gateway.turn import Turn
from fes.link.messages import Confirmed, Heard, Taken
from fes.model import Event, Stamp, attributes, binary, check_stamp, is_reserved

HOME = "home is the destination"
"""Why an event is not sent where it was first published."""

SERVED = "another gateway serves this event service"
"""Why an event is not accepted at an event service whose native clients suppress nothing."""

REASON = 300
"""Most characters of a reason that is sent to another gateway."""


class Delivery:
    """Accepts events, and routes them to their destinations.

    Args:
        settings: Of the gateway.
        desired: The desired state of each attached event service.
        gossip: Exchanges presence and requests with other gateways.
        links: Event services whose link is up.
        next_number: Returns numbers, each once.
        scopes: Confines events, and delivers those that mappings or policies apply to.

    Attributes:
        homes_replaced: Events whose stamp named a home that is not an event service of the
            federation.
        has_room: As of `CustodyTransfer`; scopes need it before a policy decides.
        serves_alone: Returns whether of several gateways at an event service one alone serves it.
        to_leader: As of `Dispatch`; the scopes forward by it what another replica manages.
    """

    def __init__(
        self,
        settings: GatewaySettings,
        desired: Mapping[str, DesiredState],
        gossip: Gossip,
        links: Mapping[str, None],
        next_number: Callable[[], int],
        scopes: ManagedScopes,
    ) -> None:
        self._scopes = scopes
        self._settings = settings
        self._desired = desired
        self._signals = gossip.signals
        self._persistent: dict[str, None] = {}
        self._repeating: dict[str, None] = {}
        self._stamping: dict[str, None] = {}
        self.announcements = Announcements(
            dict(desired),
            next_number,
            settings.announcement_us,
            limit_bytes=settings.announced_bytes,
        )
        self.custody = Custody(settings, next_number)
        next_hops = NextHops(settings, links, gossip.presence, self._repeating, self._stamping)
        self._next_hops = next_hops
        dispatch = Dispatch(settings, self.announcements, self._persistent)
        self._marks = SentWindow(settings, self._repeating)
        self.transfer = CustodyTransfer(
            settings,
            self.custody,
            dispatch,
            next_hops.towards,
            self._persistent,
            self._marks,
            scopes.is_withdrawn,
        )
        self.serves_alone = self._repeating.__contains__
        self.has_room, self.to_leader = self.transfer.has_room, dispatch.to_leader
        self._router = Router(settings, links, next_hops, dispatch, self.transfer, self._marks)
        self._deferred = DeferredEvents(settings.waiting, settings.waiting_bytes)
        self.succession = Succession()
        self._services = frozenset(settings.services)
        self.homes_replaced = 0

    @property
    def waiting_bytes(self) -> int:
        """The bytes of events that wait for their `StartTime`."""
        return self._deferred.bytes

    def restore(self, state: Mapping[str, bytes]) -> None:
        """Restore what the journal kept; it is sent once links are up."""
        self._scopes.restore(state)
        self.custody.restore(state)
        self._marks.restore(state)
        self.transfer.restore()

    def reserved_elsewhere(self, key: str, value: bytes | None) -> None:
        """Note what another replica reserved."""
        self._marks.reserved_elsewhere(key, value)

    def link_up(self, service: str, link: LinkUp, turn: Turn) -> None:
        """Deliver to an event service again; what was not answered there is sent again."""
        for known, holds in (
            (self._persistent, link.persistent),
            (self._repeating, not link.suppresses),
            (self._stamping, not link.stamps),
        ):
            known.pop(service, None)
            if holds:
                known[service] = None
        self.succession.forget(service)
        self.transfer.resume(turn, service)

    def tick(self, turn: Turn) -> None:
        """Deliver what is due, expire what is over, and send again what has no answer."""
        self.announcements.expire(turn.own_us, turn)
        for event, destinations in self._deferred.due(turn):
            names = self._scopes.still(event, destinations, turn)
            if names:
                self.route(event, names, turn)
        self._scopes.tick(turn, self)
        self.transfer.tick(turn)

    def is_behind(self, time_us: int) -> bool:
        """Return whether another tick has to follow at once, since one delivers only so many."""
        return self._deferred.is_behind(time_us)

    def withdraw(self, is_withdrawn: IsWithdrawn, subjects: frozenset[str], turn: Turn) -> None:
        """Have no copy delivered that waits and that nobody has a right to any more.

        Args:
            is_withdrawn: Finds these copies.
            subjects: Of the events whose rights have changed.
            turn: Collects what comes of it.
        """
        self._deferred.withdraw(is_withdrawn, subjects)
        self.transfer.withdraw(is_withdrawn, subjects, turn)

    def end_scope(self, scope: str, turn: Turn) -> None:
        """Release or drop what waits for a scope that is about to end."""
        self._scopes.end(scope, turn, self)

    def heard(self, heard: Heard, service: str, turn: Turn) -> None:
        """Accept an event that an adapter received natively."""
        if not heard.token:
            self._heard(heard, service, turn)
            return
        taken = self.succession.admits(heard, service) and self._heard(heard, service, turn)
        self.succession.note(heard, service, taken=taken)
        turn.order(service, Taken(heard.token, taken))

    def route(
        self, event: Transit, names: tuple[str, ...], turn: Turn, *, decided: bool = False
    ) -> bool:
        """Send an event to its destinations once it may be delivered.

        Args:
            event: The event.
            names: Its destinations.
            turn: Collects what comes of it.
            decided: Whether a policy decided that these receive it; then it is accepted also where
                custody is full.

        Returns:
            Whether this gateway is done with the event, or has custody of it.
        """
        if event.starts_us > turn.now.time_us:
            # What goes into custody waits there; for other destinations the event waits here, also
            # where it is persistent and its destination is not.
            kept = tuple(name for name in names if self._is_kept(event, name))
            late = tuple(name for name in names if name not in kept)
            if late:
                self._deferred.add(event, late, turn)
            if not kept:
                return True
            names = kept
        try:
            return self._router.route(event, names, turn, decided=decided)
        except EventError as error:
            turn.decide(of_event("refused", event, reason=f"body: {error}"))
            return True

    def forwarded(
        self, control: ControlEvent, names: tuple[str, ...], turn: Turn, *, listed: bool
    ) -> None:
        """Route an event that another replica received, to the destinations that it found.

        Raises:
            ControlEventError: There is no event in it.
            EventError: The event's attributes are not valid.
        """
        event = _passing(control, _event_in(control), "")
        self._confined(event, names, turn, listed=listed)

    def confirmed(self, confirmed: Confirmed, service: str, turn: Turn) -> None:
        """Accept an adapter's confirmation of an event that it had to publish."""
        self.transfer.confirmed(confirmed, service, turn)

    def publication(
        self, control: ControlEvent, patterns: tuple[str, ...], arrived: str, turn: Turn
    ) -> tuple[str, ...]:
        """Accept an event inside a control event; return its destinations.

        Raises:
            ControlEventError: There is no event in it, or its list names no event service.
            EventError: The event's attributes are not valid.
        """
        given = _event_in(control)
        names = tuple(
            name
            for name in self._settings.services
            if name != control.source and any(matches(pattern, name) for pattern in patterns)
        )
        if not names:
            raise ControlEventError("parameter 'DistList': names no event service")
        stamp = self._ours(control.stamp, control.source)
        control = msgspec.structs.replace(control, stamp=stamp)
        event = _passing(control, given, arrived)
        if control.row and control.giver and arrived:
            self._given(event, names, control, turn)
        else:
            self._enter(event, names, control, turn)
        return names

    def _enter(
        self, event: Transit, names: tuple[str, ...], control: ControlEvent, turn: Turn
    ) -> None:
        """Route an event of a control event, confined where it comes from a client.

        One that comes from a gateway was confined before.
        """
        if control.path:
            names = self._scopes.still(event, names, turn)
            if names:
                self.route(event, names, turn)
        else:
            self._confined(event, names, turn, listed=True)

    def never(self, control: ControlEvent, arrived: str, reason: str, turn: Turn) -> None:
        """Notify the gateway that transfers custody that an event can never be accepted here."""
        if not arrived or control.next_gateway not in ("", self._settings.id):
            return
        answer = Acknowledgement(
            self._settings.id, control.giver, (), (control.row,), reason[:REASON]
        )
        self._signals.answer(answer, arrived, turn)

    def _heard(self, heard: Heard, service: str, turn: Turn) -> bool:
        try:
            check_stamp(heard.stamp)
        except EventError as error:
            turn.decide(Decided("refused", from_=service, reason=str(error)))
            return True
        stamp, via = self._ours(heard.stamp, service), heard.via
        sources = self._desired[service].sources(heard.matched)
        names = elsewhere(sources, service, stamp.home)
        event = Transit(
            str(stamp.identity),
            stamp,
            heard.subject,
            heard.body,
            heard.expires_us,
            heard.persistent,
            service,
            via if via[-1:] == (service,) else (*via, service),
            (),
            heard.priority,
            heard.starts_us,
        )
        if heard.token and not self._desired[service].knows(heard.matched):
            # The adapter outlived the gateway process before this one, and has not received the new
            # numbers yet.
            turn.decide(of_event("refused", event, reason="subscription of before"))
            return False
        if stamp.home in sources and stamp.home != service:
            turn.decide(of_event("dropped", event, to=stamp.home, reason=HOME))
        if not names:
            if stamp.home not in sources:
                turn.decide(of_event("dropped", event, reason="no subscription"))
            return True
        if is_reserved(heard.subject):
            turn.decide(of_event("refused", event, reason="reserved subject"))
            return True
        if self._next_hops.is_served(event):
            ours = self._scopes.managed(stamp.home, names)
            left = ",".join(name for name in names if name not in ours)
            if left:
                turn.decide(of_event("suppressed", event, to=left, reason=SERVED))
            if not ours:
                return True
            names = ours
        turn.decide(of_event("matched", event, to=",".join(names)))
        return self._confined(event, names, turn)

    def _ours(self, stamp: Stamp, service: str) -> Stamp:
        """Return a stamp whose home is an event service, whatever the client wrote there."""
        if stamp.home in self._services:
            return stamp
        self.homes_replaced += 1
        return msgspec.structs.replace(stamp, home=self._settings.home_of(stamp.home, service))

    def _confined(
        self, event: Transit, names: tuple[str, ...], turn: Turn, *, listed: bool = False
    ) -> bool:
        """Route an event to the destinations that scopes permit, mapped as they specify."""
        try:
            names, taken = self._scopes.confine(event, names, turn, self, listed=listed)
        except EventError as error:
            turn.decide(of_event("refused", event, reason=f"body: {error}"))
            return True
        return (self.route(event, names, turn) if names else True) and taken

    def _is_kept(self, event: Transit, destination: str) -> bool:
        return event.persistent and self.transfer.keeps(event, destination)

    def _given(
        self, event: Transit, names: tuple[str, ...], control: ControlEvent, turn: Turn
    ) -> None:
        handover = Handover(control.giver, control.row)
        names = self._scopes.still(event, names, turn)
        if not names or self._router.route_gift(event, names, handover, control.after, turn):
            answer = Acknowledgement(self._settings.id, control.giver, (control.row,))
            self._signals.answer(answer, event.arrived, turn)


def elsewhere(sources: tuple[str, ...], service: str, home: str) -> tuple[str, ...]:
    """Return the event services that requested an event, but its home and where it was received."""
    return tuple([name for name in sources if name not in (service, home)])


def _event_in(control: ControlEvent) -> Event:
    if control.event is None:
        raise ControlEventError("parameter 'Event' is missing")
    return control.event


def _passing(control: ControlEvent, event: Event, arrived: str) -> Transit:
    return Transit(
        control.id,
        control.stamp,
        event.subject,
        binary.encode(event),
        attributes.expires_us(event, control.stamp.time_us),
        attributes.is_persistent(event),
        arrived or control.source,
        control.via or (control.source,),
        control.path,
        attributes.priority(event),
        attributes.starts_us(event),
    )
