"""Which gateway manages the scopes of a federation."""

from fes.federation.model import Federation
from fes.scopes import Client, Graph


def managed_services(graph: Graph) -> tuple[str, ...]:
    """Return the event services below mappings and policies, in the order of the file."""
    return tuple(
        name
        for name, node in graph.nodes.items()
        if isinstance(node, Client) and node.service == name and _is_managed(graph, name)
    )


def manager_of(federation: Federation, graph: Graph) -> str:
    """Return the gateway that manages: the first attached to all of them; empty for none.

    Args:
        federation: Its file, checked.
        graph: Its scopes.
    """
    services = managed_services(graph)
    for name, gateway in federation.gateways.items():
        if services and all(service in gateway.adapters for service in services):
            return name
    return ""


def _is_managed(graph: Graph, name: str) -> bool:
    """Return whether there is a mapping or policy in a scope above, or below such a scope."""
    return any(
        graph.maps(edge) or graph.scope(edge.scope).is_gate
        for each in graph.above(name)
        for edge in graph.supers(each).values()
    )
