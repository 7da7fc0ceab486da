"""What a new connection would bring about: a cycle, or diamonds."""

from typing import Final

from eventservices.cns.domains.graph.bounded import Bounded
from eventservices.cns.domains.graph.components import has_diamond
from eventservices.cns.domains.graph.diamonds import Diamond, list_diamonds
from eventservices.cns.domains.graph.digraph import Digraph
from eventservices.cns.domains.graph.search import meets, path, reached
from eventservices.cns.domains.graph.second import second_routes

MOST_NEW_DIAMONDS: Final = 16
"""Most diamonds that a refusal lists."""


def cycle_of(graph: Digraph, source: int, target: int) -> tuple[int, ...] | None:
    """Return the cycle that an edge would close; None where it closes none.

    Returns:
        The channels of the cycle from `target` to `source`, each once; a single one where both are
        the same.
    """
    return path(graph, target, source)


def makes_diamond(graph: Digraph, source: int, target: int) -> bool:
    """Return whether an edge would join two vertices by a second simple path.

    The graph must have no diamond yet. Where the edge closes no cycle, it is enough that some
    vertex upstream of it reaches one downstream already. Where it does, the paths may touch, and
    what is up and down the stream is examined as a whole.
    """
    if source == target:
        return False
    upstream = reached(graph.predecessors, {source})
    downstream = reached(graph.successors, {target})
    if upstream.isdisjoint(downstream):
        return meets(graph, upstream, downstream)
    if target in reached(graph.successors, {source}):
        return True
    return has_diamond(_around(graph, upstream, downstream).with_edge(source, target))


def new_diamonds(
    graph: Digraph, source: int, target: int, *, acyclic: bool, most: int = MOST_NEW_DIAMONDS
) -> Bounded[Diamond]:
    """Return the diamonds, in the minimal view, that an edge brings into a graph without any.

    Args:
        graph: The graph, without diamonds.
        source: Where the edge begins.
        target: Where it ends.
        acyclic: Whether neither the graph nor the edge has a cycle; it is much faster then.
        most: Most diamonds.
    """
    upstream = reached(graph.predecessors, {source})
    downstream = reached(graph.successors, {target})
    if acyclic:
        return second_routes(graph, upstream, downstream, most)
    around = _around(graph, upstream, downstream)
    return list_diamonds(around.with_edge(source, target), most=most)


def _around(graph: Digraph, upstream: set[int], downstream: set[int]) -> Digraph:
    """Return the part of the graph where a path from upstream to downstream can lie."""
    after = reached(graph.successors, upstream)
    before = reached(graph.predecessors, downstream)
    return graph.restricted(upstream | downstream | (after & before))
