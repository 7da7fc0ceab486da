"""What an adapter hears and may not enter is refused, counted and told in few words."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from eventservices.stamp import Stamp, Stamper
from fes.adapter.context import Subscription
from fes.adapter.inbound.receiver import Inbound
from fes.adapter.pool import ConnectionPool
from fes.eventlog import Decision
from fes.filter import Filter
from fes.link.end import Message
from fes.link.messages import Heard, HeardControl
from fes.mapping import Mapping, Native, load_rules
from fes.model import Event
from fes.testing.memory import MemoryAdapter
from support.processes.contexts import adapter_context

STAMP = Stamp("car", 1, 1, 1_700_000_000_000_000, "north")


class Bench:
    """An inbound path, with what it sends and logs."""

    def __init__(self, mapping: Mapping | None = None) -> None:
        self.sent: list[Message] = []
        self.log: list[tuple[Decision, dict[str, Any]]] = []
        context = adapter_context("g", "north", MemoryAdapter, ConnectionPool())
        if mapping is not None:
            context = replace(context, mapping=mapping)
        stamper = Stamper(context.id, context.service)
        self.inbound = Inbound(context, self._send, self._log, stamper)
        self.inbound.subscribe(Subscription(1, Filter.of("rate > 0")))

    def _send(self, message: Message) -> bool:
        self.sent.append(message)
        return True

    def _log(self, decision: Decision, **more: Any) -> None:
        self.log.append((decision, more))

    def hear(self, event: Event) -> None:
        native = Native(event.subject, event.parameters, event.attributes)
        self.inbound.heard(native, STAMP)

    def refusal(self) -> dict[str, Any]:
        assert not self.sent
        assert self.inbound.counters["refused"] == 1
        ((decision, told),) = self.log
        assert decision is Decision.REFUSED
        return told


@pytest.mark.parametrize("subject", ["FES_Other", "FES_", "FES_ControlEvent"])
def test_no_event_of_a_reserved_subject_enters(subject: str) -> None:
    bench = Bench()
    bench.hear(Event.of(subject, rate=1.0))
    assert bench.refusal()["reason"] == f"subject {subject!r} is reserved"


def test_what_no_filter_accepts_is_counted_and_not_sent() -> None:
    bench = Bench()
    for rate in (0.0, 1.0, -1.0):
        bench.hear(Event.of("Speed", rate=rate))
    assert len(bench.sent) == 1
    counters = bench.inbound.counters
    assert [counters[name] for name in ("received", "filtered", "accepted")] == [3, 2, 1]


@pytest.mark.parametrize(
    ("event", "reason"),
    [
        (Event.of("s" * 100_000, rate=1.0), "100000 characters, more than 512"),
        (Event.of("Speed", {"n" * 100_000: 1}, rate=1.0), "100000 characters"),
        (Event.of("Speed", {f"n{n}": n for n in range(1000)}, rate=1.0), "1001 fields"),
        (Event.of("Speed", rate=1.0, load=bytes(300_000)), "exceeds the limit of 262144"),
        (Event.of("Speed", {"rate": 1.0}, {"Timeout": 1e308 * 10}), "'Timeout'"),
        (Event.of("Speed", {"rate": 1.0}, {"StopTime": "x" * 100_000}), "'StopTime'"),
    ],
)
def test_what_breaks_a_limit_is_refused_in_few_words(event: Event, reason: str) -> None:
    bench = Bench()
    bench.hear(event)
    told = bench.refusal()
    assert reason in told["reason"]
    assert len(told["reason"]) <= 500
    assert len(told["subject"]) <= 200


def test_an_event_that_never_ends_enters() -> None:
    bench = Bench()
    bench.hear(Event.of("Speed", {"rate": 1.0}, {"Timeout": 1e308}))
    (heard,) = bench.sent
    assert isinstance(heard, Heard)
    assert heard.expires_us == 0


@pytest.mark.parametrize(
    ("parameters", "reason"),
    [
        ({"Filter": "x" * 400_000}, "exceeds the limit of 327680 bytes"),
        ({"n" * 600: 1}, "600 characters"),
        ({"Event": Event.of("s" * 600)}, "600 characters"),
    ],
)
def test_a_control_event_beyond_the_limits_does_not_reach_the_gateway(
    parameters: dict[str, Any], reason: str
) -> None:
    bench = Bench()
    bench.inbound.heard_control(Event.of("FES_ControlEvent", {"Type": 2, **parameters}), STAMP)
    assert reason in bench.refusal()["reason"]


def test_a_control_event_may_wrap_the_largest_event() -> None:
    bench = Bench()
    largest = Event.of("Load", load=bytes(262_144 - 50))
    control = Event.of("FES_ControlEvent", Type=3, DistList="a," * 1000, Event=largest)
    bench.inbound.heard_control(control, STAMP)
    (passed,) = bench.sent
    assert isinstance(passed, HeardControl)


def test_what_could_not_be_read_is_kept_within_bounds() -> None:
    bench = Bench()
    for number in range(200):
        bench.inbound.set_aside("r" * 10_000, b"%d" % number + b"x" * 10_000)
    assert bench.inbound.counters["malformed"] == 200
    assert len(bench.inbound.aside) == 100
    assert all(len(raw) == 1024 for _, raw in bench.inbound.aside)
    assert all(len(told["reason"]) == 500 for _, told in bench.log)


def made_of(*rules: dict[str, Any]) -> Bench:
    bench = Bench(Mapping(load_rules(rules, Path())))
    bench.inbound.subscribe(Subscription(2, Filter.of("subject = 'A' OR subject = 'B'")))
    return bench


def test_two_gateways_with_different_lists_make_one_identity_of_one_event() -> None:
    one, other = (
        {"native": {"subject": "raw"}, "subject": name, "direction": "in"} for name in "AB"
    )
    heard = []
    for rules in ((one, other), (other,)):
        bench = made_of(*rules)
        bench.hear(Event.of("raw", x=1))
        heard.append({m.subject: m.stamp.identity for m in bench.sent if isinstance(m, Heard)})
    assert heard[0]["B"] == heard[1]["B"] != heard[0]["A"]


@pytest.mark.parametrize("rate", [251.0, -12.95, float("nan")])
def test_an_implausible_event_is_left_out_counted_and_told_with_its_value(rate: float) -> None:
    field = {"range": {"min": 0, "max": 250}}
    bench = made_of({"subject": "A", "parameters": {"rate": field}})
    bench.hear(Event.of("A", rate=rate))
    bench.hear(Event.of("A", rate=30.0))
    assert [m.subject for m in bench.sent if isinstance(m, Heard)] == ["A"]
    assert bench.inbound.counters["left_out"] == 1
    decision, told = bench.log[0]
    assert (decision, told["subject"], told["stamp"].origin) == (Decision.LEFT_OUT, "A", "car")
    assert repr(rate) in told["reason"]
    assert "0..250" in told["reason"]


def test_a_priority_that_is_none_is_told_and_counted_and_the_event_passes() -> None:
    bench = Bench()
    bench.hear(Event.of("Speed", {"rate": 1.0}, {"Priority": "high"}))
    assert [m.priority for m in bench.sent if isinstance(m, Heard)] == [0]
    assert bench.inbound.counters["malformed_attributes"] == 1
    told = [more["what"] for decision, more in bench.log if decision is Decision.DEGRADED]
    assert told[0].startswith("attribute 'Priority': 'high'")
