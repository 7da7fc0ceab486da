"""The open paths from one component to another: up, then down again."""

from collections.abc import Iterator
from dataclasses import dataclass

from fes.scopes.declared import Edge
from fes.scopes.graph import Graph

MAX_PATHS = 50
"""Most paths that are explained."""

MAX_STEPS = 10_000
"""Most edges that are followed."""


@dataclass(frozen=True, slots=True)
class Crossing:
    """An edge of a path.

    Attributes:
        edge: The edge.
        up: Whether the path goes up it.
    """

    edge: Edge
    up: bool


Path = tuple[Crossing, ...]


def paths_between(graph: Graph, one: str, other: str) -> tuple[list[Path], bool]:
    """Return the open paths in declaration order, and whether there are more."""
    found: list[Path] = []
    steps = 0
    below = graph.above(other)
    todo: list[tuple[str, Path, bool]] = [(one, (), True)]
    while todo and steps < MAX_STEPS:
        name, path, rising = todo.pop()
        steps += 1
        if name == other and path and not path[-1].up:
            found.append(path)
            if len(found) > MAX_PATHS:
                return found[:MAX_PATHS], True
            continue
        todo += reversed([*_down(graph, name, path, below), *_up(graph, name, path, rising=rising)])
    return found, bool(todo)


def _down(
    graph: Graph, name: str, path: Path, below: frozenset[str]
) -> Iterator[tuple[str, Path, bool]]:
    """Yield the steps down towards a component; only scopes above it are entered."""
    climbed = {(each.edge.member, each.edge.scope) for each in path}
    members = graph.members(name)
    edges = [members[member] for member in below if member in members]
    for edge in sorted(edges, key=graph.number):
        if (edge.member, name) not in climbed and graph.lets_down(edge):
            yield edge.member, (*path, Crossing(edge, up=False)), False


def _up(graph: Graph, name: str, path: Path, *, rising: bool) -> Iterator[tuple[str, Path, bool]]:
    if rising:
        for edge in graph.supers(name).values():
            if graph.lets_up(edge):
                yield edge.scope, (*path, Crossing(edge, up=True)), True
