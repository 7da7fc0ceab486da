"""Managed scopes: events on whose path mappings or policies are, at the gateway that manages.

One gateway manages at a time: the first one of the file that is attached to every event service
whose events pass a mapping or policy. Its replicas share its journal; only the one that leads
manages.
"""

from collections.abc import Callable, Mapping
from typing import Protocol

import msgspec
from eventservices.suppress import Suppressor

from fes.errors import EventError
from fes.gateway.custody.store import RENEWALS
from fes.gateway.custody.transfer import MEMBERSHIP_WITHDRAWN
from fes.gateway.forwarding.transit import Transit, of_event
from fes.gateway.journal_keys import END
from fes.gateway.outputs import Decided, DropRow, PutRow
from fes.gateway.requests.confinement import Confinement
from fes.gateway.requests.row import Row
from fes.gateway.scopes.audience import Requests
from fes.gateway.scopes.changes import ScopeChanges
from fes.gateway.settings import GatewaySettings
from fes.gateway.turn import Turn
from fes.model import Event, attributes, binary
from fes.scopes import (
    CompiledRouter,
    Delivered,
    Outcome,
    ScopeManager,
    ScopeState,
    tagged,
    untagged,
)
from fes.scopes.identity import is_derived
from fes.scopes.passage import Passage

PREFIX = f"scope{END}"
"""What the keys of rows begin with that keep the state of scopes."""

LATER = "scopes: its destination joined after it was published"
INVISIBLE = "scopes: not visible"
BLOCKED = "scopes: an interface blocks it"
ELSEWHERE = "scopes: another gateway manages them"
SURFACED = "scopes: it was managed where it was published"
FULL = "scopes: custody is full"


class Onward(Protocol):
    """Sends events to their destinations."""

    def route(
        self, event: Transit, names: tuple[str, ...], turn: Turn, *, decided: bool = False
    ) -> bool:
        """Send an event; return whether this gateway is done with it, or has custody of it."""

    def serves_alone(self, service: str) -> bool:
        """Return whether of several gateways at an event service one alone serves it."""

    def has_room(self, event: Transit, destination: str) -> bool:
        """Return whether an event would be accepted for a destination."""

    def to_leader(
        self, event: Transit, names: tuple[str, ...], turn: Turn, *, listed: bool
    ) -> None:
        """Have the replica that leads route an event."""


class ManagedScopes:
    """Confines events, and delivers those that mappings or policies apply to.

    Args:
        settings: Of the gateway.
        confinement: What passes between event services.
        wanted: Returns the requests for an event service, as their clients made them.
        changes: Of the scopes: who manages them now, and whom they parted.
        leads: Returns whether this is the replica that leads, or the only one.
    """

    def __init__(
        self,
        settings: GatewaySettings,
        confinement: Confinement,
        wanted: Callable[[str], tuple[Row, ...]],
        changes: ScopeChanges,
        leads: Callable[[], bool],
    ) -> None:
        self._confinement = confinement
        self._graph = settings.scopes
        self._requests = Requests(wanted)
        self._changes = changes
        self._leads = leads
        self._horizon_us = settings.retransmission_us
        self._seen = Suppressor(settings.window, settings.origins)
        self._router = CompiledRouter(settings.scopes)
        self._manager = self._made(ScopeState())

    @property
    def _manages(self) -> bool:
        return self._changes.administration.manages and self._leads()

    def restore(self, state: Mapping[str, bytes]) -> tuple[str, ...]:
        """Restore what the journal kept; return the keys of rows that cannot be read."""
        kept = ScopeState()
        rows = {
            key.removeprefix(PREFIX): value
            for key, value in state.items()
            if key.startswith(PREFIX)
        }
        unreadable = kept.restore(rows)
        self._manager = self._made(kept)
        return unreadable

    def confine(
        self,
        event: Transit,
        names: tuple[str, ...],
        turn: Turn,
        onward: Onward,
        *,
        listed: bool = False,
    ) -> tuple[tuple[str, ...], bool]:
        """Deliver what is managed; return the destinations to which an event goes unchanged.

        The second value is false where what is managed was not accepted, so that its source has to
        deliver the event again.

        Args:
            event: The event.
            names: Event services that requested it, or that its list names.
            turn: Collects what comes of it.
            onward: Sends the events that scopes make from it.
            listed: Whether its list names these, so that no subscription decides.

        Raises:
            EventError: The body is not an event.
        """
        if not self._confinement.confines:
            return names, True
        publisher = event.stamp.home
        if event.arrived != publisher and is_derived(event.stamp):
            turn.decide(of_event("suppressed", event, to=",".join(names), reason=SURFACED))
            return (), True
        plain: list[str] = []
        managed: list[str] = []
        read: Event | None = None
        for name in names:
            passage = self._passage(publisher, name, onward)
            if not passage.open:
                turn.decide(of_event("dropped", event, to=name, reason=INVISIBLE))
            elif passage.managed:
                managed.append(name)
            elif passage.is_free:
                plain.append(name)
            else:
                read = read or binary.decode(event.body)
                if passage.test(read) is True:
                    plain.append(name)
                else:
                    turn.decide(of_event("dropped", event, to=name, reason=BLOCKED))
        ours = self._taken_over(publisher, tuple(plain))
        taken = not ours or self._route_alone(event, ours, turn, onward)
        if managed and event.arrived != publisher:
            # What was delivered here is received here again; its home did not publish it.
            turn.decide(of_event("suppressed", event, to=",".join(managed), reason=SURFACED))
        elif managed:
            taken = self._manage(event, tuple(managed), turn, onward, listed=listed) and taken
        rest = tuple(name for name in plain if name not in ours)
        return self.still(event, rest, turn), taken

    def _route_alone(
        self, event: Transit, names: tuple[str, ...], turn: Turn, onward: Onward
    ) -> bool:
        """Send an event that others leave to this gateway; return whether it was accepted."""
        alone = msgspec.structs.replace(event, alone=True)
        return onward.route(alone, self.still(event, names, turn), turn)

    def managed(self, home: str, names: tuple[str, ...]) -> tuple[str, ...]:
        """Return the destinations that an event reaches by this gateway alone: it manages them."""
        if not self._changes.administration.manages:
            return ()
        passage = self._confinement.passage
        managed = tuple(name for name in names if passage(home, name).managed)
        return (*managed, *self._taken_over(home, names))

    def _passage(self, home: str, name: str, onward: Onward) -> Passage:
        """Return by what an event is confined.

        Where the gateway that manages does not know yet that it does, this one goes on as before,
        if it alone sends such events: nobody would receive them.
        """
        now = self._confinement.passage(home, name)
        administration = self._changes.administration
        if not now.managed or administration.manages or self._confinement.is_settled:
            return now
        if not (onward.serves_alone(home) or onward.serves_alone(name)):
            return now
        known = self._changes.known_to(administration.manager)
        before = next(self._confinement.earlier(home, name, known))
        return now if before.managed else before

    def _taken_over(self, home: str, names: tuple[str, ...]) -> tuple[str, ...]:
        """Return the destinations of unmanaged events that other gateways may leave to this one.

        They do until they know that nothing is managed there any more.
        """
        confinement = self._confinement
        if confinement.is_settled or not self._changes.administration.manages:
            return ()

        def was_managed(name: str, since: int) -> bool:
            return any(each.managed for each in confinement.earlier(home, name, since))

        now = (name for name in names if not confinement.passage(home, name).managed)
        # Few destinations were: what all gateways know is counted for these only.
        perhaps = [name for name in now if was_managed(name, 0)]
        if not perhaps:
            return ()
        known = self._changes.known_to_all()
        return tuple(name for name in perhaps if was_managed(name, known))

    def still(self, event: Transit, names: tuple[str, ...], turn: Turn) -> tuple[str, ...]:
        """Return the destinations of an event in transit that may still receive it.

        It was confined where it was first received, in the generation of that gateway; a
        membership that was withdrawn since stops it. Whoever joined after it was published does
        not receive it, though a gateway that was away may receive it first afterwards.
        """
        changes, home = self._changes, event.stamp.home
        if not (changes.withdrawn or changes.opened):
            return names
        kept = []
        for name in names:
            if self.is_withdrawn(home, name):
                turn.decide(of_event("dropped", event, to=name, reason=MEMBERSHIP_WITHDRAWN))
            elif self._was_before(event, changes.opened.get((home, name), 0)):
                turn.decide(of_event("dropped", event, to=name, reason=LATER))
            else:
                kept.append(name)
        return tuple(kept)

    def is_withdrawn(self, home: str, name: str) -> bool:
        """Return whether what was published at one event service is not visible at another now."""
        return (home, name) in self._changes.withdrawn

    def _was_before(self, event: Transit, since_us: int) -> bool:
        """Return whether an event was published before a moment, by a clock that may be right."""
        return 0 < since_us - event.stamp.time_us < self._horizon_us

    def tick(self, turn: Turn, onward: Onward) -> None:
        """Release the events that waited long enough."""
        if not self._manages:
            return
        self._manager.state.handled.expire(turn.own_us - self._horizon_us)
        self._commit(turn)
        if self._manager.state.queue.next_due_us:
            outcome = self._manager.tick(turn.now.time_us)
            self._perform(outcome, None, None, turn, onward)

    def end(self, scope: str, turn: Turn, onward: Onward) -> None:
        """Release or drop what waits for a scope that is about to end."""
        if self._manages:
            self._perform(self._manager.end(scope, turn.now.time_us), None, None, turn, onward)

    def _manage(
        self,
        event: Transit,
        names: tuple[str, ...],
        turn: Turn,
        onward: Onward,
        *,
        listed: bool,
    ) -> bool:
        """Have the manager route an event; return whether it was accepted.

        It is accepted for all that receive it, or, before anything is decided, for none: a policy
        that decides about it again would choose others.
        """
        to = ",".join(names)
        if not self._changes.administration.manages:
            turn.decide(of_event("suppressed", event, to=to, reason=ELSEWHERE))
            return True
        if not self._leads():
            onward.to_leader(event, names, turn, listed=listed)
            return True
        read, session = untagged(binary.decode(event.body))
        if self._is_repeated(event, turn):
            turn.decide(of_event("suppressed", event, to=to, reason="repeated"))
            return True
        if event.persistent:
            full = [name for name in names if not onward.has_room(event, name)]
            if full:
                turn.decide(of_event("refused", event, to=",".join(full), reason=FULL))
                return False
            self._manager.state.handled.add(_key(event), turn.own_us)
        now_us, publisher = turn.now.time_us, event.stamp.home
        only = names if listed else ()
        outcome = self._manager.publish(publisher, read, event.stamp, now_us, session, only)
        self._perform(outcome, event, frozenset(names), turn, onward)
        return True

    def _is_repeated(self, event: Transit, turn: Turn) -> bool:
        """Return whether policies decided about an event before.

        A best-effort one is remembered as long as this process lives.
        """
        if not event.persistent:
            return self._seen.repeated(event.stamp)
        handled, key = self._manager.state.handled, _key(event)
        if key not in handled:
            return False
        handled.renew(key, turn.own_us, self._horizon_us // RENEWALS)
        self._commit(turn)
        return True

    def _perform(
        self,
        outcome: Outcome,
        event: Transit | None,
        names: frozenset[str] | None,
        turn: Turn,
        onward: Onward,
    ) -> None:
        self._commit(turn)
        for reason, name in outcome.dropped:
            turn.decide(Decided("dropped", name, reason=f"scopes: {reason}"))
        for each in outcome.deliveries:
            made = event is None or str(each.stamp.identity) != event.id
            if names is not None and each.consumer not in names and not made:
                continue
            try:
                passing = _passing(each, event, turn)
            except EventError as error:
                made_id = str(each.stamp.identity)
                turn.decide(
                    Decided("refused", made_id, to=each.consumer, reason=f"scopes: {error}")
                )
                continue
            self._requests.delivered[each.consumer] += 1
            turn.decide(of_event("matched", passing, to=each.consumer, what="scopes"))
            onward.route(passing, (each.consumer,), turn, decided=True)

    def _commit(self, turn: Turn) -> None:
        for key, value in self._manager.state.changes().items():
            name = PREFIX + key
            turn.mutations.append(DropRow(name) if value is None else PutRow(name, value))

    def _made(self, state: ScopeState) -> ScopeManager:
        return ScopeManager(self._graph, self._router, self._requests, state)


def _key(event: Transit) -> str:
    return "/".join(map(str, event.stamp.key))


def _passing(delivered: Delivered, event: Transit | None, turn: Turn) -> Transit:
    """Return a delivered event as one in transit.

    Args:
        delivered: The event that the scopes made.
        event: The event that it was made from; None where it waited, so that it is not a repetition
            however late it is.
        turn: The turn.

    Raises:
        EventError: An attribute is malformed.
    """
    stamp, now_us = delivered.stamp, turn.now.time_us
    made = tagged(delivered.event, delivered.session) if delivered.session else delivered.event
    starts_us = attributes.starts_us(made)
    passing = Transit(
        str(stamp.identity),
        stamp,
        made.subject,
        binary.encode(made),
        attributes.expires_us(made, now_us if event is None else stamp.time_us),
        attributes.is_persistent(made),
        stamp.home,
        (stamp.home,),
        (),
        attributes.priority(made),
        max(starts_us, now_us) if event is None else starts_us,
        alone=True,
    )
    if event is None:
        return passing
    return msgspec.structs.replace(passing, arrived=event.arrived, via=event.via, path=event.path)
