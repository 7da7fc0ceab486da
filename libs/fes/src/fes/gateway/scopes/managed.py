"""Managed scopes: events on whose path mappings or policies are, at the gateway that manages.

One gateway manages at a time: the first one of the file that is attached to every event service
whose events pass a mapping or policy. Its replicas share its journal; only the one that leads
manages.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping

import msgspec

from fes.filter import Filter
from fes.gateway.forwarding.transit import Transit, of_event
from fes.gateway.journal_keys import END
from fes.gateway.outputs import Decided, DropRow, PutRow
from fes.gateway.requests.confinement import Confinement
from fes.gateway.requests.row import Row
from fes.gateway.scopes.changes import ScopeChanges
from fes.gateway.turn import Turn
from fes.model import Event, attributes, binary
from fes.scopes import (
    CompiledRouter,
    Delivered,
    Graph,
    Outcome,
    ScopeManager,
    ScopeState,
    tagged,
    untagged,
)
from fes.scopes.identity import is_derived

PREFIX = f"scope{END}"
"""What the keys of rows begin with that keep the state of scopes."""

LATER = "scopes: its destination joined after it was published"
WITHDRAWN = "scopes: the membership was withdrawn"
INVISIBLE = "scopes: not visible"
BLOCKED = "scopes: an interface blocks it"
ELSEWHERE = "scopes: another gateway manages them"
SURFACED = "scopes: it was managed where it was published"

Route = Callable[[Transit, tuple[str, ...], Turn], bool]
"""Sends an event to its destinations."""


class Requests:
    """The subscriptions in the request table, in the form that the scope manager needs.

    Args:
        wanted: Returns the requests for an event service, as their clients made them.
    """

    def __init__(self, wanted: Callable[[str], Iterable[Row]]) -> None:
        self._wanted = wanted
        self._filters: dict[str, Filter] = {}
        self._of: dict[str, list[Filter]] = {}

        self.delivered: Counter[str] = Counter()

    def listen_to(self, publisher: str) -> None:
        """Consider from now on the subscriptions to what an event service's clients publish."""
        self._of = {}
        filters = {}
        for row in self._wanted(publisher):
            if not row.body:
                known = self._filters.get(row.what) or Filter.of(row.filter)
                filters[row.what] = known
                self._of.setdefault(row.source, []).append(known)
        self._filters = filters

    def matching(self, event: Event) -> Iterable[str]:
        """Return the event services with a matching subscription."""
        return [name for name in self._of if self.matches(name, event)]

    def matches(self, consumer: str, event: Event) -> bool:
        """Return whether an event service has a matching subscription."""
        return any(each.matches(event) for each in self._of.get(consumer, ()))

    def is_present(self, consumer: str) -> bool:
        """Return whether an event service has subscribed at all."""
        return consumer in self._of

    def load(self, member: str) -> int:
        """Return how many events a member received."""
        return self.delivered[member]


class ManagedScopes:
    """Confines events, and delivers those that mappings or policies apply to.

    Args:
        graph: The scopes.
        confinement: What passes between event services.
        wanted: Returns the requests for an event service, as their clients made them.
        changes: Of the scopes: who manages them now, and whom they parted.
        horizon_us: How long after it was published a copy of an event may still come.
    """

    def __init__(
        self,
        graph: Graph,
        confinement: Confinement,
        wanted: Callable[[str], Iterable[Row]],
        changes: ScopeChanges,
        horizon_us: int,
    ) -> None:
        self._confinement = confinement
        self._graph = graph
        self._requests = Requests(wanted)
        self._changes = changes
        self._horizon_us = horizon_us
        self._router = CompiledRouter(graph)
        self._manager = self._made(ScopeState())

    @property
    def _manages(self) -> bool:
        return self._changes.administration.manages

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
        self, event: Transit, names: tuple[str, ...], turn: Turn, route: Route
    ) -> tuple[tuple[str, ...], bool]:
        """Deliver what is managed; return the destinations to which an event goes unchanged.

        The second value is false where what is managed was not accepted, so that its source has to
        deliver the event again.

        Args:
            event: The event.
            names: Event services that requested it, or that its list names.
            turn: Collects what comes of it.
            route: Sends the events that scopes make from it.

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
            passage = self._confinement.passage(publisher, name)
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
        taken = True
        if managed and event.arrived != publisher:
            # What was delivered here is received here again; its home did not publish it.
            turn.decide(of_event("suppressed", event, to=",".join(managed), reason=SURFACED))
        elif managed:
            taken = self._manage(event, tuple(managed), turn, route)
        return self.still(event, tuple(plain), turn), taken

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
            if (home, name) in changes.withdrawn:
                turn.decide(of_event("dropped", event, to=name, reason=WITHDRAWN))
            elif self._was_before(event, changes.opened.get((home, name), 0)):
                turn.decide(of_event("dropped", event, to=name, reason=LATER))
            else:
                kept.append(name)
        return tuple(kept)

    def _was_before(self, event: Transit, since_us: int) -> bool:
        """Return whether an event was published before a moment, by a clock that may be right."""
        return 0 < since_us - event.stamp.time_us < self._horizon_us

    def tick(self, turn: Turn, route: Route) -> None:
        """Release the events that waited long enough."""
        if not self._manages:
            return
        self._manager.state.handled.expire(turn.own_us - self._horizon_us)
        self._commit(turn)
        if self._manager.state.queue.next_due_us:
            outcome = self._manager.tick(turn.now.time_us)
            self._perform(outcome, None, None, turn, route)

    def end(self, scope: str, turn: Turn, route: Route) -> None:
        """Release or drop what waits for a scope that is about to end."""
        if self._manages:
            self._perform(self._manager.end(scope, turn.now.time_us), None, None, turn, route)

    def _manage(self, event: Transit, names: tuple[str, ...], turn: Turn, route: Route) -> bool:
        """Have the manager route an event; return whether all that it delivers was accepted."""
        if not self._manages:
            turn.decide(of_event("suppressed", event, to=",".join(names), reason=ELSEWHERE))
            return True
        handled, key = self._manager.state.handled, "/".join(map(str, event.stamp.key))
        if key in handled:  # a policy might choose another member this time
            turn.decide(of_event("suppressed", event, to=",".join(names), reason="repeated"))
            return True
        read, session = untagged(binary.decode(event.body))
        now_us = turn.now.time_us
        publisher = event.stamp.home
        outcome = self._manager.publish(publisher, read, event.stamp, now_us, session)
        taken = self._perform(outcome, event, frozenset(names), turn, route)
        if taken and event.persistent:
            handled.add(key, turn.own_us)
            self._commit(turn)
        return taken

    def _perform(
        self,
        outcome: Outcome,
        event: Transit | None,
        names: frozenset[str] | None,
        turn: Turn,
        route: Route,
    ) -> bool:
        taken = True
        self._commit(turn)
        for reason, name in outcome.dropped:
            turn.decide(Decided("dropped", name, reason=f"scopes: {reason}"))
        for each in outcome.deliveries:
            late = event is None or str(each.stamp.identity) != event.id
            if names is None or each.consumer in names or late:
                self._requests.delivered[each.consumer] += 1
                passing = _passing(each, event, turn, late=event is None)
                turn.decide(of_event("matched", passing, to=each.consumer, what="scopes"))
                taken = route(passing, (each.consumer,), turn) and taken
        return taken

    def _commit(self, turn: Turn) -> None:
        for key, value in self._manager.state.changes().items():
            name = PREFIX + key
            turn.mutations.append(DropRow(name) if value is None else PutRow(name, value))

    def _made(self, state: ScopeState) -> ScopeManager:
        return ScopeManager(self._graph, self._router, self._requests, state)


def _passing(delivered: Delivered, event: Transit | None, turn: Turn, *, late: bool) -> Transit:
    """Return a delivered event as one in transit.

    Args:
        delivered: The event that the scopes made.
        event: The event that it was made from; None where it waited.
        turn: The turn.
        late: Whether it waited, so that it is not a repetition however late it is.
    """
    stamp = delivered.stamp
    made = tagged(delivered.event, delivered.session) if delivered.session else delivered.event
    since_us = turn.now.time_us if late else stamp.time_us
    passing = Transit(
        str(stamp.identity),
        stamp,
        made.subject,
        binary.encode(made),
        attributes.expires_us(made, since_us),
        attributes.is_persistent(made),
        stamp.home,
        (stamp.home,),
        (),
        attributes.priority(made),
        turn.now.time_us if late else 0,
    )
    if event is None:
        return passing
    return msgspec.structs.replace(passing, arrived=event.arrived, via=event.via, path=event.path)
