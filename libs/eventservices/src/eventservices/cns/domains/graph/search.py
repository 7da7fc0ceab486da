"""Which vertices are reached from others, and by which path.

All searches go layer by layer with operations on whole sets, so that the cost of an edge is that of
a set's element and not that of a statement.
"""

from collections.abc import Mapping
from collections.abc import Set as AbstractSet

from eventservices.cns.domains.graph.digraph import Digraph

Neighbours = Mapping[int, AbstractSet[int]]


def reached(neighbours: Neighbours, start: AbstractSet[int]) -> set[int]:
    """Return the vertices that are reached from any of `start`, these among them.

    Args:
        neighbours: `successors` of a graph for what is downstream, `predecessors` for upstream.
        start: Vertices of the graph.
    """
    seen = set(start)
    stack = list(start)
    while stack:
        fresh = neighbours[stack.pop()] - seen
        if fresh:
            seen |= fresh
            stack.extend(fresh)
    return seen


def meets(graph: Digraph, start: AbstractSet[int], end: AbstractSet[int]) -> bool:
    """Return whether a path of at least one edge leads from a vertex of `start` to one of `end`.

    The two sets must not share a vertex. Both ends grow, always the one with the smaller border.
    """
    return _meeting(_Layers(graph.successors, start), _Layers(graph.predecessors, end)) is not None


def path(graph: Digraph, start: int, end: int) -> tuple[int, ...] | None:
    """Return a shortest path, each vertex once; None where there is none.

    Where several are as short, the result depends on the graph alone.

    Args:
        graph: The graph.
        start: First vertex.
        end: Last vertex; a path from a vertex to itself is that vertex.
    """
    if start == end:
        return (start,)
    ahead = _Layers(graph.successors, {start})
    behind = _Layers(graph.predecessors, {end})
    middle = _meeting(ahead, behind)
    if middle is None:
        return None
    head = _back(graph.predecessors, ahead, middle)
    tail = _back(graph.successors, behind, middle)
    return (*reversed(head), middle, *tail)


class _Layers:
    """One end of a search: what it has reached, in layers of equal distance.

    Distances are numbers in one dictionary, as a set for each layer would have the garbage
    collector look at everything again and again along a chain.
    """

    __slots__ = ("border", "distance", "far", "neighbours", "seen")

    def __init__(self, neighbours: Neighbours, start: AbstractSet[int]) -> None:
        self.neighbours = neighbours
        self.border = start
        self.far = 0
        self.distance = dict.fromkeys(start, 0)
        self.seen = set(start)

    def grow(self) -> AbstractSet[int]:
        """Reach one layer further, and return it."""
        neighbours, border = self.neighbours, self.border
        if len(border) == 1:
            for only in border:
                fresh = neighbours[only] - self.seen
        else:
            fresh = set().union(*[neighbours[vertex] for vertex in border]) - self.seen
        self.seen |= fresh
        self.far += 1
        self.distance.update(dict.fromkeys(fresh, self.far))
        self.border = fresh
        return fresh


def _meeting(ahead: _Layers, behind: _Layers) -> int | None:
    """Grow both ends until they meet; return the lowest vertex where they do."""
    while ahead.border and behind.border:
        if len(ahead.border) <= len(behind.border):
            fresh, other = ahead.grow(), behind.seen
        else:
            fresh, other = behind.grow(), ahead.seen
        if not other.isdisjoint(fresh):
            return min(fresh & other)
    return None


def _back(neighbours: Neighbours, end: _Layers, vertex: int) -> list[int]:
    """Return how a vertex was reached, itself left out, the nearest first."""
    distance, steps = end.distance, []
    for nearer in range(distance[vertex] - 1, -1, -1):
        near = neighbours[vertex]
        vertex = min(each for each in near if distance.get(each) == nearer)
        steps.append(vertex)
    return steps
