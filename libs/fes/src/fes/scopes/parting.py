"""Whether scopes part clients that receive each other's events natively.

One event service is one connection of a broker, whatever user a client of it is: an adapter neither
sees which user published an event, nor delivers to one user only. What one client of an event
service receives, the event service as a whole receives.
"""

from collections.abc import Iterable, Iterator
from dataclasses import replace

from fes.scopes.declared import Client, Edge
from fes.scopes.graph import Graph


def natives_parted(graph: Graph) -> Iterator[tuple[Client, Client, str]]:
    """Yield clients that receive each other natively and that scopes would part, and why.

    An event service that is a member itself is compared with its named clients, too. Each is
    compared with the first: those that are as the first are as each other.
    """
    first: dict[str, Client] = {}
    for name, node in graph.nodes.items():
        if isinstance(node, Client) and node.service and any(graph.memberships(name)):
            one = first.setdefault(node.service, node)
            why = parted(graph, one.name, name) if one is not node else ""
            if why:
                yield one, node, why


def natively(one: Client, other: Client, why: str) -> str:
    """Return the line that names two clients whom scopes cannot part."""
    return (
        f"{one.name} and {other.name} receive each other's events natively at {one.service},"
        f" and {why}; declare an event service for each account or channel, or make"
        f" {one.service} the member"
    )


def parted(graph: Graph, one: str, other: str) -> str:
    """Return how scopes treat two components differently, or part them; empty if they do not.

    Args:
        graph: The scopes.
        one: A component.
        other: Another one.
    """
    edges = {edge.scope: edge for edge in graph.memberships(one)}
    others = {edge.scope: edge for edge in graph.memberships(other)}
    if edges.keys().isdisjoint(others):
        return "no scope has both"
    for scope in [*edges, *others]:
        if scope not in others or scope not in edges:
            return f"only {one if scope in edges else other} is in {scope}"
        if _without_name(graph, edges[scope]) != _without_name(graph, others[scope]):
            return f"they are not members of {scope} on the same terms"
    if graph.takes_each_path(one) != graph.takes_each_path(other):
        return "only one of them has each_path"
    up = _open_above(graph, edges.values(), up=True)
    if up.isdisjoint(_open_above(graph, edges.values(), up=False)):
        return f"{other} does not see all events of {one}"
    return ""


def _without_name(graph: Graph, edge: Edge) -> Edge:
    """Return what applies on an edge, whoever is the member."""
    return replace(edge, member="", produces=graph.lets_up(edge), consumes=graph.lets_down(edge))


def _open_above(graph: Graph, edges: Iterable[Edge], *, up: bool) -> set[str]:
    """Return the scopes that all events go up into, or come down from."""
    found: set[str] = set()
    todo = list(edges)
    while todo:
        edge = todo.pop()
        if edge.scope not in found and _is_open(graph, edge, up=up):
            found.add(edge.scope)
            todo += graph.memberships(edge.scope)
    return {scope for scope in found if not graph.scope(scope).selects}


def _is_open(graph: Graph, edge: Edge, *, up: bool) -> bool:
    if graph.maps(edge):
        return False
    if up:
        return (
            graph.lets_up(edge) and graph.output_of(edge) is None and graph.choice_of(edge) is None
        )
    return graph.lets_down(edge) and graph.input_of(edge) is None
