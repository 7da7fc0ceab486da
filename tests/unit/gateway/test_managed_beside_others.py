"""A gateway that manages scopes, beside another one at the same event services."""

import pytest
from fes.model import Event
from support.scopes.federated import Federated, joins

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


BESIDE = "  g1: {adapters: {north: {}, middle: {}}}\n"
MANAGES = "  g2: {adapters: {north: {}, middle: {}, south: {}}}\n"
THIRD = "  g3: {adapters: {south: {}}}\n"
ORDERS = {
    "the manager": (MANAGES + BESIDE, "g1"),
    "the one beside it": (BESIDE + MANAGES, "g2"),
    "a third one": (THIRD + BESIDE + MANAGES, "g1"),
}
"""By the gateway that orders changes: the gateways of the file, and which receives them late."""


def _with(text: str, gateways: str) -> str:
    return text[: text.index("  g1:")] + gateways + text[text.index("scopes:") :]


def _change(federated: Federated, *, maps: bool) -> None:
    first = next(iter(federated.cores))
    for name in ("middle", "south"):
        change = joins(name, "market", **(MAPS if maps else {}))
        assert federated.change(change, first) == []


@pytest.mark.parametrize("suppresses", [True, False])
@pytest.mark.parametrize("orders", ORDERS)
@pytest.mark.parametrize("maps", [True, False])
@pytest.mark.parametrize("at", [("g1", "g2"), ("g2", "g1")])
def test_nobody_misses_an_event_while_a_mapping_comes_or_goes_at_one_gateway_after_the_other(
    at: tuple[str, ...], *, maps: bool, orders: str, suppresses: bool
) -> None:
    gateways, late = ORDERS[orders]
    federated = _subscribed(_with(PLAIN if maps else FILE, gateways), suppresses=suppresses)
    federated.late.add(late)
    _change(federated, maps=maps)
    known = federated.generations()
    assert (known.pop(late), set(known.values())) == (0, {2})
    others = {"north": {"middle", "south"}, "middle": {"north", "south"}}
    for number, (service, to) in enumerate(others.items(), 1):
        assert _received(federated, service, number, at).keys() == to, service
    federated.late.clear()
    federated.wait(5)
    assert set(federated.generations().values()) == {2}
    received = _received(federated, "north", 10, at)
    if suppresses:
        received = {name: values[:1] for name, values in received.items()}
    assert received == {key: [1 if maps else None] for key in ("middle", "south")}
