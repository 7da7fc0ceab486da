"""What is stated of a pair of components is what the definition delivers."""

import os
from itertools import permutations

import fes.scopes.conditions as conditions_module
import pytest
from fes.filter import Filter
from fes.model import Event, Stamp
from fes.scopes import Client, DirectRouter, Edge, Graph, Scope, ScopeManager, ScopeState
from fes.scopes.passage import Passage, Passages
from support.scopes.audience import Subscribers
from support.scopes.town import Draw, Town

TOWNS = int(os.environ.get("FES_LAWS", "2000")) // 4
EVENTS = [Event.of(subject, n=n) for subject in "ab" for n in range(3)]


def _all_subscribed(town: Town) -> Subscribers:
    audience = Subscribers()
    for name in town.clients:
        audience.subscribe(name, "")
    return audience


def _received(town: Town, source: str, event: Event, audience: Subscribers) -> set[str]:
    """Return who receives an event, by the definition."""
    manager = ScopeManager(town.graph, DirectRouter(town.graph), audience, ScopeState())
    outcome = manager.publish(source, event, Stamp(source, 1, 1, 0, "s"), 0)
    return {each.consumer for each in outcome.deliveries}


def _agrees(passage: Passage, event: Event, *, received: bool) -> bool:
    """Return whether a passage states no less, and where nothing is managed no more."""
    passes = passage.test(event) is True
    if passage.managed or not passes:
        return passes or not received
    return received and passage.open


def _check(seed: int) -> None:
    town = Town(Draw(seed))
    audience = _all_subscribed(town)
    passages = Passages(town.graph)
    for event in EVENTS:
        received = {name: _received(town, name, event, audience) for name in town.clients}
        for source, destination in permutations(town.clients, 2):
            passage = passages.between(source, destination)
            agrees = _agrees(passage, event, received=destination in received[source])
            assert agrees, f"seed {seed}: {source} to {destination}: {event} {passage}"


def test_what_is_stated_is_what_the_definition_delivers() -> None:
    for seed in range(TOWNS):
        _check(seed)


def test_what_is_too_long_to_be_stated_is_exact_all_the_same(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(conditions_module, "MAX_TESTS", 1)
    for seed in range(TOWNS):
        _check(seed)


def _ladder(steps: int) -> Graph:
    """Return scopes in which each step doubles the paths from a to b, each with a filter."""
    graph = Graph()
    for name in ("a", "b"):
        graph.add(Client(name))
    graph.add(Scope("top0"))
    graph.join(Edge("a", "top0"))
    for at in range(steps):
        graph.add(Scope(f"top{at + 1}"))
        for side in "xy":
            graph.add(Scope(f"{side}{at}", output=(Filter.of(f"{side}{at} > 0"),)))
            graph.join(Edge(f"top{at}", f"{side}{at}"))
            graph.join(Edge(f"{side}{at}", f"top{at + 1}"))
    graph.join(Edge("b", f"top{steps}"))
    return graph


def test_a_million_paths_are_stated_by_scope() -> None:
    passage = Passages(_ladder(20)).between("a", "b")
    assert not passage.managed
    both = {f"{side}{at}": 1 for side in "xy" for at in range(20)}
    assert passage.test(Event.of("e", **both)) is True
    one_closed = {**both, "x7": 0, "y3": 0}
    assert passage.test(Event.of("e", **one_closed)) is True
    step_closed = {**both, "x7": 0, "y7": 0}
    assert passage.test(Event.of("e", **step_closed)) is not True


def test_a_condition_is_compiled_again_after_a_change() -> None:
    graph = _ladder(1)
    passages = Passages(graph)
    assert passages.between("a", "b").open
    graph.leave("b", "top1")
    assert not passages.between("a", "b").open
