"""What is degraded at the destinations of a file's subscriptions is told, to those who ask."""

import pytest
from fes.federation import Kind, examine
from fes.federation.checks.degraded import tell_degraded
from fes.federation.file.tree import Report
from support.kinds import able

KINDS = {
    "cns": able(honours=("Priority",)),
    "steam": able(honours=("Proximity",)),
    "siena": able(observes=("subscriptions",)),
}
TIMES = "Timeout, StartTime, StopTime apply up to its adapter only"


def told(text: str, kinds: dict[str, Kind] = KINDS) -> list[str]:
    document = examine(text, "f", {})
    assert document.federation is not None
    assert document.tree is not None
    report = Report(document.tree)
    tell_degraded(document.federation, report, kinds)
    return [str(finding) for finding in report.findings]


def keeping(text: str, *services: str) -> str:
    """Return a file in which some event services keep events."""
    for name in services:
        head, _, tail = text.partition(f"  {name}: {{kind")
        text = f"{head}  {name}: {{settings: {{persistent: true}}, kind{tail}"
    return text


def test_a_subscription_tells_what_its_source_does_not_do(small: str) -> None:
    (line,) = told(small)
    assert line == (
        f"f:24:5: info: requests[0]: events from bus at 'car': degraded Reliability, Priority;"
        f" {TIMES}"
    )


def test_what_an_event_service_does_is_not_degraded(small: str) -> None:
    every = ("Priority", "Proximity", "Timeout", "StartTime", "StopTime")
    kinds = {**KINDS, "steam": able(honours=every, persistent=True)}
    assert told(small, kinds)[0].endswith("events from bus at 'car': nothing is degraded")


def test_a_list_of_several_names_them_all_but_its_source(small: str) -> None:
    text = small.replace("dist_list: bus", "dist_list: '*'")
    assert "events from bus, post, city at 'car'" in told(text)[0]


def test_where_attributes_do_not_reach_native_clients_it_says_so(small: str) -> None:
    kinds = {**KINDS, "steam": able(keeps_attributes=False)}
    assert told(small, kinds)[0].endswith("no attribute reaches its native clients")


def test_what_native_clients_will_subscribe_to_is_told_too(small: str) -> None:
    text = small.replace("city: {}", "city: {observe: {subscriptions: 'bus'}}")
    assert told(text)[1] == (
        "f:20:39: info: gateways.g2.adapters.city.observe.subscriptions: events from bus at 'city':"
        f" degraded Reliability, Priority, Proximity; {TIMES}"
    )


@pytest.mark.parametrize(
    ("kept", "weak"),
    [(("bus", "end"), True), (("bus", "city", "end"), False), (("bus", "city"), False)],
)
def test_what_lies_between_and_keeps_nothing_is_told(
    small: str, kept: tuple[str, ...], *, weak: bool
) -> None:
    end = "  end: {kind: cns, brokers: [nats]}\n"
    chain = "  g0: {adapters: {bus: {}, city: {}}}\n  g3: {adapters: {city: {}, end: {}}}\n"
    text = small.replace("gateways:\n", f"{end}gateways:\n")
    text = text.replace("mappings:\n", f"{chain}mappings:\n").replace("source: car", "source: end")
    line = told(keeping(text, *kept))[0]

    assert ("degraded Reliability from 'bus', through city" in line) == weak
    assert ("degraded Reliability, " in line) == ("end" not in kept)


def test_on_the_air_gateways_answer_one_another(small: str) -> None:
    text = keeping(small.replace("source: car", "source: city"), "city", "bus")
    assert "Reliability" not in told(text)[0]


def test_how_many_persistent_events_are_remembered_is_told_where_there_are_any(small: str) -> None:
    assert len(told(small)) == 1
    assert told(keeping(small, "city"))[1].endswith(
        "limits.marks: up to 83 persistent events a second: a gateway remembers those that went"
        " for 600 s"
    )


def test_a_kind_without_an_adapter_is_left_to_others(small: str) -> None:
    assert told(small, {**KINDS, "steam": Kind(fault="no module")}) == []
