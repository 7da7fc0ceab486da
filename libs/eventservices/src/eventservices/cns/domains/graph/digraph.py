"""A directed graph of channels: members by identifier, at most one connection an ordered pair."""

from collections.abc import Iterable, Iterator

Edge = tuple[int, int]
"""A connection: the supplier channel's identifier, then the consumer channel's."""

_NOTHING: frozenset[int] = frozenset()


class Digraph:
    """Keeps vertices and edges, with the neighbours of each vertex in both directions.

    Args:
        edges: Edges to begin with; their ends are added.

    Attributes:
        successors: By vertex, the vertices that its events reach over one edge; read only.
        predecessors: The same in the other direction; read only.
    """

    __slots__ = ("predecessors", "successors")

    def __init__(self, edges: Iterable[Edge] = ()) -> None:
        self.successors: dict[int, set[int]] = {}
        self.predecessors: dict[int, set[int]] = {}
        for source, target in edges:
            self.add_vertex(source)
            self.add_vertex(target)
            self.add_edge(source, target)

    def __contains__(self, vertex: object) -> bool:
        """Return whether there is such a vertex."""
        return vertex in self.successors

    def __len__(self) -> int:
        """Return the number of vertices."""
        return len(self.successors)

    def __iter__(self) -> Iterator[int]:
        """Iterate over the vertices, the lowest first."""
        return iter(sorted(self.successors))

    @property
    def edges(self) -> Iterator[Edge]:
        """The edges, in ascending order."""
        return ((source, target) for source in self for target in sorted(self.successors[source]))

    def has_edge(self, source: int, target: int) -> bool:
        """Return whether there is an edge from `source` to `target`."""
        return target in self.successors.get(source, _NOTHING)

    def add_vertex(self, vertex: int) -> None:
        """Add a vertex; idempotent."""
        self.successors.setdefault(vertex, set())
        self.predecessors.setdefault(vertex, set())

    def remove_vertex(self, vertex: int) -> None:
        """Remove a vertex and its edges.

        Raises:
            KeyError: There is no such vertex.
        """
        for target in self.successors.pop(vertex):
            self.predecessors[target].discard(vertex)
        for source in self.predecessors.pop(vertex):
            if source != vertex:
                self.successors[source].discard(vertex)

    def add_edge(self, source: int, target: int) -> None:
        """Add an edge between two vertices; idempotent.

        Raises:
            KeyError: There is no such vertex.
        """
        self.successors[source].add(target)
        self.predecessors[target].add(source)

    def remove_edge(self, source: int, target: int) -> None:
        """Remove an edge.

        Raises:
            KeyError: There is no such edge.
        """
        self.successors[source].remove(target)
        self.predecessors[target].remove(source)

    def reversed(self) -> "Digraph":
        """Return a view with all edges turned round; it changes with this graph."""
        turned = Digraph()
        turned.successors, turned.predecessors = self.predecessors, self.successors
        return turned

    def restricted(self, vertices: Iterable[int]) -> "Digraph":
        """Return a copy that has only some of the vertices, and the edges between them."""
        kept = set(vertices)
        part = Digraph()
        part.successors = {vertex: self.successors[vertex] & kept for vertex in sorted(kept)}
        part.predecessors = {vertex: self.predecessors[vertex] & kept for vertex in sorted(kept)}
        return part

    def with_edge(self, source: int, target: int) -> "Digraph":
        """Return a copy that has one edge more."""
        grown = self.restricted(self.successors)
        grown.add_edge(source, target)
        return grown
