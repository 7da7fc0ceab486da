"""Which members of a scope could receive an event: a look ahead that changes nothing."""

from collections.abc import Sequence

from fes.model import Event
from fes.scopes.declared import Client, Edge, passes
from fes.scopes.graph import Graph
from fes.scopes.routing.publication import Audience, Content, EdgeName

NOBODY = -1


class Eligibility:
    """Looks ahead from a scope down to the consumers below.

    A scope further down that chooses among its own members chooses one of those that could
    receive, so it never makes a member with receivers one without.

    Args:
        graph: The scopes.
        audience: Who has subscribed to what.
        publisher: Component that published the event.
        climbed: Edges with mappings that the event went up.
    """

    def __init__(
        self, graph: Graph, audience: Audience, publisher: str, climbed: frozenset[EdgeName]
    ) -> None:
        self._graph = graph
        self._audience = audience
        self._publisher = publisher
        self._climbed = climbed
        self._known: dict[tuple[str, Event], int] = {}

    def depths(self, scope: str, contents: Sequence[Content], without: set[str]) -> dict[str, int]:
        """Return the members with receivers, in order, and how deep the deepest of them is.

        Args:
            scope: The scope.
            contents: What it would deliver to them.
            without: Members that the event came from.
        """
        found = {}
        for edge in self._graph.members(scope).values():
            if edge.member not in without:
                depth = max(self._depth(edge, content.event) for content in contents)
                if depth != NOBODY:
                    found[edge.member] = depth
        return found

    def _depth(self, edge: Edge, event: Event) -> int:
        closed = (edge.member, edge.scope) in self._climbed or not self._graph.lets_down(edge)
        if closed or self._graph.is_at(edge.member, self._publisher):
            return NOBODY
        made = edge.down.apply(event, "", None) if edge.down else (event,)
        interface = self._graph.input_of(edge)
        depths = [self._below(edge.member, each) for each in made if passes(interface, each)]
        return max(depths, default=NOBODY)

    def _below(self, name: str, event: Event) -> int:
        key = (name, event)
        if key not in self._known:
            self._known[key] = self._look(name, event)
        return self._known[key]

    def _look(self, name: str, event: Event) -> int:
        if self._graph.receives(name):
            there = self._audience.is_present(name) and self._audience.matches(name, event)
            return 0 if there else NOBODY
        edges = self._graph.members(name).values()
        depths = [self._depth(edge, event) for edge in edges]
        best = max(depths, default=NOBODY)
        if best == NOBODY or isinstance(self._graph.nodes[name], Client):
            return best
        return best + 1
