"""The simple paths between two channels, in ascending order, within a bound."""

from collections.abc import Iterator

from eventservices.cns.domains.graph.bounded import Bounded, Budget
from eventservices.cns.domains.graph.digraph import Digraph
from eventservices.cns.domains.graph.search import reached

Route = tuple[int, ...]
"""The identifiers of the channels that an event passes, in order, each once."""


def routes(graph: Digraph, start: int, end: int, most: int, budget: Budget) -> Bounded[Route]:
    """Return the simple paths between two different vertices, in ascending order.

    Args:
        graph: The graph.
        start: First vertex.
        end: Last vertex.
        most: Most paths.
        budget: Ends the search where it is spent; then there may be more paths.
    """
    between = reached(graph.successors, {start}) & reached(graph.predecessors, {end})
    found: list[Route] = []
    for route in _walk(graph.restricted(between), start, end, budget):
        if len(found) == most:
            return Bounded(tuple(found), more=True)
        found.append(route)
    return Bounded(tuple(found), more=budget.spent)


def _walk(graph: Digraph, start: int, end: int, budget: Budget) -> Iterator[Route]:
    if start not in graph or end not in graph:
        return
    taken = {start: None}
    stack = [iter(sorted(graph.successors[start]))]
    while stack and budget.step():
        vertex = next(stack[-1], None)
        if vertex is None:
            stack.pop()
            taken.popitem()
        elif vertex == end:
            yield (*taken, end)
        elif vertex not in taken:
            taken[vertex] = None
            stack.append(iter(sorted(graph.successors[vertex])))
