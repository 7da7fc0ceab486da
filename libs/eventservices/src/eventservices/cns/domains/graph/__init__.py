"""The graph of a domain: channels are vertices, connections are edges. No I/O."""

from eventservices.cns.domains.graph.bounded import Bounded
from eventservices.cns.domains.graph.checks import cycle_of, makes_diamond, new_diamonds
from eventservices.cns.domains.graph.components import has_cycle, has_diamond
from eventservices.cns.domains.graph.cycles import Cycle, elementary_cycles
from eventservices.cns.domains.graph.diamonds import Diamond, DiamondView, list_diamonds
from eventservices.cns.domains.graph.digraph import Digraph, Edge
from eventservices.cns.domains.graph.routes import Route
from eventservices.cns.domains.graph.search import path, reached

__all__ = [
    "Bounded",
    "Cycle",
    "Diamond",
    "DiamondView",
    "Digraph",
    "Edge",
    "Route",
    "cycle_of",
    "elementary_cycles",
    "has_cycle",
    "has_diamond",
    "list_diamonds",
    "makes_diamond",
    "new_diamonds",
    "path",
    "reached",
]
