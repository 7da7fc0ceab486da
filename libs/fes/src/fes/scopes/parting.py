"""Whether scopes part two components."""

from collections.abc import Iterator
from itertools import combinations

from fes.scopes.declared import Client, Edge
from fes.scopes.graph import Graph


def natives_parted(graph: Graph) -> Iterator[tuple[Client, Client, str]]:
    """Yield the clients that receive each other natively and that scopes would part, and why.

    An event service as a whole receives what each of its clients does.
    """
    by_service: dict[str, list[Client]] = {}
    for name, node in graph.nodes.items():
        if isinstance(node, Client) and graph.supers(name):
            by_service.setdefault(node.service, []).append(node)
    for clients in by_service.values():
        for one, other in combinations(clients, 2):
            native = one.principal == other.principal or not (one.principal and other.principal)
            why = parted(graph, one.name, other.name) if native else ""
            if why:
                yield one, other, why


def natively(one: Client, other: Client, why: str) -> str:
    """Return the line that names two clients whom scopes cannot part."""
    return (
        f"{one.name} and {other.name} receive each other's events natively at {one.service},"
        f" and {why}"
    )


def parted(graph: Graph, one: str, other: str) -> str:
    """Return why two components do not see all of each other's events; empty where they do.

    Args:
        graph: The scopes.
        one: A component.
        other: Another one.
    """
    if not graph.visible(one, other):
        return "no scope has both"
    if _open_above(graph, one, up=True).isdisjoint(_open_above(graph, other, up=False)):
        return f"{other} does not see all events of {one}"
    if _open_above(graph, other, up=True).isdisjoint(_open_above(graph, one, up=False)):
        return f"{one} does not see all events of {other}"
    return ""


def _open_above(graph: Graph, name: str, *, up: bool) -> set[str]:
    """Return the scopes that all events go up into, or come down from."""
    found: set[str] = set()
    todo = [name]
    while todo:
        for edge in graph.supers(todo.pop()).values():
            if edge.scope not in found and _is_open(graph, edge, up=up):
                found.add(edge.scope)
                todo.append(edge.scope)
    return {scope for scope in found if not graph.scope(scope).selects}


def _is_open(graph: Graph, edge: Edge, *, up: bool) -> bool:
    if graph.maps(edge):
        return False
    if up:
        return (
            graph.lets_up(edge) and graph.output_of(edge) is None and graph.choice_of(edge) is None
        )
    return graph.lets_down(edge) and graph.input_of(edge) is None
