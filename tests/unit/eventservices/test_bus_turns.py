"""No turn of a bus's event loop does more than a portion, however much ends or is requested."""

from collections import Counter
from itertools import pairwise
from typing import Any

import pytest
from eventservices.bus.core import BusCore, BusSettings, Decide, Decision, Reply, Send
from eventservices.bus.core.agenda import GRAIN_US, Agenda
from eventservices.bus.core.outgoing import PORTION as RESENT
from eventservices.bus.core.portions import EXAMINED, PIECES
from eventservices.bus.core.requests import IN_TRANSIT, PORTION, SILENT_PORTION, Requests
from eventservices.bus.filters import Among, Field
from eventservices.bus.wire.messages import (
    EBAccepted,
    EBGone,
    EBHello,
    EBNotify,
    EBSubscribe,
    EBSubscribed,
    EBUnsubscribe,
)

BEGIN_US = 1_000_000_000
TICK_US = 25_000
SECOND_US = 1_000_000
NAME = "ie.tcd.Door"
MOST_OF_A_STEP = 200
"""Most pieces of one step of these tests' work, with which a portion may end."""


class Bus:
    """One core, whose turns are counted."""

    def __init__(self, **settings: Any) -> None:
        self.now_us = BEGIN_US
        self.core = BusCore("a", "town", BusSettings(**settings), BEGIN_US)
        self.most: Counter[str] = Counter()
        self.pieces = 0
        self.calls = 0

    @property
    def state(self) -> Any:
        return self.core._state

    def take(self) -> list[Any]:
        return list(self.core.take().outputs)

    def sent(self, kind: type) -> list[tuple[str, Any]]:
        found = [each for each in self.take() if isinstance(each, Send)]
        return [(each.bus, each.message) for each in found if type(each.message) is kind]

    def tick(self) -> list[Any]:
        before = self.state.portions.performed
        self.now_us += TICK_US
        self.core.tick(self.now_us)
        self.pieces = max(self.pieces, self.state.portions.performed - before)
        outputs = self.take()
        kinds = Counter(type(each.message).__name__ for each in outputs if isinstance(each, Send))
        self.most |= kinds
        return outputs

    def hello(self, bus: str, incarnation: int = 1) -> None:
        self.core.receive(bus, EBHello(incarnation, 1), self.now_us)

    def subscribe(self, name: str = NAME, client: str = "c") -> None:
        self.calls += 1
        self.core.subscribe(
            client, self.calls, name, None, user="", device="", durable="", now_us=self.now_us
        )

    def source(self, name: str = NAME, client: str = "s") -> int:
        self.calls += 1
        self.core.advertise(client, self.calls, name, self.now_us)
        replies = [each for each in self.take() if isinstance(each, Reply)]
        return next(each.number for each in replies if each.call == self.calls)

    def notify(self, source: int, *, persistent: bool = False, key: int = 0) -> Reply:
        self.calls += 1
        self.core.notify(
            *("s", self.calls, source, {"key": key}),
            attributes={}, persistent=persistent, stamp=None, now_us=self.now_us,
        )  # fmt: skip
        self.outputs = self.take()
        return next(each for each in self.outputs if isinstance(each, Reply))

    def requested(self, bus: str, sinks: int, *, durable: bool = False) -> None:
        """Have a bus subscribe sinks here."""
        for number in range(1, sinks + 1):
            request = EBSubscribe(NAME, number, number, None, "u", "", durable)
            self.core.receive(bus, request, self.now_us)


def subscribed(sinks: int, dead: int, **settings: Any) -> Bus:
    """Return a bus with sinks at dead buses, and at a live one, the last."""
    bus = Bus(**settings)
    for number in range(dead):
        bus.hello(f"dead{number}")
    bus.hello("live")
    for _ in range(sinks):
        bus.subscribe()
    bus.take()
    return bus


def test_what_nobody_answers_is_requested_in_portions_and_a_live_bus_does_not_wait_for_it() -> None:
    """2,000 sinks at 100 dead buses were 200,000 messages in one turn."""
    sinks, dead = 500, 60
    bus = subscribed(sinks, dead)
    bus.core.found(NAME, None, bus.now_us)
    first = bus.sent(EBSubscribe)
    assert len(first) <= PORTION
    granted, ticks = 0, 0
    while granted < sinks:
        ticks += 1
        assert ticks <= 200, "a live bus waits behind dead ones"
        for output in bus.tick():
            if not isinstance(output, Send) or output.bus != "live":
                continue
            if isinstance(output.message, EBSubscribe):
                granted += 1
                answer = EBSubscribed(NAME, output.message.sink, output.message.version)
                bus.core.receive("live", answer, bus.now_us)
        bus.core.receive("live", EBHello(1, 1), bus.now_us)
        bus.take()
    assert bus.most["EBSubscribe"] <= PORTION
    at = [sink.at["live"].state for sink in bus.state.sinks.values()]
    assert at == ["granted"] * sinks


def test_each_dead_bus_is_sent_as_much_as_another() -> None:
    bus = subscribed(300, 20)
    bus.core.found(NAME, None, bus.now_us)
    to: Counter[str] = Counter(name for name, _ in bus.sent(EBSubscribe))
    for _ in range(100):
        to.update(
            each.bus
            for each in bus.tick()
            if isinstance(each, Send) and isinstance(each.message, EBSubscribe)
        )
    dead = [to[f"dead{number}"] for number in range(20)]
    assert max(dead) - min(dead) <= IN_TRANSIT


def test_requests_to_a_bus_that_answers_are_sent_before_those_to_silent_ones() -> None:
    sent: list[str] = []
    requests = Requests(lambda bus, _key, _now_us: sent.append(bus), 250_000, Counter())
    now_us = BEGIN_US
    for number in range(300):
        for sink in range(3 * IN_TRANSIT):
            requests.add(f"dead{number}", ("", sink), now_us)
    while sum(found.is_silent for found in requests._buses.values()) < 300:
        now_us += TICK_US
        requests.tick(now_us)
    for sink in range(3 * IN_TRANSIT):
        requests.add("live", ("", sink), now_us)
    for number in range(3):
        sent.clear()
        now_us += TICK_US
        requests.tick(now_us)
        assert sent.count("live") >= IN_TRANSIT
        assert sent.count("live") <= PORTION - SILENT_PORTION
        assert len(sent) == PORTION
        for sink in range(number * IN_TRANSIT, (number + 1) * IN_TRANSIT):
            requests.end("live", ("", sink), now_us)
    assert requests.has("dead0", ("", 0))
    assert not requests.has("live", ("", 0))


def test_the_pauses_of_a_request_that_stays_unanswered_grow() -> None:
    bus = Bus(naming=True)
    bus.subscribe()
    bus.core.found(NAME, ["dead"], bus.now_us)
    times = [bus.now_us] if bus.sent(EBSubscribe) else []
    while bus.now_us < BEGIN_US + 25 * SECOND_US:
        outputs = bus.tick()
        messages = [each.message for each in outputs if isinstance(each, Send)]
        times += [bus.now_us] * sum(isinstance(each, EBSubscribe) for each in messages)
    pauses = [later - time for time, later in pairwise(times)]
    retry_us = bus.state.settings.retry_us
    assert pauses == sorted(pauses)
    assert retry_us <= pauses[0] <= 2 * retry_us
    assert 16 * retry_us <= pauses[-1] <= 17 * retry_us
    assert bus.core.counters["requests_resent"] == len(times) - 1


def test_a_bus_that_was_silent_is_sent_everything_again_with_its_first_sign_of_life() -> None:
    bus = Bus(naming=True)
    bus.hello("halted")
    bus.subscribe()
    bus.core.found(NAME, ["halted"], bus.now_us)
    while bus.now_us < BEGIN_US + 14 * SECOND_US:
        bus.tick()
    bus.hello("halted")
    assert [name for name, _ in bus.sent(EBSubscribe)] + [
        each.bus
        for each in bus.tick()
        if isinstance(each, Send) and isinstance(each.message, EBSubscribe)
    ] == ["halted"]


def test_a_request_of_a_sink_that_ended_is_not_sent_and_its_end_is() -> None:
    bus = subscribed(IN_TRANSIT + 5, 0)
    bus.core.found(NAME, None, bus.now_us)
    assert len(bus.sent(EBSubscribe)) == IN_TRANSIT, "others wait until some are answered"
    bus.core.client_gone("c", bus.now_us)
    ended = len(bus.sent(EBUnsubscribe))
    for _ in range(400):
        outputs = bus.tick()
        sent = [each for each in outputs if isinstance(each, Send)]
        assert not [each for each in sent if isinstance(each.message, EBSubscribe)]
        for each in sent:
            if isinstance(each.message, EBUnsubscribe):
                ended += 1
                message = each.message
                answer = EBSubscribed(message.name, message.sink, message.version, "", True)
                bus.core.receive("live", answer, bus.now_us)
    assert ended >= IN_TRANSIT + 5
    assert bus.core.counters["unanswered"] == 0
    assert not bus.core._interest._ending


def crashed(sinks: int = 1_000, messages: int = 1_500) -> tuple[Bus, int]:
    """Return a bus that is about to clean up after another, and its source."""
    bus = Bus()
    source = bus.source()
    bus.hello("x")
    bus.requested("x", sinks)
    for _ in range(messages):
        bus.notify(source, persistent=True)
    bus.take()
    return bus, source


def test_a_bus_with_many_sinks_and_messages_is_cleaned_up_in_portions() -> None:
    bus, _ = crashed()
    begun, ticks = bus.state.portions.performed, 0
    while bus.core.counters.get("buses_cleaned", 0) == 0:
        bus.tick()
        assert bus.now_us <= BEGIN_US + 31 * SECOND_US
        ticks += bool(bus.state.leaving)
    assert bus.state.portions.performed - begun >= 2_500
    assert bus.pieces <= PIECES + MOST_OF_A_STEP
    assert 2_500 // (PIECES + MOST_OF_A_STEP) <= ticks <= 2_500 // PIECES + 2
    assert bus.core.counters["purged"] == 1_000
    assert bus.core.counters["undelivered"] == 1_500
    assert bus.core.counters["remote_sinks"] == bus.core.counters["waiting_to_send"] == 0
    assert not bus.state.copies
    assert not bus.state.lanes
    assert not bus.state.lanes_of
    assert not bus.state.remote_of
    assert not bus.state.leaving


def half_cleaned() -> tuple[Bus, int]:
    """Return a bus that has cleaned up a part of another, and its source."""
    bus, source = crashed()
    bus.core.receive("x", EBGone(), bus.now_us)
    bus.take()
    assert bus.state.leaving
    assert 0 < bus.core.counters["remote_sinks"] < 1_000
    return bus, source


def finish(bus: Bus) -> None:
    for _ in range(100):
        bus.tick()


def test_what_comes_from_a_bus_that_is_half_cleaned_up_is_dropped_and_counted() -> None:
    """A request that found the sink of before would be granted, and then be purged."""
    bus, _ = half_cleaned()
    lane = bus.state.lanes[NAME, "x"].id
    bus.requested("x", 3)
    bus.core.receive("x", EBAccepted(NAME, lane, 700), bus.now_us)
    assert not bus.sent(EBSubscribed)
    assert bus.core.counters["dropped_while_cleaned"] == 4
    finish(bus)
    assert bus.core.counters["remote_sinks"] == 0
    bus.requested("x", 3)
    assert len(bus.sent(EBSubscribed)) == 3
    assert bus.core.counters["remote_sinks"] == 3


def test_an_event_that_is_sent_while_a_bus_is_half_cleaned_up_leaves_nothing() -> None:
    bus, source = half_cleaned()
    bus.requested("y", 1)
    bus.take()
    assert bus.notify(source, persistent=True).error is None
    assert [each.bus for each in bus.outputs if isinstance(each, Send) and each.bus == "y"] == ["y"]
    finish(bus)
    assert {name for _, name in bus.state.lanes} == {"y"}
    assert len(bus.state.copies) == 1, "of the event that waits for the other bus"


def test_a_sign_of_life_of_a_bus_that_is_half_cleaned_up_counts_afterwards() -> None:
    bus, _ = half_cleaned()
    bus.subscribe()
    bus.hello("x", 2)
    assert "x" not in bus.state.peers
    bus.take()
    asked = []
    for _ in range(20):
        asked += [each for each in bus.tick() if isinstance(each, Send) and each.bus == "x"]
    assert bus.state.peers["x"].incarnation == 2
    assert [type(each.message) for each in asked].count(EBSubscribe) >= 1


def test_durable_sinks_outlive_a_clean_up_in_portions_and_what_they_are_owed_keeps_its_order() -> (
    None
):
    bus = Bus()
    source = bus.source()
    bus.hello("x")
    bus.requested("x", 700)
    kept = EBSubscribe(NAME, 701, 701, Among(Field("key"), (0, 1)), "u", "", durable=True)
    bus.core.receive("x", kept, bus.now_us)
    sent = 0
    for sent in range(1, 701):
        bus.notify(source, persistent=True, key=sent % 3)
    lane = bus.state.lanes[NAME, "x"].id
    bus.core.receive("x", EBGone(), bus.now_us)
    while bus.state.leaving:
        sent += 1
        bus.notify(source, persistent=True, key=sent % 3)
        bus.tick()
    found = bus.state.lanes[NAME, "x"]
    items = list(found.items)
    assert {item.sinks for item in items} == {(701,)}
    numbers = [item.event_number for item in items]
    assert numbers == [each for each in range(1, sent + 1) if each % 3 < 2]
    assert sent > 701
    assert found.id != lane, "it begins again, without what was dropped"
    assert [item.before for item in items] == [0, *(item.number for item in items[:-1])]


def test_the_sinks_of_a_former_incarnation_end_in_portions() -> None:
    bus, _ = crashed(2_000, 1)
    bus.hello("x", BEGIN_US)
    while len(bus.state.portions):
        bus.tick()
    assert bus.pieces <= PIECES + MOST_OF_A_STEP
    assert bus.core.counters["purged"] == 2_000
    assert bus.core.counters["remote_sinks"] == 0


def test_a_client_with_many_sinks_and_sources_ends_at_once_and_is_cleaned_up_in_portions() -> None:
    bus = Bus(naming=True)
    for number in range(900):
        bus.subscribe(f"n{number}", "s")
        bus.core.advertise("s", number, f"m{number}", bus.now_us)
    source = next(iter(bus.state.sources))
    bus.take()
    bus.core.client_gone("s", bus.now_us)
    assert 0 < len(bus.state.sinks) + len(bus.state.sources) < 1_800
    assert bus.core.counters["sinks_cleaned"] == bus.core.counters["sources_cleaned"] == 900
    source = max(bus.state.sources)
    assert bus.notify(source).error is not None, "it is nobody's"
    while len(bus.state.portions):
        bus.tick()
    assert bus.pieces <= PIECES + MOST_OF_A_STEP
    assert not bus.state.sinks
    assert not bus.state.sources
    assert not bus.state.names


def test_rights_are_decided_again_in_portions_and_each_once() -> None:
    bus = Bus(policy=True)
    bus.source()
    bus.requested("x", 1_300)
    for each in bus.take():
        if isinstance(each, Decide):
            bus.core.decided(each, Decision(True, "r", 1 << 62), bus.now_us)
    bus.take()
    bus.core.recheck("other", bus.now_us)
    assert not [each for each in bus.take() if isinstance(each, Decide)]
    bus.tick()
    bus.core.recheck("u", bus.now_us)
    decided = [len([each for each in bus.take() if isinstance(each, Decide)])]
    while len(bus.state.portions):
        decided.append(len([each for each in bus.tick() if isinstance(each, Decide)]))
    assert sum(decided) == 1_300
    assert max(decided) <= PIECES


def with_rights(sinks: int, messages: int) -> Bus:
    """Return a bus that has granted rights for a second, with messages that wait."""
    bus = Bus(policy=True)
    source = bus.source()
    bus.hello("x")
    bus.requested("x", sinks)
    for each in bus.take():
        if isinstance(each, Decide):
            bus.core.decided(each, Decision(True, "r", BEGIN_US + SECOND_US), bus.now_us)
    for _ in range(messages):
        bus.notify(source, persistent=True)
    bus.take()
    return bus


def test_rights_that_end_at_once_cost_one_look_at_what_waits_in_portions() -> None:
    """200 rights with 3,000 messages cost 600,000 rows, in one turn of 4 s."""
    bus = with_rights(40, 1_000)
    begun = bus.state.portions.performed
    while bus.now_us < BEGIN_US + SECOND_US + TICK_US:
        bus.tick()
    assert bus.core.counters["remote_sinks"] == 0, "all end in time"
    assert bus.core.counters["revocations"] == 40
    while len(bus.state.portions):
        bus.tick()
    assert bus.core.counters["withdrawn"] == 40 * 1_000
    assert bus.pieces <= PIECES + MOST_OF_A_STEP
    assert bus.state.portions.performed - begun <= 2 * 1_000 * (1 + 40 // EXAMINED) + PIECES
    assert not bus.core._outgoing._withdrawn


def test_what_is_half_withdrawn_is_not_sent_and_what_follows_a_new_request_is() -> None:
    bus = with_rights(2, 600)
    bus.state.portions.left = 0
    sink = bus.state.remote[NAME]["x", 1]
    bus.core._grants.revoke(NAME, sink, "test")
    bus.core.receive("x", EBSubscribe(NAME, 1, 700, None, "u", ""), bus.now_us)
    (asked,) = [each for each in bus.take() if isinstance(each, Decide)]
    bus.core.decided(asked, Decision(True, "r", 1 << 62), bus.now_us)
    source = next(iter(bus.state.sources))
    bus.notify(source, persistent=True)
    lane = bus.state.lanes[NAME, "x"]
    assert lane.items[-2].sinks == (1, 2), "its turn has not come"
    bus.core.receive("x", EBAccepted(NAME, lane.id, 400), bus.now_us)
    sent = [message for _, message in bus.sent(EBNotify)]
    assert [each.number for each in sent] == list(range(257, 602))[-len(sent) :]
    assert {each.sinks for each in sent if each.number <= 600} == {(2,)}
    assert [set(each.sinks) for each in sent if each.number == 601] == [{1, 2}]
    while len(bus.state.portions):
        bus.tick()
    assert {item.sinks for item in lane.items if item.number <= 600} == {(2,)}
    assert set(lane.items[-1].sinks) == {1, 2}


def test_a_right_that_was_withdrawn_just_before_a_crash_is_not_there_again() -> None:
    bus = with_rights(0, 0)
    source = next(iter(bus.state.sources))
    bus.requested("x", 2, durable=True)
    asked = bus.core.take()
    for each in asked.outputs:
        if isinstance(each, Decide):
            bus.core.decided(each, Decision(True, "r", 1 << 62), bus.now_us)
    bus.core.notify(
        *("s", 9, source, {}), attributes={}, persistent=True, stamp=None, now_us=bus.now_us
    )
    bus.state.portions.left = 0
    bus.core._grants.revoke(NAME, bus.state.remote[NAME]["x", 1], "test")
    rows = {**asked.rows, **bus.core.take().rows}
    stored = {key: row for key, row in rows.items() if row is not None}
    again = BusCore("a", "town", BusSettings(policy=True), BEGIN_US + 1, stored)
    (item,) = again._state.lanes[NAME, "x"].items
    assert item.sinks == (2,)


def test_many_users_whose_rights_change_at_once_are_bounded(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("eventservices.bus.core.grants.MOST_RECHECKS", 3)
    bus = Bus(policy=True)
    bus.source()
    bus.requested("x", 2)
    bus.take()
    bus.state.portions.left = 0
    for number in range(5):
        bus.core.recheck(f"v{number}", bus.now_us)
    assert len(bus.core._grants._rechecks) <= 3
    asked = [each for each in bus.tick() if isinstance(each, Decide)]
    assert len(asked) == 2, "everybody's are decided again"


def test_what_dead_buses_do_not_confirm_is_sent_again_in_portions() -> None:
    bus = Bus(window=32)
    source = bus.source()
    for number in range(60):
        bus.hello(f"x{number}")
        bus.requested(f"x{number}", 1)
    for _ in range(32):
        bus.notify(source)
    while bus.now_us < BEGIN_US + 10 * SECOND_US:
        bus.tick()
    assert 0 < bus.most["EBNotify"] <= RESENT + 32
    before = bus.core.counters["resent"]
    while bus.now_us < BEGIN_US + 18 * SECOND_US:
        bus.tick()
    probes = 60 * 2 * 8 // 4
    assert bus.core.counters["resent"] - before <= probes, "silent buses are sent one at a time"


def test_the_lanes_of_a_bus_that_was_silent_go_on_with_its_first_sign_of_life() -> None:
    bus = Bus()
    source = bus.source()
    bus.hello("x")
    bus.requested("x", 1)
    for _ in range(3):
        bus.notify(source)
    while bus.now_us < BEGIN_US + 12 * SECOND_US:
        bus.tick()
    bus.hello("x")
    bus.take()
    again: list[int] = []
    for _ in range(40):
        messages = [each.message for each in bus.tick() if isinstance(each, Send)]
        again += [each.number for each in messages if isinstance(each, EBNotify)]
    assert set(again) == {1, 2, 3}


def test_a_number_is_known_for_a_while_and_none_comes_twice() -> None:
    """It was kept for each name ever advertised."""
    bus = Bus(horizon_us=60 * SECOND_US, most_numbers=50)
    identities: list[tuple[str, int, int]] = []

    def send(name: str, events: int) -> None:
        source = bus.source(name)
        bus.core.receive("y", EBSubscribe(name, 1, bus.calls, None, "", ""), bus.now_us)
        bus.take()
        for _ in range(events):
            number = bus.notify(source).number
            (message,) = [
                each.message
                for each in bus.outputs
                if isinstance(each, Send) and isinstance(each.message, EBNotify)
            ]
            assert message.event.stamp.sequence == number
            identities.append(message.event.stamp.identity)
        bus.core.unadvertise("s", 0, source)
        bus.take()

    send("often", 70)
    for number in range(120):
        send(f"n{number}", 1 + number % 3)
        bus.tick()
    for _ in range(90):
        bus.tick()
    assert len(bus.state.numbers) <= 50
    assert bus.core.counters["numbers_forgotten"] == 121 - len(bus.state.numbers)
    for name in ("often", "n0", "n119"):
        send(name, 5)
    assert len(set(identities)) == len(identities)
    bus.now_us += 61 * SECOND_US
    for _ in range(3):
        bus.tick()
    assert not bus.state.numbers, "all are longer ago than the horizon"
    assert not bus.state.retired
    send("often", 5)
    assert len(set(identities)) == len(identities)
    sequences = [sequence for origin, _, sequence in identities if origin.endswith("often")]
    assert sequences == sorted(sequences)


def test_the_numbers_of_what_is_stored_are_known_after_a_restart_and_are_forgotten_in_time() -> (
    None
):
    bus = Bus()
    source = bus.source()
    bus.requested("x", 1, durable=True)
    bus.core.notify(
        *("s", 9, source, {}), attributes={}, persistent=True, stamp=None, now_us=bus.now_us
    )
    stored = {key: row for key, row in bus.core.take().rows.items() if row is not None}
    again = BusCore("a", "town", BusSettings(), BEGIN_US + 1, stored)
    assert again._state.numbers == {NAME: 1}
    assert list(again._state.retired) == [NAME]
    again.advertise("s", 1, NAME, BEGIN_US + 1)
    assert not again._state.retired


def test_other_buses_are_known_up_to_a_bound_and_a_new_one_waits_until_another_ends() -> None:
    bus = Bus(most_buses=3)
    bus.source()
    for number in range(5):
        bus.hello(f"x{number}")
        bus.requested(f"x{number}", 2)
    assert bus.core.counters["buses_known"] == 3
    assert bus.core.counters["refused_buses"] == 2 * 3
    assert bus.core.counters["remote_sinks"] == 3 * 2
    bus.core.receive("x0", EBGone(), bus.now_us)
    bus.hello("x3")
    bus.requested("x3", 2)
    assert bus.core.counters["remote_sinks"] == 3 * 2
    assert set(bus.state.peers) == {"x1", "x2", "x3"}


def test_a_source_s_bus_for_which_there_was_no_room_is_looked_up_again_once_there_is() -> None:
    bus = Bus(most_buses=2, naming=True)
    bus.hello("x0")
    bus.hello("x1")
    bus.subscribe()
    bus.core.found(NAME, ["x2"], bus.now_us)
    bus.take()
    assert bus.core.counters["refused_buses"] == 1
    bus.core.receive("x0", EBGone(), bus.now_us)
    assert NAME in [getattr(each, "name", "") for each in bus.take()]
    bus.core.found(NAME, ["x2"], bus.now_us)
    assert [name for name, _ in bus.sent(EBSubscribe)] == ["x2"]


def test_the_bus_whose_sign_of_life_is_the_oldest_is_the_first() -> None:
    """A tick looks at that one alone."""
    bus = Bus()
    for name in ("x0", "x1", "x2", "x0"):
        bus.now_us += 1
        bus.hello(name)
    heard = [each.heard_us for each in bus.state.peers.values()]
    assert list(bus.state.peers) == ["x1", "x2", "x0"]
    assert heard == sorted(heard)


def test_guesses_at_which_bus_a_source_is_are_bounded() -> None:
    bus = Bus(most_guesses=5)
    for number in range(4):
        bus.hello(f"x{number}")
    for _ in range(3):
        bus.subscribe()
        bus.core.found(NAME, None, bus.now_us)
    assert bus.core._interest._guesses == 5
    assert bus.core.counters["not_guessed"] >= 7
    bus.core.source_seen("x3", NAME, bus.now_us)
    assert all("x3" in sink.at for sink in bus.state.sinks.values()), "it is known to have one"
    bus.core.client_gone("c", bus.now_us)
    assert bus.core._interest._guesses == 0


def test_many_subscriptions_to_one_name_cost_their_own_alone() -> None:
    """Each answer of the naming service went over all sinks of the name."""
    bus = Bus()
    for _ in range(600):
        bus.subscribe()
        bus.core.found(NAME, None, bus.now_us)
        assert bus.state.portions.left > -MOST_OF_A_STEP
    bus.tick()
    bus.tick()
    assert all(sink.looked_up for sink in bus.state.sinks.values())
    assert bus.state.portions.performed <= 3 * PIECES + MOST_OF_A_STEP


def test_an_agenda_has_each_key_once_and_nothing_of_plans_that_were_replaced() -> None:
    agenda: Agenda[int] = Agenda()
    for time in range(1, 10_001):
        agenda.plan(time % 3, time * GRAIN_US)
    assert len(agenda) == 3
    assert sum(map(len, agenda._keys.values())) == 3
    agenda.plan_by(0, 20_000 * GRAIN_US)
    agenda.cancel(1)
    assert agenda.first_us() == 9_998 * GRAIN_US
    assert not list(agenda.due(9_998 * GRAIN_US - 1, 9))
    assert list(agenda.due(9_998 * GRAIN_US, 9)) == [2]
    assert list(agenda.due(20_000 * GRAIN_US, 0)) == []
    assert list(agenda.due(20_000 * GRAIN_US, 9)) == [0]
    assert agenda.first_us() is None
    assert not agenda._keys
    assert not agenda._grains


def test_examining_counts_less_than_ending() -> None:
    assert 1 < EXAMINED < PIECES
