"""The elementary cycles of a graph.

Source:
    D. B. Johnson, "Finding all the elementary circuits of a directed graph", 1975, as networkx
    has it. MEDIator lists elementary cycles too; Erlang's implementation lists strongly connected
    components.
"""

from typing import Final

import networkx as nx

from eventservices.cns.domains.graph.bounded import Bounded
from eventservices.cns.domains.graph.components import as_networkx
from eventservices.cns.domains.graph.digraph import Digraph

Cycle = tuple[int, ...]
"""The identifiers of the channels of a cycle, in order, each once; the lowest first."""

MOST_CYCLES: Final = 1000
"""Most cycles that are listed."""

MOST_MEMBERS: Final = 100_000
"""Most identifiers that the listed cycles have together."""


def elementary_cycles(graph: Digraph, most: int = MOST_CYCLES) -> Bounded[Cycle]:
    """Return the elementary cycles, sorted; each begins with its lowest identifier.

    Where there are more than `most`, those returned depend on the graph alone, not on the order in
    which it was built.
    """
    found: list[Cycle] = []
    members = 0
    for cycle in nx.simple_cycles(as_networkx(graph)):
        if len(found) == most or members > MOST_MEMBERS:
            return Bounded(tuple(sorted(found)), more=True)
        found.append(rotated(cycle))
        members += len(cycle)
    return Bounded(tuple(sorted(found)))


def rotated(cycle: list[int] | Cycle) -> Cycle:
    """Return a cycle so that it begins with its lowest identifier."""
    first = cycle.index(min(cycle))
    return (*cycle[first:], *cycle[:first])
