"""Finds the gateway that manages the scopes of a federation."""

from fes.federation.model import Federation
from fes.scopes import Client, Graph


def managed_services(graph: Graph) -> tuple[str, ...]:
    """Return the event services whose events may pass mappings or policies, in the file's order.

    These are all that are below a scope with a mapping or policy, directly or indirectly.
    """
    above: set[str] = set()
    for edge in graph.edges():
        if graph.maps(edge) or graph.scope(edge.scope).is_gate:
            above |= graph.above(edge.scope)
    return tuple(
        name
        for name, node in graph.nodes.items()
        if isinstance(node, Client)
        and node.service == name
        and not above.isdisjoint(graph.above(name))
    )


def manager_of(federation: Federation, graph: Graph) -> str:
    """Return the gateway that manages: the first attached to all of them; empty for none.

    Args:
        federation: The federation file, checked.
        graph: The scopes.
    """
    services = managed_services(graph)
    for name, gateway in federation.gateways.items():
        if services and all(service in gateway.adapters for service in services):
            return name
    return ""
