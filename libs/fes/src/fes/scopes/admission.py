"""What a graph of scopes refuses."""

from collections.abc import Callable, Iterable, Mapping
from typing import Protocol

from fes.errors import ScopeError
from fes.scopes.declared import Client, Edge, Scope


class Structure(Protocol):
    """What has to be known of a graph."""

    nodes: dict[str, Client | Scope]

    def supers(self, name: str) -> Mapping[str, Edge]:
        """Return the edges to the direct superscopes."""
        ...

    def members(self, name: str) -> Mapping[str, Edge]:
        """Return the edges to the direct members."""
        ...

    def above(self, name: str) -> frozenset[str]:
        """Return a node's superscopes near and far, and itself."""
        ...

    def inner(self, name: str) -> Iterable[Edge]:
        """Return the edges to members that are scopes."""
        ...

    @property
    def sessions(self) -> frozenset[str]:
        """The session scopes."""
        ...


MAX_NESTING = 64
"""Most scopes within one another."""


def check_nesting(graph: Structure, edge: Edge) -> None:
    """Refuse scopes that are nested too deep.

    Args:
        graph: Without the edge.
        edge: A scope's membership, which closes no cycle.

    Raises:
        ScopeError: Names member and scope.
    """
    above = _longest(edge.scope, lambda name: graph.supers(name).keys())
    below = _longest(edge.member, lambda name: [each.member for each in graph.inner(name)])
    if above + below > MAX_NESTING:
        raise ScopeError(
            f"{edge.member} in {edge.scope}: more than {MAX_NESTING} scopes within one another"
        )


def _longest(start: str, next_of: Callable[[str], Iterable[str]]) -> int:
    """Return how many nodes the longest path from one has, level by level."""
    level, length = {start}, 0
    while level and length <= MAX_NESTING:
        length += 1
        level = {name for each in level for name in next_of(each)}
    return length


def check_rights(edge: Edge, scope: Scope) -> None:
    """Refuse a member that the scope does not admit in a role that it requests.

    Raises:
        ScopeError: Names scope, member and role.
    """
    for role, asks, may in (
        ("producer", edge.produces, scope.rights.may_produce(edge.member)),
        ("consumer", edge.consumes, scope.rights.may_consume(edge.member)),
    ):
        if asks and not may:
            raise ScopeError(f"{edge.scope} does not admit {edge.member} as {role}")


def check_service(graph: Structure, client: Client) -> None:
    """Refuse a named client whose event service is unknown, or another one than before.

    Raises:
        ScopeError: Names the event service.
    """
    known = graph.nodes.get(client.name)
    if isinstance(known, Client) and known.service != client.service:
        raise ScopeError(f"{client.name} is a client of {known.service or 'none'} already")
    service = graph.nodes.get(client.service)
    if client.is_named and not (isinstance(service, Client) and not service.is_named):
        raise ScopeError(f"unknown event service: {client.service}")


def check_sessions(graph: Structure, name: str) -> None:
    """Refuse that a component which carries no context is in two sessions.

    Args:
        graph: With the change that is to be checked.
        name: What changed; the components below it are looked at. What one of its named clients
            cannot carry, an event service cannot.

    Raises:
        ScopeError: Names the component and the sessions.
    """
    if graph.sessions.isdisjoint(graph.above(name)):
        return
    todo, seen = [name], {name}
    while todo:
        each = todo.pop()
        node = graph.nodes[each]
        lacks = _without_context(graph, each) if isinstance(node, Client) else ""
        if lacks:
            sessions = sorted(graph.above(each) & graph.sessions)
            if len(sessions) > 1:
                raise ScopeError(
                    f"{lacks} carries no context and cannot be in two sessions:"
                    f" {', '.join(sessions)}"
                )
        for member in graph.members(each):
            if member not in seen:
                seen.add(member)
                todo.append(member)


def _without_context(graph: Structure, name: str) -> str:
    """Return which carries no context: a component, or a named client of it; empty for none."""
    for each in (name, *graph.supers(name)):
        node = graph.nodes[each]
        if isinstance(node, Client) and not node.carries_context:
            return each
    return ""


def path_up(graph: Structure, start: str, goal: str) -> list[str]:
    """Return a path from a node up to another; empty where there is none."""
    back: dict[str, str] = {start: ""}
    todo = [start]
    while todo:
        name = todo.pop()
        if name == goal:
            return _walk_back(back, name)
        for scope in graph.supers(name):
            if scope not in back:
                back[scope] = name
                todo.append(scope)
    return []


def _walk_back(back: Mapping[str, str], name: str) -> list[str]:
    path = [name]
    while back[path[-1]]:
        path.append(back[path[-1]])
    return path[::-1]
