"""A gateway that manages scopes, beside another one at the same event services."""

import pytest
from fes.model import Event
from support.scopes.federated import Federated

FILE = """
version: 1
system: test
event_services:
  north: {kind: memory}
  middle: {kind: memory}
  south: {kind: memory}
gateways:
  g1: {adapters: {north: {}, middle: {}}}
  g2: {adapters: {north: {}, middle: {}, south: {}}}
scopes:
  market:
    members: {north: {}, middle: {down: [{set: {seen: 1}}]}, south: {down: [{set: {seen: 1}}]}}
"""
PLAIN = FILE.replace("{down: [{set: {seen: 1}}]}", "{}")
MAPS = {"down": [{"set": {"seen": 1}}]}
QUOTE = Event.of("Quote", price=4.0)


def _subscribed(text: str, *, suppresses: bool) -> Federated:
    federated = Federated(text, suppresses=suppresses)
    federated.wait(4)
    for at, name in enumerate(("north", "middle", "south")):
        federated.subscribe(name, at + 1, "g2")
    federated.wait(3)
    return federated


def _received(
    federated: Federated, service: str, number: int, at: tuple[str, ...]
) -> dict[str, list[object]]:
    found: dict[str, list[object]] = {}
    for name, event in federated.publish_to(service, number, QUOTE, at):
        found.setdefault(name, []).append(event.parameter("seen"))
    return found


@pytest.mark.parametrize("suppresses", [True, False])
@pytest.mark.parametrize("at", [("g1", "g2"), ("g2", "g1")])
def test_what_one_gateway_manages_is_delivered_once_wherever_another_one_serves(
    at: tuple[str, ...], *, suppresses: bool
) -> None:
    federated = _subscribed(FILE, suppresses=suppresses)
    assert {core.scopes.manager for core in federated.cores.values()} == {"g2"}
    assert _received(federated, "north", 1, at) == {"middle": [1], "south": [1]}
    assert _received(federated, "middle", 2, at) == {"north": [None], "south": [1]}
    assert _received(federated, "south", 3, ("g2",)) == {"north": [None], "middle": [1]}


def test_what_waited_is_delivered_where_another_gateway_serves() -> None:
    waits = (
        "publishing: {delay_s: 5}\n    members: {north: {}}\n  all:\n    members: {delayed: {}, "
    )
    text = f"{FILE[: FILE.index('  market')]}  delayed:\n    {waits}middle: {{}}, south: {{}}}}\n"
    federated = _subscribed(text, suppresses=False)
    assert _received(federated, "north", 1, ("g1", "g2")) == {}
    federated.published.clear()
    federated.wait(6)
    assert sorted(name for name, _ in federated.published) == ["middle", "south"]
