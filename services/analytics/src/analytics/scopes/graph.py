"""The graph of scopes at one generation, and what is visible in it.

Source:
    Fiege et al., Engineering Event-Based Systems with Scopes, section 3.1.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

from analytics.inputs.document import Document
from analytics.scopes.declared import Edge, Interface, Reader, Scope


@dataclass(frozen=True)
class Graph:
    """Components, scopes and memberships.

    Attributes:
        scopes: By name.
        edges: In the order in which they were declared; by member and scope.
        clients: By event service: the named clients of it that are components.
        copies: Components that receive a copy by each different path.
    """

    scopes: Mapping[str, Scope]
    edges: Mapping[tuple[str, str], Edge]
    clients: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    copies: frozenset[str] = frozenset()

    @cached_property
    def supers(self) -> dict[str, list[Edge]]:
        """The edges to the direct superscopes of each member."""
        found: dict[str, list[Edge]] = {}
        for edge in self.edges.values():
            found.setdefault(edge.member, []).append(edge)
        return found

    @cached_property
    def members(self) -> dict[str, list[Edge]]:
        """The edges to the direct members of each scope."""
        found: dict[str, list[Edge]] = {}
        for edge in self.edges.values():
            found.setdefault(edge.scope, []).append(edge)
        return found

    def components(self, service: str) -> tuple[str, ...]:
        """Return what is a component at an event service: itself, and its named clients."""
        return (service, *self.clients.get(service, ()))

    def lets_up(self, edge: Edge) -> bool:
        """Return whether a member may publish into a scope."""
        return edge.produces and self.scopes[edge.scope].admits(edge.member, producer=True)

    def lets_down(self, edge: Edge) -> bool:
        """Return whether a member may receive from a scope."""
        return edge.consumes and self.scopes[edge.scope].admits(edge.member, producer=False)

    def interface(self, edge: Edge, *, up: bool) -> Interface:
        """Return the interface of an edge: its own, else its member's."""
        if edge.has_output if up else edge.has_input:
            return edge.output if up else edge.input
        scope = self.scopes.get(edge.member)
        if scope is None:
            return None
        return scope.output if up else scope.input

    def above(self, name: str) -> frozenset[str]:
        """Return the scopes near and far that a component is in."""
        return self._reached(name, lambda _: True)

    def visible(self, home: str, to: str) -> bool:
        """Return whether what is published at one event service is visible at another: v(X, Y)."""
        for publisher in self.components(home):
            into = self._reached(publisher, self.lets_up)
            for consumer in self.components(to):
                if into & self._reached(consumer, self.lets_down):
                    return True
        return False

    def _reached(self, name: str, lets: Any) -> frozenset[str]:
        found: set[str] = set()
        todo = [name]
        while todo:
            for edge in self.supers.get(todo.pop(), ()):
                if lets(edge) and edge.scope not in found:
                    found.add(edge.scope)
                    todo.append(edge.scope)
        return frozenset(found)


def graph_of(document: Document, reader: Reader) -> Graph:
    """Return the graph that a federation's file declares.

    Raises:
        CannotJudgeError: A part of it is not of its form.
    """
    scopes, edges = {}, {}
    for name in document.section("scopes"):
        part = document.section("scopes", name)
        scopes[name] = reader.scope(name, part)
        for member in document.section("scopes", name, "members"):
            told = document.section("scopes", name, "members", member)
            edges[member, name] = reader.edge(name, member, told)
    clients: dict[str, tuple[str, ...]] = {}
    copies = set()
    for name in document.section("clients"):
        client = document.section("clients", name)
        service = str(client.get("service", ""))
        clients[service] = (*clients.get(service, ()), name)
        if client.get("each_path"):
            copies.add(name)
    return Graph(scopes, edges, clients, frozenset(copies))


def changed(graph: Graph, change: Mapping[str, Any], reader: Reader) -> Graph:
    """Return a graph after a change, which is as the event log has it.

    Raises:
        ValueError: The change lacks what it declares.
    """
    scope, member = change.get("scope"), change.get("member", "")
    if not isinstance(scope, str) or not scope:
        raise ValueError("names no scope")
    scopes, edges = dict(graph.scopes), dict(graph.edges)
    if member:
        if change.get("edge") is None:
            edges.pop((member, scope), None)
        else:
            edges[member, scope] = reader.edge(scope, member, change["edge"])
    elif change.get("part") is None:
        scopes.pop(scope, None)
        edges = {key: edge for key, edge in edges.items() if scope not in key}
    else:
        scopes[scope] = reader.scope(scope, change["part"])
    return replace(graph, scopes=scopes, edges=edges)


def generations(graph: Graph, changes: Iterable[Mapping[str, Any]], reader: Reader) -> list[Graph]:
    """Return the graph before any change, and after each."""
    found = [graph]
    for change in changes:
        found.append(changed(found[-1], change, reader))
    return found
