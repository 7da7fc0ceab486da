"""A small world for a statement."""

from fes.scopes import Client, Edge, Graph, Scope
from support.scopes.market import (
    World,
)
from support.scopes.town import RouterOf


def world_of(
    router: RouterOf,
    scopes: tuple[Scope, ...],
    edges: tuple[Edge, ...],
    **subscriptions: str,
) -> World:
    """Return a small world whose components are whatever is named and is no scope."""
    graph = Graph()
    for scope in scopes:
        graph.add(scope)
    for edge in edges:
        if edge.member not in graph:
            graph.add(Client(edge.member))
    for edge in edges:
        graph.join(edge)
    world = World(graph, router)
    for consumer, text in subscriptions.items():
        world.audience.subscribe(consumer, text)
    return world
