"""The compiled form: where a component's events go, without a look at each scope."""

from fes.scopes.declared import passes
from fes.scopes.graph import Graph
from fes.scopes.routing.climb import Climb
from fes.scopes.routing.plans import Lead, Plans, Source
from fes.scopes.routing.publication import (
    Audience,
    Content,
    Phase,
    Publication,
    Reached,
    Station,
)


class CompiledRouter:
    """Routes by sets of scopes.

    Args:
        graph: The scopes; changes are noticed.
    """

    def __init__(self, graph: Graph) -> None:
        self._graph = graph
        self._plans = Plans(graph)

    def reach(self, publication: Publication, audience: Audience) -> Reached:
        """Return the consumers and stations that a publication reaches."""
        self._plans.renew()
        reached = Reached()
        for content in publication.contents:
            match publication.phase:
                case Phase.MEMBER | Phase.RISING:
                    self._rising(publication, content, audience, reached)
                case Phase.ENTERING:
                    self._enter(publication.origin, publication, content, audience, reached)
                case Phase.INSIDE:
                    self._inside(publication, content, audience, reached)
        return reached

    def _rising(
        self, publication: Publication, content: Content, audience: Audience, reached: Reached
    ) -> None:
        origin = publication.origin
        if publication.phase is Phase.MEMBER:
            first = self._plans.rise(origin)
        else:
            first = self._plans.into(origin)
        if not (first.guarded or first.gates or first.stations or first.leads):
            self._spread(first.entered, publication, content, audience, reached)
            return
        climb = Climb(self._graph, self._plans, content, reached)
        climb.follow(first, publication.context)
        climb.arrive_at_gates()
        self._spread(frozenset(climb.entered), publication, content, audience, reached)
        for lead in climb.leads:
            self._below(lead, publication, content, reached)

    def _inside(
        self, publication: Publication, content: Content, audience: Audience, reached: Reached
    ) -> None:
        if publication.only is None:
            scopes = frozenset({publication.origin})
            self._spread(scopes, publication, content, audience, reached)
            lead = self._plans.lead(publication.origin)
            self._below(lead, publication, content, reached)
            return
        members = self._graph.members(publication.origin)
        for name in sorted(publication.only):
            edge = members.get(name)
            if edge is None or self._graph.is_at(name, publication.publisher):
                continue
            if not self._graph.lets_down(edge):
                continue
            if self._graph.maps(edge):
                self._below(Lead(stations=(edge,)), publication, content, reached)
            elif passes(self._graph.input_of(edge), content.event):
                self._enter(name, publication, content, audience, reached)

    def _enter(
        self,
        name: str,
        publication: Publication,
        content: Content,
        audience: Audience,
        reached: Reached,
    ) -> None:
        if self._graph.receives(name):
            if audience.matches(name, content.event):
                reached.deliver(name, content)
        elif self._graph.scope(name).is_gate:
            reached.arrive(Station("gate", "", name), content, "")
        else:
            self._spread(frozenset({name}), publication, content, audience, reached)
            self._below(self._plans.lead(name), publication, content, reached)

    def _spread(
        self,
        scopes: frozenset[str],
        publication: Publication,
        content: Content,
        audience: Audience,
        reached: Reached,
    ) -> None:
        """Deliver to who has subscribed and receives from any of some scopes."""
        source_of, publisher = self._plans.source, publication.publisher
        for name in audience.matching(content.event):
            if name == publisher:
                continue
            source = source_of(name)
            if not scopes.isdisjoint(source.plain) or (
                source.guarded and self._comes_down(source, scopes, content)
            ):
                reached.deliver(name, content)

    def _comes_down(self, source: Source, scopes: frozenset[str], content: Content) -> bool:
        """Return whether an event comes down by an edge whose interface it must pass."""
        todo, seen = list(source.guarded), set()
        while todo:
            edge, interface = todo.pop()
            if edge.scope in seen or not passes(interface, content.event):
                continue
            seen.add(edge.scope)
            if edge.scope in scopes:
                return True
            if not self._graph.scope(edge.scope).is_gate:
                above = self._plans.source(edge.scope)
                if not scopes.isdisjoint(above.plain):
                    return True
                todo += above.guarded
        return False

    def _below(
        self, lead: Lead, publication: Publication, content: Content, reached: Reached
    ) -> None:
        """Have an event arrive at the stations below, where interfaces let it pass."""
        todo, seen = [lead], {id(lead)}
        while todo:
            each = todo.pop()
            for name in each.gates:
                reached.arrive(Station("gate", "", name), content, "")
            for edge in each.stations:
                away = not self._graph.is_at(edge.member, publication.publisher)
                if away and (edge.member, edge.scope) not in publication.climbed:
                    reached.arrive(Station("down", edge.member, edge.scope), content, "")
            for edge in each.guarded:
                if passes(self._graph.input_of(edge), content.event):
                    further = self._plans.at(edge.member)
                    if id(further) not in seen:
                        seen.add(id(further))
                        todo.append(further)
