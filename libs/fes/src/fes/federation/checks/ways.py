"""Checks that there is a route between any two event services."""

from fes.federation.file.tree import Report
from fes.federation.model import Federation
from fes.federation.topology import Graph, Vertex, attachments, mediums, spanning_tree


def check_ways(federation: Federation, report: Report) -> None:
    """Warn where the federation is not connected.

    Args:
        federation: Valid in form.
        report: Collects the findings.
    """
    graph = spanning_tree(attachments(federation), mediums(federation))
    reached: set[Vertex] = set()
    first = ""
    for gateway in federation.gateways:
        start: Vertex = ("gateway", gateway)
        if start in reached:
            continue
        reached |= _component(graph, start)
        if first:
            message = f"there is no route between this gateway and {first!r}"
            report.warning(("gateways", gateway), message)
        first = first or gateway


def _component(graph: Graph, start: Vertex) -> set[Vertex]:
    seen, todo = {start}, [start]
    for vertex in todo:
        new = [near for near in graph.get(vertex, ()) if near not in seen]
        seen.update(new)
        todo += new
    return seen
