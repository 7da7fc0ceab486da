"""Strongly connected components, and whether any two channels are joined by one path at most.

Source:
    R. E. Tarjan, "Depth-first search and linear graph algorithms", 1972 (as networkx has it).
    Two channels of a graph are joined by at most one simple path exactly if each component is a
    directed cactus (each edge on one cycle) and components are joined by at most one path, where
    parallel edges between two components count each.
"""

from collections import Counter

import networkx as nx

from eventservices.cns.domains.graph.digraph import Digraph


def as_networkx(graph: Digraph) -> nx.DiGraph:
    """Return the graph for networkx, built in ascending order."""
    made = nx.DiGraph()
    made.add_nodes_from(graph)
    made.add_edges_from(graph.edges)
    return made


def has_cycle(graph: Digraph) -> bool:
    """Return whether there is any cycle; an edge from a vertex to itself is one."""
    return not nx.is_directed_acyclic_graph(as_networkx(graph))


def has_diamond(graph: Digraph) -> bool:
    """Return whether there are two different simple paths between any two vertices.

    The cost is that of one depth-first search and one traversal for each vertex with several
    successors, at most `O(V * (V + E))`; it ends with the first diamond.
    """
    components = [
        frozenset(found) for found in nx.strongly_connected_components(as_networkx(graph))
    ]
    if any(len(found) > 1 and not _is_cactus(graph, found) for found in components):
        return True
    return not _joined_by_one_path(graph, components)


def _is_cactus(graph: Digraph, component: frozenset[int]) -> bool:
    """Return whether each edge of a strongly connected component lies on exactly one cycle.

    In a depth-first search of a directed cactus each edge leads down the tree or back to an
    ancestor, and each edge of the tree is below exactly one of the latter.
    """
    root = min(component)
    parent: dict[int, int] = {root: root}
    on_path = {root}
    covered: Counter[int] = Counter()
    stack = [(root, iter(sorted(graph.successors[root] & component)))]
    while stack:
        vertex, targets = stack[-1]
        target = next(targets, None)
        if target is None:
            stack.pop()
            on_path.discard(vertex)
        elif target == vertex:
            continue
        elif target not in parent:
            parent[target] = vertex
            on_path.add(target)
            stack.append((target, iter(sorted(graph.successors[target] & component))))
        elif target not in on_path or not _cover(parent, covered, vertex, target):
            return False
    return len(covered) == len(component) - 1


def _cover(parent: dict[int, int], covered: Counter[int], vertex: int, ancestor: int) -> bool:
    """Count a cycle for each edge of the tree that it has; return whether all had none before."""
    while vertex != ancestor:
        covered[vertex] += 1
        if covered[vertex] > 1:
            return False
        vertex = parent[vertex]
    return True


def _joined_by_one_path(graph: Digraph, components: list[frozenset[int]]) -> bool:
    home = {vertex: number for number, found in enumerate(components) for vertex in found}
    targets: list[list[int]] = [
        [
            home[target]
            for vertex in found
            for target in graph.successors[vertex]
            if home[target] != number
        ]
        for number, found in enumerate(components)
    ]
    return all(len(below) < 2 or _is_tree(targets, number) for number, below in enumerate(targets))


def _is_tree(targets: list[list[int]], root: int) -> bool:
    """Return whether each component below `root` is reached once."""
    seen = {root}
    stack = [root]
    while stack:
        for target in targets[stack.pop()]:
            if target in seen:
                return False
            seen.add(target)
            stack.append(target)
    return True
