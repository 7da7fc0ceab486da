"""Diamonds: pairs of channels between which an event has more than one route.

There are two views of the same graph. In the *pair view* (MEDIator) each ordered pair with two or
more routes is a diamond. In the *minimal view* (what Erlang's implementation counts) only the pairs
are where two routes have no channel in common but their ends. One view is empty exactly if the
other is.
"""

from collections.abc import Iterator
from enum import Enum
from typing import Final

import networkx as nx

from eventservices.cns.domains.graph.bounded import Bounded, Budget
from eventservices.cns.domains.graph.components import as_networkx
from eventservices.cns.domains.graph.digraph import Digraph
from eventservices.cns.domains.graph.routes import Route, routes
from eventservices.cns.domains.graph.search import reached

Diamond = tuple[Route, ...]
"""The routes between the two ends of one diamond, in ascending order; at most `MOST_ROUTES`."""

MOST_DIAMONDS: Final = 100
"""Most diamonds that are listed."""

MOST_ROUTES: Final = 16
"""Most routes that are listed of one diamond."""

MOST_STEPS: Final = 200_000
"""Most steps of the search for diamonds and their routes."""

MOST_STEPS_EACH: Final = 2_000
"""Most steps of the search for the routes of one diamond."""


class DiamondView(Enum):
    """Which pairs of channels count as a diamond."""

    MINIMAL = "minimal"
    PAIR = "pair"


def list_diamonds(
    graph: Digraph, view: DiamondView = DiamondView.MINIMAL, most: int = MOST_DIAMONDS
) -> Bounded[Diamond]:
    """Return the diamonds, ordered by their two ends.

    `more` is set where there are more than `most`, where a diamond has more than `MOST_ROUTES`
    routes, or where the search needed more than `MOST_STEPS` steps.
    """
    ends = _minimal_ends(graph) if view is DiamondView.MINIMAL else _pair_ends(graph)
    budget = Budget(MOST_STEPS)
    found: list[Diamond] = []
    cut = False
    for start, end in ends:
        if start < 0:  # a start was examined: its cost counts even where it has no diamond
            if not budget.step(end):
                return Bounded(tuple(found), more=True)
            continue
        if len(found) == most or budget.spent:
            return Bounded(tuple(found), more=True)
        before = min(MOST_STEPS_EACH, budget.left)
        own = Budget(before)
        listed = routes(graph, start, end, MOST_ROUTES, own)
        budget.step(before - own.left)
        if len(listed) > 1:
            found.append(listed.items)
        cut = cut or listed.more
    return Bounded(tuple(found), more=cut)


def _minimal_ends(graph: Digraph) -> Iterator[tuple[int, int]]:
    """Yield the pairs between which two routes share no channel, and the cost of finding them.

    By Menger's theorem there are two such routes exactly if no channel between the two dominates
    the second one, and a second predecessor of it is reached without passing it.
    """
    whole = as_networkx(graph)
    for start in graph:
        if len(graph.successors[start] - {start}) < 2:
            continue
        below = reached(graph.successors, {start})
        yield -1, len(below)
        dominators = nx.immediate_dominators(whole.subgraph(below), start)
        for end in sorted(below - {start}):
            if dominators[end] == start and _entries(graph, start, end) > 1:
                yield start, end


def _entries(graph: Digraph, start: int, end: int) -> int:
    """Return how many predecessors of `end` are reached from `start` without passing `end`.

    Where it is one, the pair has one route, and no search for routes is needed to know that.
    """
    before = graph.predecessors[end] - {end}
    if len(before) < 2:
        return len(before)
    seen = {start, end}
    stack = [start]
    while stack:
        fresh = graph.successors[stack.pop()] - seen
        seen |= fresh
        stack.extend(fresh)
    return len(before & seen)


def _pair_ends(graph: Digraph) -> Iterator[tuple[int, int]]:
    """Yield the pairs that may have two routes, and the cost of finding them.

    Where each vertex below `start` is entered over one edge only, none has two.
    """
    for start in graph:
        below = reached(graph.successors, {start})
        yield -1, len(below)
        inner = below - {start}
        for end in sorted(inner):
            between = below & reached(graph.predecessors, {end})
            joined = any(
                len(graph.predecessors[vertex] & between) > 1 for vertex in between - {start}
            )
            if joined:
                yield start, end
