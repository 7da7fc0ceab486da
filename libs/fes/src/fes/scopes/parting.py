"""Whether scopes part two components."""

from fes.scopes.declared import Edge
from fes.scopes.graph import Graph


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
