"""The laws of detection notice faults: each is planted, and some graph shows it."""

import random

import pytest
from eventservices.cns.domains.graph import checks, components, diamonds, second
from eventservices.cns.domains.graph.digraph import Digraph
from property.cns_domains.test_graph_laws import apply

FAULTS = {
    "no diamond past an edge is seen": (checks, "meets", lambda *_: False),
    "no cycle is seen": (checks, "path", lambda *_: None),
    "every component is a cactus": (components, "_is_cactus", lambda *_: True),
    "components may be joined twice": (components, "_joined_by_one_path", lambda *_: True),
    "both views are the same": (diamonds, "_minimal_ends", diamonds._pair_ends),
    "routes past an edge are not found": (second, "_routes_past", lambda *_: ()),
    "what is removed stays": (Digraph, "remove_edge", lambda *_: None),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_a_planted_fault_is_noticed(fault: str, monkeypatch: pytest.MonkeyPatch) -> None:
    place, name, wrong = FAULTS[fault]
    monkeypatch.setattr(place, name, wrong)
    draw = random.Random(7)

    def fails() -> bool:
        steps = [(draw.randrange(5), draw.randrange(5)) for _ in range(24)]
        setting = {"cycles": draw.random() < 0.5, "diamonds": draw.random() < 0.7}
        try:
            apply(steps, **setting)
        except (AssertionError, KeyError, IndexError):
            return True
        return False

    assert any(fails() for _ in range(300))
