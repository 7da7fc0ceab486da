"""What is explained is the same wherever it is explained."""

from fes.cli.scopes import shown
from fes.scopes import Client, Edge, Graph, Scope
from fes.scopes.explain import explain, passes
from fes.scopes.picture import picture

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


def _named() -> Graph:
    graph = Graph()
    nodes: list[Client | Scope] = [Client("a", "a"), Client("b", "b"), Client("ann", "a", "ann")]
    for node in [*nodes, Scope("M", session=True)]:
        graph.add(node)
    graph.join(Edge("ann", "M", output=()))
    graph.join(Edge("b", "M"))
    return graph


def test_a_path_of_an_event_service_leads_through_its_named_client() -> None:
    graph = _named()
    assert explain(graph, "a", "b") == ["a > ann > M > b", "  up ann in M: output nothing"]
    assert explain(graph, "b", "a") == ["b > M > ann > a"]
    assert explain(graph, "b", "ann") == ["b > M > ann"]
    (line,) = explain(graph, "ann", "a")
    assert line == "ann and a receive each other's events natively, not through scopes"
    assert not passes([line])


def test_a_named_client_is_drawn_above_its_event_service_and_shown_where_it_is_a_member() -> None:
    graph = _named()
    assert "<title>a in ann</title>" in picture(graph)
    assert list(shown(graph)) == ["M [session]", "  ann (ann at a)", "  b"]
