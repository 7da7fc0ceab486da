"""Brute force over small graphs: every simple path is walked."""

from collections.abc import Iterable, Iterator
from itertools import combinations

Edge = tuple[int, int]
Route = tuple[int, ...]


def routes(edges: Iterable[Edge], start: int, end: int) -> list[Route]:
    """Return all simple paths between two different vertices, in ascending order."""
    known = frozenset(edges)

    def walk(route: Route) -> Iterator[Route]:
        if route[-1] == end:
            yield route
            return
        for source, target in known:
            if source == route[-1] and target not in route:
                yield from walk((*route, target))

    return sorted(walk((start,)))


def pairs(edges: Iterable[Edge]) -> list[tuple[Route, ...]]:
    """Return the diamonds of the pair view."""
    known = frozenset(edges)
    vertices = sorted({vertex for edge in known for vertex in edge})
    found = [routes(known, a, b) for a in vertices for b in vertices if a != b]
    return [tuple(each) for each in found if len(each) > 1]


def minimal(edges: Iterable[Edge]) -> list[tuple[Route, ...]]:
    """Return the diamonds of the minimal view: two routes share nothing but their ends."""
    return [
        diamond
        for diamond in pairs(edges)
        if any(set(a[1:-1]).isdisjoint(b[1:-1]) for a, b in combinations(diamond, 2))
    ]


def cycles(edges: Iterable[Edge]) -> list[Route]:
    """Return the elementary cycles, each from its lowest vertex, sorted."""
    known = frozenset(edges)
    found = {
        route
        for source, target in known
        for route in ([(source,)] if source == target else routes(known, target, source))
    }
    return sorted({_rotated(route) for route in found})


def reached(edges: Iterable[Edge], start: int) -> set[int]:
    """Return what is reached from a vertex, itself left out."""
    seen: set[int] = set()
    while True:
        fresh = {b for a, b in edges if a == start or a in seen} - seen
        if not fresh:
            return seen - {start}
        seen |= fresh


def _rotated(route: Route) -> Route:
    first = route.index(min(route))
    return (*route[first:], *route[:first])
