"""The scope manager: delivers events as the scopes have it; sans-IO.

Time comes as an argument, and equal inputs lead to equal outputs. The caller commits the changes of
`ScopeState` and then performs the deliveries.

Source:
    Fiege et al., Engineering Event-Based Systems with Scopes, sections 3 and 4.
"""

from heapq import heappop, heappush

from fes.model import Event, Stamp
from fes.scopes.graph import Graph
from fes.scopes.identity import derived
from fes.scopes.journal import ScopeState
from fes.scopes.journey import Delivered, Dropped, Journey, Outcome
from fes.scopes.lifetime import remaining
from fes.scopes.policies.waiting import Waiting
from fes.scopes.progress import Progress
from fes.scopes.routing.publication import (
    Audience,
    Content,
    Phase,
    Publication,
    Router,
)
from fes.scopes.sessions import session_between
from fes.scopes.station import Stations

MAX_SEGMENTS = 10_000
"""Most segments of one event's paths; what would be above it is dropped and counted."""

RELEASED = 1000
"""Most waiting events that are released in one turn."""

_FURTHER = -1
"""Denotes, in a lineage, a copy that a further path makes."""


class ScopeManager:
    """Routes events through scopes and keeps the state of their policies.

    Args:
        graph: The scopes; it may change between calls.
        router: One of the three.
        audience: Who has subscribed to what.
        state: As restored from the journal.
    """

    def __init__(self, graph: Graph, router: Router, audience: Audience, state: ScopeState) -> None:
        self.graph = graph
        self.state = state
        self._router = router
        self._audience = audience
        self._stations = Stations(graph, audience, state)

    def publish(
        self,
        publisher: str,
        event: Event,
        stamp: Stamp,
        now_us: int,
        context: str = "",
        listed: tuple[str, ...] = (),
    ) -> Outcome:
        """Route an event that a component published.

        Args:
            publisher: The component; unknown ones publish to nobody.
            event: The event.
            stamp: Its identity.
            now_us: Federation clock.
            context: Session that the component reacts in; empty for none.
            listed: The only consumers that may receive it, whether or not they subscribed; empty
                where subscriptions decide.
        """
        outcome = Outcome()
        if publisher not in self.graph:
            return outcome
        key = "/".join(map(str, stamp.key))
        progress = Progress()
        journey = Journey(
            key,
            stamp,
            publisher,
            now_us,
            stamp.time_us,
            self.graph.generation,
            progress,
            outcome,
            context,
            listed,
        )
        first = Publication(publisher, publisher, Phase.MEMBER, (Content(event),), context=context)
        self._route(first, journey)
        self._release_all(now_us, outcome)
        return outcome

    def tick(self, now_us: int) -> Outcome:
        """Release what waited long enough.

        Args:
            now_us: Federation clock.
        """
        outcome = Outcome()
        for row in self.state.queue.due(now_us, RELEASED):
            self._release(row, now_us, outcome)
        self._release_all(now_us, outcome)
        return outcome

    def end(self, scope: str, now_us: int) -> Outcome:
        """Release or drop what waits for a scope's publishing policy, before the scope ends.

        Raises:
            ScopeError: There is no such scope.
        """
        outcome = Outcome()
        drops = self.graph.scope(scope).publishing.drop_at_end
        for row in self.state.queue.of(scope):
            if drops:
                self._drop(row, Dropped.ENDED, outcome)
            else:
                self._release(row, now_us, outcome)
        self._release_all(now_us, outcome)
        return outcome

    def _drop(self, row: Waiting, reason: Dropped, outcome: Outcome) -> None:
        self.state.queue.remove(row)
        outcome.drop(reason, row.stamp)
        self._settle(row.event_key)

    def _settle(self, key: str) -> None:
        self.state.keep(key, self.state.progress.get(key) or Progress())

    def _release(self, row: Waiting, now_us: int, outcome: Outcome) -> None:
        if row.scope not in self.graph.supers(row.member):
            self._drop(row, Dropped.WITHDRAWN, outcome)
            return
        contents = tuple(
            Content(event, lineage)
            for made, lineage in row.contents
            if (event := remaining(made, row.since_us, now_us)) is not None
        )
        if not contents:
            self._drop(row, Dropped.EXPIRED, outcome)
            return
        progress = self.state.progress.get(row.event_key) or Progress()
        self.state.queue.remove(row)
        journey = Journey(
            row.event_key,
            row.stamp,
            row.publisher,
            now_us,
            now_us,
            row.generation,
            progress,
            outcome,
            row.context,
            row.listed,
        )
        publication = Publication(
            row.publisher,
            row.scope,
            Phase.RISING,
            contents,
            row.mappings,
            row.chain,
            row.context,
            climbed=frozenset(row.climbed),
        )
        self._route(publication, journey)

    def _route(self, first: Publication, journey: Journey) -> None:
        self._audience.listen_to(journey.publisher, journey.listed)
        heap = [(first.rank, 0, first)]
        segments = 1
        while heap:
            publication = heappop(heap)[2]
            reached = self._router.reach(publication, self._audience)
            for consumer in sorted(reached.consumers):
                self._deliver(consumer, reached.consumers[consumer], publication, journey)
            for further in self._stations.pass_on(reached.stations, publication, journey):
                if segments >= MAX_SEGMENTS:
                    journey.outcome.drop(Dropped.SEGMENTS, journey.stamp)
                    break
                heappush(heap, (further.rank, segments, further))
                segments += 1
        self.state.keep(journey.key, journey.progress)

    def _release_all(self, now_us: int, outcome: Outcome) -> None:
        """Release what waited for conditions that came true, also by what is released."""
        while scopes := self._stations.released():
            for scope in scopes:
                for row in self.state.queue.of(scope):
                    self._release(row, now_us, outcome)

    def _deliver(
        self, consumer: str, contents: list[Content], publication: Publication, journey: Journey
    ) -> None:
        served = consumer in journey.progress.served
        if served and not self.graph.takes_each_path(consumer):
            return
        if self._joined_since(consumer, journey):
            journey.outcome.drop(Dropped.LATER, journey.stamp)
            return
        journey.progress.served.add(consumer)
        bound = publication.session
        if not bound and self.graph.sessions:
            bound = session_between(self.graph, journey.publisher, consumer, journey.context)
        for event, lineage in contents:
            made = lineage
            if served:
                made = (*lineage, *((number, _FURTHER) for number in publication.chain))
            stamp = derived(journey.stamp, made) if made else journey.stamp
            journey.outcome.deliveries.append(
                Delivered(consumer, event, stamp, bound, publication.mappings, publication.chain)
            )

    def _joined_since(self, consumer: str, journey: Journey) -> bool:
        """Return whether a consumer was in no scope yet when an event was first received."""
        if journey.generation == self.graph.generation:
            return False
        graph = self.graph
        edges = (
            edge
            for each in (consumer, *graph.clients_of(consumer))
            for edge in graph.memberships(each)
        )
        return all(graph.since(edge) > journey.generation for edge in edges)
