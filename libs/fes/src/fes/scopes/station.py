"""What stations make of the events that arrive: mappings, waiting, and choosing."""

from collections.abc import Mapping
from dataclasses import replace

from fes.scopes.declared import Client, Edge, Scope, component_of, passes
from fes.scopes.graph import Graph
from fes.scopes.journal import ScopeState
from fes.scopes.journey import Dropped, Journey
from fes.scopes.policies.declared import Publishing, Traverse, Turn
from fes.scopes.policies.waiting import Waiting
from fes.scopes.routing.eligible import Eligibility
from fes.scopes.routing.publication import (
    Arrival,
    Audience,
    Content,
    Phase,
    Publication,
    Station,
)

KINDS = 4
"""Numbers of stations for each number of an edge or scope."""


class Stations:
    """The stations of a graph.

    Args:
        graph: The scopes.
        audience: Who has subscribed to what.
        state: Of policies and mappings.
    """

    def __init__(self, graph: Graph, audience: Audience, state: ScopeState) -> None:
        self._graph = graph
        self._audience = audience
        self._state = state
        self._released: list[str] = []

    def pass_on(
        self, stations: Mapping[Station, Arrival], publication: Publication, journey: Journey
    ) -> list[Publication]:
        """Return what stations publish of what arrived; each accepts an event at most once.

        Args:
            stations: What arrived.
            publication: The segment that it arrived by.
            journey: The event.
        """
        further = []
        for number, station in sorted((self._number(each), each) for each in stations):
            if station in journey.progress.visited:
                continue
            journey.progress.visited.add(station)
            made = self._make(station, number, stations[station], publication, journey)
            if made is not None and made.contents:
                further.append(made)
        return further

    def released(self) -> list[str]:
        """Return the scopes whose condition came true since the last call."""
        released, self._released = self._released, []
        return released

    def _make(
        self,
        station: Station,
        number: int,
        arrival: Arrival,
        publication: Publication,
        journey: Journey,
    ) -> Publication | None:
        match station.kind:
            case "up":
                return self._up(station, number, arrival, publication, journey)
            case "down":
                return self._down(station, number, arrival, publication)
            case _:
                return self._gate(station, number, arrival, publication)

    def _up(
        self,
        station: Station,
        number: int,
        arrival: Arrival,
        publication: Publication,
        journey: Journey,
    ) -> Publication:
        edge = self._graph.supers(station.member)[station.scope]
        contents = self._mapped(edge, arrival.contents, number, up=True)
        choice = self._graph.choice_of(edge)
        if choice is not None:
            contents = [content for content in contents if choice.matches(content.event)]
        made = Publication(
            publication.publisher,
            station.scope,
            Phase.RISING,
            tuple(contents),
            publication.mappings + bool(edge.up),
            (*publication.chain, number),
            arrival.context,
            climbed=publication.climbed | {(edge.member, edge.scope)},
        )
        node = self._graph.nodes[station.member]
        if isinstance(node, Scope) and node.publishing.holds_back:
            return self._held_back(made, node, journey)
        return made

    def _held_back(self, publication: Publication, scope: Scope, journey: Journey) -> Publication:
        """Queue the events that a publishing policy delays; return those that go at once."""
        policy = scope.publishing
        which = policy.which
        waits = [c for c in publication.contents if which is None or which.matches(c.event)]
        if not waits:
            return publication
        self._wait(publication, waits, scope.name, policy, journey)
        kept = tuple(content for content in publication.contents if content not in waits)
        return replace(publication, contents=kept)

    def _wait(
        self,
        publication: Publication,
        contents: list[Content],
        member: str,
        policy: Publishing,
        journey: Journey,
    ) -> None:
        queue = self._state.queue
        row = Waiting(
            queue.next_number(),
            journey.key,
            journey.stamp,
            member,
            publication.origin,
            tuple((content.event, content.lineage) for content in contents),
            journey.now_us + policy.delay_us if policy.delay_us else 0,
            journey.since_us,
            publication.publisher,
            publication.mappings,
            publication.chain,
            publication.context,
            tuple(sorted(publication.climbed)),
            journey.generation,
            journey.listed,
        )
        gone = queue.add(row, policy)
        journey.outcome.waiting += 1
        if gone is not None:
            journey.outcome.drop(Dropped.OVERFLOW, gone.stamp)

    def _down(
        self, station: Station, number: int, arrival: Arrival, publication: Publication
    ) -> Publication:
        edge = self._graph.supers(station.member)[station.scope]
        interface = self._graph.input_of(edge)
        contents = self._mapped(edge, arrival.contents, number, up=False)
        return Publication(
            publication.publisher,
            station.member,
            Phase.ENTERING,
            tuple(content for content in contents if passes(interface, content.event)),
            publication.mappings + bool(edge.down),
            (*publication.chain, number),
            session=publication.session,
            climbed=publication.climbed,
        )

    def _gate(
        self, station: Station, number: int, arrival: Arrival, publication: Publication
    ) -> Publication | None:
        scope = self._graph.scope(station.scope)
        until = scope.publishing.until
        if until is not None and any(until.matches(c.event) for c in arrival.contents):
            self._released.append(scope.name)
        only = None
        if scope.selects:
            only = self._chosen(scope, arrival, publication)
            if not only:
                return None
        return Publication(
            publication.publisher,
            scope.name,
            Phase.INSIDE,
            tuple(arrival.contents),
            publication.mappings,
            (*publication.chain, number),
            session=scope.name if scope.session else publication.session,
            climbed=publication.climbed,
            only=only,
        )

    def _chosen(self, scope: Scope, arrival: Arrival, publication: Publication) -> frozenset[str]:
        """Return the members that receive what arrived, by the scope's two policies."""
        look = Eligibility(self._graph, self._audience, publication.publisher, publication.climbed)
        depths = look.depths(scope.name, arrival.contents, arrival.via)
        members = self._searched_first(scope.traverse, depths)
        if not members or scope.delivery.turn is Turn.ALL:
            return frozenset(members)
        chosen = self._state.choices.one(
            scope.name,
            scope.delivery,
            arrival.contents[0].event,
            tuple(self._graph.members(scope.name)),
            members,
            self._load,
        )
        return frozenset({chosen})

    def _load(self, member: str) -> int:
        """Return how much a member has to do; a named client what its event service has."""
        return self._audience.load(component_of(self._graph.nodes[member]))

    def _searched_first(self, traverse: Traverse, depths: Mapping[str, int]) -> list[str]:
        if traverse is Traverse.TOP_DOWN:
            here = [name for name in depths if isinstance(self._graph.nodes[name], Client)]
            return here or list(depths)
        if traverse is Traverse.BOTTOM_UP and depths:
            deepest = max(depths.values())
            return [name for name, depth in depths.items() if depth == deepest]
        return list(depths)

    def _mapped(
        self, edge: Edge, contents: list[Content], number: int, *, up: bool
    ) -> list[Content]:
        mapping = edge.up if up else edge.down
        place = f"{edge.member}>{edge.scope}" if up else f"{edge.scope}>{edge.member}"
        made = []
        for content in contents:
            events = mapping.apply(content.event, place, self._state.gatherings)
            for at, event in enumerate(events):
                same = event is content.event
                lineage = content.lineage if same else (*content.lineage, (number, at))
                made.append(Content(event, lineage))
        return made

    def _number(self, station: Station) -> int:
        if station.kind == "gate":
            return KINDS * self._graph.place(station.scope)
        edge = self._graph.supers(station.member)[station.scope]
        return KINDS * self._graph.number(edge) + (1 if station.kind == "up" else 2)
