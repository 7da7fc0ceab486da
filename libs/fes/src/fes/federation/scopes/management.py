"""Finds the gateway that manages the scopes of a federation."""

from collections.abc import Collection, Mapping

from fes.federation.model import Federation
from fes.scopes import Client, Graph


def managed_services(graph: Graph) -> tuple[str, ...]:
    """Return the event services whose events may pass mappings or policies, in the file's order.

    These are all that are below a scope with a mapping or policy, directly or indirectly.
    """
    if not graph.has_stations:
        return ()
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
    gateways = {name: tuple(each.adapters) for name, each in federation.gateways.items()}
    return manager_among(gateways, managed_services(graph))


def manager_among(gateways: Mapping[str, Collection[str]], services: Collection[str]) -> str:
    """Return the first gateway that is attached to all of some event services; empty for none.

    Args:
        gateways: Event services of each, in the file's order.
        services: As `managed_services` returns them.
    """
    for name, attached in gateways.items():
        if services and all(service in attached for service in services):
            return name
    return ""
