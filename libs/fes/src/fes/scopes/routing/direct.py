"""The definition: every path of an event, one after the other.

Source:
    Fiege et al., Engineering Event-Based Systems with Scopes, sections 3.1 to 3.6.
"""

from fes.scopes.declared import Edge, passes
from fes.scopes.graph import Graph
from fes.scopes.routing.publication import (
    Audience,
    Content,
    Phase,
    Publication,
    Reached,
    Station,
)


class DirectRouter:
    """Routes by following each path; exponential, and the definition of what is right.

    Args:
        graph: The scopes.
    """

    def __init__(self, graph: Graph) -> None:
        self._graph = graph

    def reach(self, publication: Publication, audience: Audience) -> Reached:
        """Return the consumers and stations that a publication reaches."""
        reached = Reached()
        for content in publication.contents:
            _Walk(self._graph, publication, content, audience, reached).begin()
        return reached


class _Walk:
    """All paths of one content."""

    def __init__(
        self,
        graph: Graph,
        publication: Publication,
        content: Content,
        audience: Audience,
        reached: Reached,
    ) -> None:
        self._graph = graph
        self._publication = publication
        self._content = content
        self._audience = audience
        self._reached = reached

    def begin(self) -> None:
        """Follow the paths from where the segment begins."""
        publication = self._publication
        match publication.phase:
            case Phase.MEMBER:
                self._rise(publication.origin, publication.context)
            case Phase.RISING:
                self._turn(publication.origin, publication.context, "")
                self._rise(publication.origin, publication.context)
            case Phase.ENTERING:
                self._enter(publication.origin)
            case Phase.INSIDE:
                self._give(publication.origin)

    def _rise(self, name: str, context: str) -> None:
        for edge in self._graph.supers(name).values():
            if not self._graph.lets_up(edge):
                continue
            bound = context
            if context and self._graph.is_session(edge.scope):
                if edge.scope != context:
                    continue
                bound = ""
            if not passes(self._graph.output_of(edge), self._content.event):
                continue
            if self._graph.maps(edge):
                station = Station("up", edge.member, edge.scope)
                self._reached.arrive(station, self._content, bound)
                continue
            choice = self._graph.choice_of(edge)
            if choice is not None and not choice.matches(self._content.event):
                continue
            self._turn(edge.scope, bound, name)
            self._rise(edge.scope, bound)

    def _turn(self, name: str, context: str, via: str) -> None:
        if self._graph.scope(name).is_gate:
            self._reached.arrive(Station("gate", "", name), self._content, context, via)
        else:
            self._give(name)

    def _give(self, name: str) -> None:
        for edge in self._graph.members(name).values():
            if self._is_open_down(edge, name):
                self._descend(edge)

    def _is_open_down(self, edge: Edge, name: str) -> bool:
        publication = self._publication
        chosen = (
            publication.only is None
            or name != publication.origin
            or publication.phase is not Phase.INSIDE
            or edge.member in publication.only
        )
        away = not self._graph.is_at(edge.member, publication.publisher)
        return chosen and away and self._graph.lets_down(edge)

    def _descend(self, edge: Edge) -> None:
        if self._graph.maps(edge):
            if (edge.member, edge.scope) not in self._publication.climbed:
                station = Station("down", edge.member, edge.scope)
                self._reached.arrive(station, self._content, "")
        elif passes(self._graph.input_of(edge), self._content.event):
            self._enter(edge.member)

    def _enter(self, name: str) -> None:
        if self._graph.receives(name):
            if self._audience.matches(name, self._content.event):
                self._reached.deliver(name, self._content)
        elif self._graph.scope(name).is_gate:
            self._reached.arrive(Station("gate", "", name), self._content, "")
        else:
            self._give(name)
