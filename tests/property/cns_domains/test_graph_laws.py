"""Detection in small graphs equals brute force, whatever is added and removed in which order."""

import pytest
from eventservices.cns.domains.graph import (
    DiamondView,
    Digraph,
    cycle_of,
    elementary_cycles,
    has_cycle,
    has_diamond,
    list_diamonds,
    makes_diamond,
    new_diamonds,
)
from hypothesis import given
from hypothesis import strategies as st
from support import domain_graphs as brute

EDGES = st.lists(st.tuples(st.integers(0, 5), st.integers(0, 5)), max_size=24)
SETTINGS = [(False, False), (False, True), (True, False), (True, True)]


def apply(steps: list[tuple[int, int]], *, cycles: bool, diamonds: bool) -> None:
    """Toggle edges, refusing what the setting forbids, and compare each decision."""
    graph = Digraph()
    for vertex in range(6):
        graph.add_vertex(vertex)
    known: set[tuple[int, int]] = set()
    for edge in steps:
        if edge in known:
            graph.remove_edge(*edge)
            known.discard(edge)
            continue
        more = known | {edge}
        closes = cycle_of(graph, *edge) is not None
        assert closes == (len(brute.cycles(more)) > len(brute.cycles(known)))
        if closes and cycles:
            continue
        if diamonds:
            doubles = makes_diamond(graph, *edge)
            assert doubles == bool(brute.pairs(more))
            if doubles:
                found = new_diamonds(graph, *edge, acyclic=cycles)
                expected = brute.minimal(more)
                assert set(found) <= set(expected)
                assert found.more or list(found) == expected
                continue
        graph.add_edge(*edge)
        known = more
    check_lists(graph, known)


def check_lists(graph: Digraph, known: set[tuple[int, int]]) -> None:
    assert list(elementary_cycles(graph)) == brute.cycles(known)
    assert has_cycle(graph) == bool(brute.cycles(known))
    assert has_diamond(graph) == bool(brute.pairs(known))
    for view, expected in (
        (DiamondView.MINIMAL, brute.minimal(known)),
        (DiamondView.PAIR, brute.pairs(known)),
    ):
        found = list_diamonds(graph, view)
        cut = [diamond[:16] for diamond in expected]
        assert list(found) == cut
        assert found.more == any(len(diamond) > 16 for diamond in expected)


@pytest.mark.parametrize(("cycles", "diamonds"), SETTINGS)
@given(steps=EDGES)
def test_detection_equals_brute_force_under_every_setting(
    steps: list[tuple[int, int]], *, cycles: bool, diamonds: bool
) -> None:
    apply(steps, cycles=cycles, diamonds=diamonds)


@given(steps=EDGES)
def test_one_view_of_diamonds_is_empty_exactly_if_the_other_is(
    steps: list[tuple[int, int]],
) -> None:
    graph = Digraph(steps)
    assert bool(list_diamonds(graph)) == bool(list_diamonds(graph, DiamondView.PAIR))


@given(steps=EDGES)
def test_lists_do_not_depend_on_the_order_in_which_a_graph_was_built(
    steps: list[tuple[int, int]],
) -> None:
    turned = list(reversed(steps))
    one, other = Digraph(steps), Digraph(turned)
    assert elementary_cycles(one, 3) == elementary_cycles(other, 3)
    assert list_diamonds(one, most=2) == list_diamonds(other, most=2)
