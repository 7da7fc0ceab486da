"""What is explained is the same wherever it is explained."""

from fes.scopes import Client, Edge, Graph, Scope
from fes.scopes.explain import explain

MIDDLE = [f"S{at}" for at in range(20)]


def test_paths_are_in_declaration_order() -> None:
    graph = Graph()
    nodes: list[Client | Scope] = [Client("a", "a"), Client("b", "b")]
    for node in [*nodes, Scope("M"), *map(Scope, MIDDLE)]:
        graph.add(node)
    graph.join(Edge("a", "M"))
    for name in MIDDLE:
        graph.join(Edge(name, "M"))
        graph.join(Edge("b", name))
    assert explain(graph, "a", "b") == [f"a > M > {name} > b" for name in MIDDLE]
