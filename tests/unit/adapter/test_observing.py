"""Requests made of what native clients declare: merged, renewed, ended, and bounded."""

from dataclasses import dataclass, field, replace
from typing import Any

import pytest
from eventservices.stamp import Stamper
from fes.adapter.inbound import observed_requests as observing
from fes.adapter.inbound.observed_requests import ObservedRequests
from fes.adapter.observed import Observed
from fes.adapter.pool import ConnectionPool
from fes.control import ControlEvent, RequestType, from_event
from fes.eventlog import Decision
from fes.federation.model import Observe
from fes.filter import parse
from fes.filter.language.tree import Comparison, Constant, Parameter
from fes.link.end import Message
from fes.link.messages import HeardControl
from fes.mapping import Native
from fes.model import Event, Field, Type, binary
from fes.testing.memory import MemoryAdapter
from support.processes.contexts import adapter_context

SECOND = 1_000_000
SAID = Observe(subscriptions="cns-*", announcements="siena", lease_s=30, limit=2)
SPEEDING = "subject = 'Speed' AND rate > 70"


@dataclass
class Bench:
    """Observes with a gateway that is a list, and a clock that a test turns."""

    said: Observe = SAID
    linked: bool = True
    now_us: int = 1_000 * SECOND
    set_us: int = 0
    sent: list[ControlEvent] = field(default_factory=list)
    logged: list[tuple[Decision, dict[str, Any]]] = field(default_factory=list)

    def __post_init__(self) -> None:
        """Begin with nothing observed."""
        context = adapter_context("g", "city", MemoryAdapter, ConnectionPool())
        self.observing = ObservedRequests(
            replace(context, observe=self.said),
            self.send,
            lambda decision, **more: self.logged.append((decision, more)),
            Stamper("g.city", "city"),
            lambda: self.now_us + self.set_us,
            lambda: self.now_us,
        )

    def send(self, message: Message) -> bool:
        assert isinstance(message, HeardControl)
        assert message.observed
        if self.linked:
            self.sent.append(from_event(binary.decode(message.body), message.stamp))
        return self.linked

    def see(self, by: str, text: str = SPEEDING) -> None:
        self.observing.observed(Observed(by, wants=parse(text)))

    def announce(self, by: str, subject: str, **attributes: Any) -> None:
        fields = tuple(Field(name, Type.STRING, value) for name, value in attributes.items())
        self.observing.observed(Observed(by, announces=(Native(subject, (), fields),)))

    def lose(self, by: str) -> None:
        self.observing.observed(Observed(by, withdrawn=True))

    def is_short(self) -> bool:
        return self.observing.missed

    def types(self) -> list[RequestType]:
        found, self.sent = [each.type for each in self.sent], []
        return found


def test_a_native_subscription_becomes_a_lease_for_whom_the_file_says() -> None:
    bench = Bench()
    bench.see("s1")
    (request,) = bench.sent
    assert request.type is RequestType.SUBSCRIPTION
    assert (request.source, request.dist_list) == ("city", "cns-*")
    assert request.filter == "rate > 70 AND subject = 'Speed'"
    assert request.expires_us == bench.now_us + 30 * SECOND
    assert (request.path, request.version) == ((), 0)


def test_it_is_renewed_in_time_though_the_wall_clock_was_set_back() -> None:
    bench = Bench()
    bench.see("s1")
    bench.set_us = -3_600 * SECOND
    bench.now_us += 11 * SECOND
    bench.observing.tick()

    assert bench.types() == [RequestType.SUBSCRIPTION, RequestType.SUBSCRIPTION]


def test_a_native_announcement_becomes_one_of_the_event_that_it_is_like() -> None:
    bench = Bench()
    bench.announce("a1", "Speed", Proximity="0,1,0,0,300")
    (request,) = bench.sent
    assert request.type is RequestType.ANNOUNCEMENT
    assert request.dist_list == "siena"
    assert request.event == Event.of("Speed", {}, {"Proximity": "0,1,0,0,300"})


def test_equal_filters_of_several_clients_are_one_request_until_the_last_goes() -> None:
    bench = Bench()
    bench.see("one")
    bench.see("two", "rate > 70 AND subject = 'Speed'")
    bench.lose("one")
    assert bench.types() == [RequestType.SUBSCRIPTION]
    bench.lose("two")
    (request,) = bench.sent
    assert request.type is RequestType.UNSUBSCRIPTION
    assert request.expires_us == 0
    bench.lose("two")
    assert bench.types() == [RequestType.UNSUBSCRIPTION]


def test_a_declaration_that_says_something_else_now_replaces_its_request() -> None:
    bench = Bench()
    bench.see("one")
    bench.see("one", "subject = 'Speed' AND rate > 90")
    assert bench.types() == [
        RequestType.SUBSCRIPTION,
        RequestType.UNSUBSCRIPTION,
        RequestType.SUBSCRIPTION,
    ]


def test_announcements_of_one_subject_tell_the_same_whoever_came_first() -> None:
    """Two adapters that see the same producers do not contradict each other for ever."""
    told = []
    for order in (("near", "far"), ("far", "near")):
        bench = Bench()
        for note in order:
            bench.announce(note, "Speed", note=note)
        told.append(bench.sent[-1].event)
    assert told[0] == told[1]


def test_a_lease_is_renewed_before_it_ends_and_not_all_the_time() -> None:
    bench = Bench()
    bench.see("one")
    bench.now_us += 9 * SECOND
    bench.observing.tick()
    assert len(bench.sent) == 1
    bench.now_us += 2 * SECOND
    bench.observing.tick()
    assert len(bench.sent) == 2
    assert bench.sent[1].expires_us == bench.now_us + 30 * SECOND


def test_a_new_link_is_told_everything_anew() -> None:
    bench = Bench()
    bench.see("one")
    bench.announce("a", "Speed")
    assert len(bench.types()) == 2
    bench.observing.linked()
    assert bench.types() == [RequestType.SUBSCRIPTION, RequestType.ANNOUNCEMENT]


def test_what_happens_without_a_link_is_told_when_there_is_one() -> None:
    bench = Bench()
    bench.see("one")
    bench.linked = False
    bench.lose("one")
    bench.see("two", "subject = 'Other'")
    bench.linked = True
    assert bench.types() == [RequestType.SUBSCRIPTION]
    bench.observing.tick()
    assert bench.types() == [RequestType.UNSUBSCRIPTION, RequestType.SUBSCRIPTION]


def test_what_went_and_came_back_without_a_link_is_not_withdrawn() -> None:
    bench = Bench()
    bench.see("one")
    bench.linked = False
    bench.lose("one")
    bench.see("one")
    bench.linked = True
    bench.types()
    bench.observing.tick()
    assert bench.types() == [RequestType.SUBSCRIPTION]


def test_above_its_bound_it_refuses_with_a_reason_and_asks_again_once_there_is_room() -> None:
    bench = Bench()
    for number in range(3):
        bench.see(f"s{number}", f"subject = 'Speed' AND rate > {number}")
    assert len(bench.types()) == 2
    assert bench.observing.counters["observed_refused"] == 1
    (refusal,) = [more for decision, more in bench.logged if decision is Decision.REFUSED]
    assert "more than 2 requests" in refusal["reason"]
    assert not bench.is_short()
    bench.lose("s0")
    assert bench.is_short()
    bench.observing.again()
    bench.see("s2", "subject = 'Speed' AND rate > 2")
    assert bench.observing.counters["observed_requests"] == 2
    assert not bench.is_short()


def test_the_declarations_that_it_remembers_are_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(observing, "DECLARATIONS", 2)
    bench = Bench()
    for number in range(3):
        bench.see(f"s{number}")
    assert bench.observing.counters["observed_declarations"] == 2
    assert bench.observing.counters["observed_refused"] == 1


def test_what_is_to_be_ended_without_a_link_is_bounded_too() -> None:
    bench = Bench()
    bench.linked = False
    for number in range(10):
        bench.see("one", f"subject = 'Speed' AND rate > {number}")
    bench.linked = True
    bench.observing.tick()
    assert bench.types() == [RequestType.UNSUBSCRIPTION] * 2 + [RequestType.SUBSCRIPTION]


def test_only_what_the_file_names_is_observed() -> None:
    bench = Bench(Observe(subscriptions="cns"))
    bench.announce("a", "Speed")
    assert not bench.sent
    assert Bench(Observe()).observing.counters == {}


def test_reserved_subjects_are_nobodys_wish() -> None:
    bench = Bench()
    bench.see("one", "subject = 'FES_ControlEvent'")
    bench.announce("a", "FES_ControlEvent")
    assert not bench.sent
    assert bench.observing.counters["observed_refused"] == 0


def test_a_filter_that_no_event_of_the_federation_meets_is_not_asked_for() -> None:
    bench = Bench()
    bench.see("one", "subject = 'Speed' AND subject = 'Other'")
    assert not bench.sent


def test_a_filter_that_is_too_long_is_refused_with_the_reason() -> None:
    bench = Bench()
    wants = Comparison(Parameter("note"), "=", Constant("x" * 70_000))
    bench.observing.observed(Observed("one", wants=wants))
    assert not bench.sent
    assert bench.observing.counters["observed_refused"] == 1
    assert bench.logged[0][1]["reason"].startswith("observed: one: ")
