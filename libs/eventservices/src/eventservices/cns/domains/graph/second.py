"""The diamonds that a new edge makes in an acyclic graph in which every route is the only one.

There each vertex upstream of the edge has one route to it, each downstream one route from it, and a
diamond is a route from the one side to the other past the edge. So all routes are found by walking,
without a search.
"""

from collections.abc import Iterator, Mapping
from typing import Final

from eventservices.cns.domains.graph.bounded import Bounded
from eventservices.cns.domains.graph.diamonds import Diamond
from eventservices.cns.domains.graph.digraph import Digraph
from eventservices.cns.domains.graph.routes import Route
from eventservices.cns.domains.graph.search import reached

MOST_IDENTIFIERS: Final = 20_000
"""Most identifiers in the routes of all diamonds of one answer."""


def second_routes(
    graph: Digraph, upstream: set[int], downstream: set[int], most: int
) -> Bounded[Diamond]:
    """Return the diamonds that an edge makes, in the minimal view, ordered by their ends.

    Args:
        graph: The graph without the edge; no two vertices are joined by two routes.
        upstream: The vertices from which the edge's source is reached, and the source.
        downstream: Those that its target reaches, and the target.
        most: Most diamonds; the first are those whose last channel is the lowest.
    """
    found: list[Diamond] = []
    identifiers = 0
    for past in _routes_past(graph, upstream, downstream):
        if len(found) == most or identifiers > MOST_IDENTIFIERS:
            return Bounded(tuple(sorted(found, key=_ends)), more=True)
        over = _down(graph, past[0], upstream) + _up(graph, past[-1], downstream)
        found.append(tuple(sorted((past, over))))
        identifiers += len(past) + len(over)
    return Bounded(tuple(sorted(found, key=_ends)))


def _ends(diamond: Diamond) -> tuple[int, int]:
    return diamond[0][0], diamond[0][-1]


def _routes_past(graph: Digraph, upstream: set[int], downstream: set[int]) -> Iterator[Route]:
    """Yield the routes from upstream to downstream that touch either side only with an end."""
    after = reached(graph.successors, upstream)
    for end in sorted(downstream & after):
        onward: dict[int, int] = {}
        stack = [end]
        while stack:
            vertex = stack.pop()
            if vertex in upstream:
                yield _onward(vertex, onward, end)
                continue
            before = graph.predecessors[vertex] & after
            if vertex == end:
                before -= downstream
            onward.update(dict.fromkeys(before, vertex))
            stack.extend(sorted(before, reverse=True))


def _onward(vertex: int, onward: Mapping[int, int], end: int) -> Route:
    route = [vertex]
    while route[-1] != end:
        route.append(onward[route[-1]])
    return tuple(route)


def _down(graph: Digraph, vertex: int, upstream: set[int]) -> Route:
    """Return the route from a vertex upstream to the edge's source."""
    route = [vertex]
    while following := graph.successors[route[-1]] & upstream:
        route.extend(following)
    return tuple(route)


def _up(graph: Digraph, vertex: int, downstream: set[int]) -> Route:
    """Return the route from the edge's target to a vertex downstream."""
    route = [vertex]
    while before := graph.predecessors[route[-1]] & downstream:
        route.extend(before)
    return tuple(reversed(route))
