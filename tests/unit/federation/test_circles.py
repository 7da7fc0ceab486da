"""Circles over connections of event domains: three kinds are told apart."""

import pytest
from fes.federation import Kind, Severity, check, examine
from fes.federation.capabilities import Capabilities

FOUR = """\
version: 1
system: town
event_services:
  a: {kind: cns}
  b: {kind: cns}
  c: {kind: cns}
  d: {kind: plain}
gateways:
  g1: {adapters: {a: {}, b: {}}}
  g2: {adapters: {b: {}, c: {}}}
  g3: {adapters: {c: {}, a: {}}}
  g4: {adapters: {c: {}, d: {}}}
"""
KINDS = {"cns": Kind(), "plain": Kind(capabilities=lambda _: Capabilities(stamps=False))}


def findings(
    *connections: tuple[str, str], requests: tuple[tuple[str, str, str], ...] = ()
) -> list[tuple[Severity, str, str]]:
    text = FOUR
    if connections:
        joined = ", ".join(f"{{supplier: {a}, consumer: {b}}}" for a, b in connections)
        text += f"connections: [{joined}]\n"
    for number, (gateway, source, dist_list) in enumerate(requests):
        text += "" if number else "requests:\n"
        text += (
            f"  - {{gateway: {gateway}, type: subscription, source: {source},"
            f' dist_list: "{dist_list}", filter: ""}}\n'
        )
    document = examine(text, "f", {})
    assert document.federation is not None, document.findings
    found = check(document, KINDS)
    return [
        (each.severity, each.key, each.message)
        for each in found
        if "circle" in each.message or "more than once" in each.message
    ]


def test_a_ring_of_gateways_with_standbys_raises_nothing() -> None:
    assert findings() == []
    assert findings(("a", "b")) == []


def test_a_circle_of_connections_multiplies_events() -> None:
    [(severity, key, message)] = findings(("a", "b"), ("b", "c"), ("c", "a"))
    assert (severity, key) == (Severity.ERROR, "connections[2]")
    assert "a-b-c-a" in message
    assert "multiplies" in message


def test_a_diamond_of_connections_multiplies_events() -> None:
    [(severity, key, message)] = findings(("a", "b"), ("b", "c"), ("a", "c"))
    assert severity is Severity.ERROR
    assert key.startswith("connections")
    assert "a-b-c and a-c" in message


def test_a_circle_that_a_gateway_closes_is_told_and_harmless() -> None:
    [(severity, key, message)] = findings(("a", "b"), requests=(("g1", "a", "b"),))
    assert (severity, key) == (Severity.INFO, "connections[0]")
    assert "identities" in message


def test_a_circle_through_a_service_without_stamps_is_an_error() -> None:
    [(severity, _, message)] = findings(("c", "d"), requests=(("g4", "c", "d*"),))
    assert severity is Severity.ERROR
    assert "no stamps" in message


def test_subscriptions_both_ways_are_what_a_federation_is_for() -> None:
    assert findings(requests=(("g1", "a", "b"), ("g1", "b", "a"))) == []


@pytest.mark.parametrize(
    ("connections", "key", "message"),
    [
        ((("a", "x"),), "connections[0].consumer", "'x'"),
        ((("a", "b"), ("a", "b")), "connections[1]", "it repeats connections[0]"),
    ],
)
def test_connections_that_name_nothing_or_repeat_are_errors(
    connections: tuple[tuple[str, str], ...], key: str, message: str
) -> None:
    joined = ", ".join(f"{{supplier: {a}, consumer: {b}}}" for a, b in connections)
    document = examine(f"{FOUR}connections: [{joined}]\n", "f", {})
    found = [each for each in check(document, KINDS) if each.severity is Severity.ERROR]
    assert [(each.key, message in each.message) for each in found] == [(key, True)]
