"""Figure 8: a graph without interfaces and mappings, and components that replace them.

Each edge that does more than connect is cut. A component with two halves replaces it: one
is a member of the superscope, the other of a new root above the cut-off member. In the graph that
is left two components see one another if and only if they have a common root, so a publication
carries the roots that its publisher sees, and a subscription requests one of its consumer's roots.

Source:
    Fiege et al., Engineering Event-Based Systems with Scopes, section 4, figure 8.
"""

from collections import deque
from dataclasses import dataclass
from typing import NamedTuple

from fes.scopes.declared import Edge, Scope, passes
from fes.scopes.graph import Graph
from fes.scopes.routing.publication import (
    Audience,
    Content,
    Phase,
    Publication,
    Reached,
    Station,
)

Roots = frozenset[str]


class _Notice(NamedTuple):
    """A notification in the graph that is left.

    Attributes:
        roots: Roots that its publisher sees.
        rises: Whether it comes from below: components in cut edges pass it upward.
        context: Session that it is bound to; empty where it is bound to none.
        below: The scope that delivers it to its members alone; empty for none.
    """

    roots: Roots
    rises: bool
    context: str = ""
    below: str = ""


@dataclass(frozen=True, slots=True)
class _Bridge:
    """The component in the place of a cut edge.

    Attributes:
        edge: The edge.
        outer: Roots that its half in the superscope sees; none where the scope decides itself.
        inner: The new root above the cut-off member.
    """

    edge: Edge
    outer: Roots
    inner: str


class Figure8Router:
    """Routes in the transformed graph.

    Args:
        graph: The scopes; they are transformed again after a change.
    """

    def __init__(self, graph: Graph) -> None:
        self._graph = graph
        self._generation = -1
        self._roots: dict[str, Roots] = {}
        self._tops: set[str] = set()
        self._bridges: list[_Bridge] = []
        self._clients: list[str] = []

    def _transform(self) -> None:
        """Make the graph without interfaces and mappings."""
        graph = self._graph
        self._generation = graph.generation
        self._roots = {}
        cut = [edge for edge in graph.edges() if self._is_cut(edge)]
        self._tops = {edge.member for edge in cut} | {
            name for name in graph.nodes if self._is_gate(name)
        }
        self._bridges = [
            _Bridge(edge, self._roots_of(edge.scope), _new_root(edge.member)) for edge in cut
        ]
        self._clients = [name for name in graph.nodes if graph.receives(name)]

    def reach(self, publication: Publication, audience: Audience) -> Reached:
        """Return the consumers and stations that a publication reaches."""
        if self._generation != self._graph.generation:
            self._transform()
        reached = Reached()
        for content in publication.contents:
            self._spread(publication, content, audience, reached)
        return reached

    def _spread(
        self, publication: Publication, content: Content, audience: Audience, reached: Reached
    ) -> None:
        todo = deque(self._first(publication, content, audience, reached))
        seen = set(todo)
        while todo:
            notice = todo.popleft()
            for name in self._clients:
                if self._sees(name, notice) and name != publication.publisher:
                    self._subscribed(name, content, audience, reached)
            for bridge in self._bridges:
                for new in self._cross(bridge, notice, publication, content, audience, reached):
                    if new not in seen:
                        seen.add(new)
                        todo.append(new)

    def _first(
        self, publication: Publication, content: Content, audience: Audience, reached: Reached
    ) -> list[_Notice]:
        origin = publication.origin
        match publication.phase:
            case Phase.MEMBER:
                return [_Notice(self._roots_of(origin), rises=True, context=publication.context)]
            case Phase.RISING:
                return self._above(origin, "", publication.context, content, reached)
            case Phase.ENTERING:
                return self._below(origin, content, audience, reached)
            case Phase.INSIDE:
                return [_Notice(frozenset(), rises=False, below=origin)]

    def _cross(
        self,
        bridge: _Bridge,
        notice: _Notice,
        publication: Publication,
        content: Content,
        audience: Audience,
        reached: Reached,
    ) -> list[_Notice]:
        new = []
        if notice.rises and bridge.inner in notice.roots:
            new += self._upward(bridge.edge, notice, content, reached)
        if notice.below == bridge.edge.scope or not notice.roots.isdisjoint(self._outer(bridge)):
            new += self._downward(bridge.edge, notice, publication, content, audience, reached)
        return new

    def _outer(self, bridge: _Bridge) -> Roots:
        return frozenset() if self._is_gate(bridge.edge.scope) else bridge.outer

    def _upward(
        self, edge: Edge, notice: _Notice, content: Content, reached: Reached
    ) -> list[_Notice]:
        graph, context = self._graph, notice.context
        if not graph.lets_up(edge) or not passes(graph.output_of(edge), content.event):
            return []
        if context and graph.is_session(edge.scope):
            if edge.scope != context:
                return []
            context = ""
        if graph.maps(edge):
            reached.arrive(Station("up", edge.member, edge.scope), content, context)
            return []
        choice = graph.choice_of(edge)
        if choice is not None and not choice.matches(content.event):
            return []
        return self._above(edge.scope, edge.member, context, content, reached)

    def _above(
        self, scope: str, via: str, context: str, content: Content, reached: Reached
    ) -> list[_Notice]:
        """Return what the half in a superscope publishes there."""
        if self._graph.scope(scope).is_gate:
            reached.arrive(Station("gate", "", scope), content, context, via)
        return [_Notice(self._roots_of(scope), rises=True, context=context)]

    def _downward(
        self,
        edge: Edge,
        notice: _Notice,
        publication: Publication,
        content: Content,
        audience: Audience,
        reached: Reached,
    ) -> list[_Notice]:
        graph = self._graph
        chosen = not notice.below or publication.only is None or edge.member in publication.only
        away = not graph.is_at(edge.member, publication.publisher)
        if not (away and chosen and graph.lets_down(edge)):
            return []
        if graph.maps(edge):
            if (edge.member, edge.scope) not in publication.climbed:
                reached.arrive(Station("down", edge.member, edge.scope), content, "")
            return []
        if not passes(graph.input_of(edge), content.event):
            return []
        return self._below(edge.member, content, audience, reached)

    def _below(
        self, name: str, content: Content, audience: Audience, reached: Reached
    ) -> list[_Notice]:
        """Return what the half below a cut edge publishes there."""
        if self._graph.receives(name):
            self._subscribed(name, content, audience, reached)
            return []
        if self._is_gate(name):
            reached.arrive(Station("gate", "", name), content, "")
            return []
        return [_Notice(frozenset({_new_root(name)}), rises=False)]

    def _subscribed(
        self, name: str, content: Content, audience: Audience, reached: Reached
    ) -> None:
        if audience.matches(name, content.event):
            reached.deliver(name, content)

    def _sees(self, client: str, notice: _Notice) -> bool:
        """Return whether a client's subscription requests one of a notification's roots."""
        return not notice.roots.isdisjoint(self._roots_of(client, itself=False))

    def _is_cut(self, edge: Edge) -> bool:
        graph = self._graph
        return (
            graph.maps(edge)
            or not (graph.lets_up(edge) and graph.lets_down(edge))
            or graph.output_of(edge) is not None
            or graph.input_of(edge) is not None
            or graph.choice_of(edge) is not None
            or graph.scope(edge.scope).is_gate
            or self._is_gate(edge.member)
        )

    def _is_gate(self, name: str) -> bool:
        node = self._graph.nodes[name]
        return isinstance(node, Scope) and node.is_gate

    def _roots_of(self, name: str, *, itself: bool = True) -> Roots:
        """Return the roots that a component sees by edges that are left."""
        known = self._roots.get(name)
        if known is None:
            kept = [e for e in self._graph.supers(name).values() if not self._is_cut(e)]
            roots = {root for edge in kept for root in self._roots_of(edge.scope)}
            if not kept:
                roots.add(name)
            if name in self._tops:
                roots.add(_new_root(name))
            known = self._roots[name] = frozenset(roots)
        return known if itself else known - {name, _new_root(name)}


def _new_root(name: str) -> str:
    return f"{name}°"
