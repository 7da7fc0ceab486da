"""What is due is done again until it is answered, and costs nothing afterwards."""

from typing import Any

from eventservices.bus.core import BusCore, BusSettings, Decide, Decision
from eventservices.bus.core.agenda import GRAIN_US
from eventservices.bus.core.effects import Reply, Send
from eventservices.bus.wire.messages import (
    EBAccepted,
    EBHello,
    EBNotify,
    EBSubscribe,
    EBSubscribed,
)

BEGIN_US = 1_000_000_000
SECOND_US = 1_000_000
NAME = "ie.tcd.Door"


def core(**settings: Any) -> BusCore:
    made = BusCore("a", "town", BusSettings(**settings), BEGIN_US)
    made.receive("b", EBHello(BEGIN_US, 1), BEGIN_US)
    return made


def sent(bus: BusCore) -> list[Any]:
    return [each.message for each in bus.take().outputs if isinstance(each, Send)]


def test_a_request_is_sent_again_until_it_is_answered_and_no_longer() -> None:
    bus = core()
    bus.subscribe("client", 1, NAME, None, user="", device="", durable="", now_us=BEGIN_US)
    bus.found(NAME, ("b",), BEGIN_US)
    (request,) = [each for each in sent(bus) if isinstance(each, EBSubscribe)]
    later_us = BEGIN_US + SECOND_US
    for _ in range(3):
        later_us += 4 * SECOND_US + GRAIN_US  # the longest pause
        bus.tick(later_us)
        (again,) = [each for each in sent(bus) if isinstance(each, EBSubscribe)]
        assert (again.sink, again.version) == (request.sink, request.version)
    bus.receive("b", EBSubscribed(NAME, request.sink, request.version), later_us)
    bus.tick(later_us + SECOND_US)
    assert not any(isinstance(each, EBSubscribe) for each in sent(bus))
    assert bus._interest.unanswered == 0

    bus.receive("b", EBHello(BEGIN_US + 1, 1), later_us)  # it was restarted
    (request,) = [each for each in sent(bus) if isinstance(each, EBSubscribe)]
    bus.tick(later_us + 2 * SECOND_US)
    assert request in sent(bus)


def test_a_persistent_event_is_stored_for_all_sinks_also_for_one_that_caught_up() -> None:

    bus = core()
    bus.advertise("client", 1, NAME, BEGIN_US)
    first = EBSubscribe(NAME, 1, 1, None, "", "", durable=True)
    bus.receive("b", first, BEGIN_US)
    source = next(each.number for each in bus.take().outputs if isinstance(each, Reply))
    bus.notify(
        "client", 2, source, {"n": 1}, attributes={}, persistent=True, stamp=None, now_us=BEGIN_US
    )
    late = EBSubscribe(NAME, 2, 1, None, "", "", durable=True, since_us=BEGIN_US)
    bus.receive("b", late, BEGIN_US)
    stored = {key: row for key, row in bus.take().rows.items() if row is not None}

    again = BusCore("a", "town", BusSettings(), BEGIN_US + SECOND_US, stored)
    again.tick(BEGIN_US + SECOND_US)
    (message,) = [each for each in sent(again) if isinstance(each, EBNotify)]
    assert (message.sinks, message.event.values) == ((1, 2), {"n": 1})


def test_what_is_stored_of_an_event_is_found_without_the_others_that_wait() -> None:
    """Else a bus that is behind costs the square of its backlog, in one turn of the loop."""
    bus = core(window=4)
    bus.advertise("client", 1, NAME, BEGIN_US)
    source = next(each.number for each in bus.take().outputs if isinstance(each, Reply))
    for sink in (1, 2):
        request = EBSubscribe(NAME, sink, 1, None, "", "", durable=True)
        bus.receive("b", request, BEGIN_US)
    stored: dict[str, bytes] = {}

    def keep() -> list[Any]:
        taken = bus.take()
        stored.update({key: value for key, value in taken.rows.items() if value is not None})
        for key in [key for key, value in taken.rows.items() if value is None]:
            stored.pop(key, None)
        return [each.message for each in taken.outputs if isinstance(each, Send)]

    keep()
    for number in range(20):
        bus.notify(
            *("client", 2, source, {"n": number}),
            attributes={}, persistent=True, stamp=None, now_us=BEGIN_US,
        )  # fmt: skip
    messages = [each for each in keep() if isinstance(each, EBNotify)]
    events = {key: value for key, value in stored.items() if key.startswith("event")}
    assert len(events) == len(bus._state.copies) == 20
    bus.receive("b", EBAccepted(NAME, messages[0].lane, 3), BEGIN_US)
    keep()
    assert sum(key.startswith("event") for key in stored) == len(bus._state.copies) == 17

    later_us = BEGIN_US + SECOND_US
    restored = BusCore("a", "town", BusSettings(window=4), later_us, dict(stored))
    assert len(restored._state.copies) == 17
    bus._outgoing.withdraw(NAME, "b", {1}, revoked=True)
    assert bus.counters["withdrawn"] == 17
    assert all(item.sinks == (2,) for ((_, item),) in bus._state.copies.values())
    bus._state.remote_of.clear()
    assert sum(bus._outgoing.drop_bus("b")) >= 17
    keep()
    assert not bus._state.copies
    assert not any(key.startswith("event") for key in stored)


def test_rights_are_renewed_in_time_and_end_with_their_decisions_without_a_look_at_all() -> None:
    """A tick that looked at all sinks of a large building would keep the loop waiting."""
    bus = core(policy=True)
    bus.advertise("client", 1, NAME, BEGIN_US)
    for number in range(1, 3001):
        bus.receive("b", EBSubscribe(NAME, number, 1, None, "u", ""), BEGIN_US)
    until_us = BEGIN_US + 10 * SECOND_US
    asked = [each for each in bus.take().outputs if isinstance(each, Decide)]
    assert len(asked) == 3000
    for each in asked:
        bus.decided(each, Decision(True, "r", until_us), BEGIN_US)
    bus.take()
    early_us = until_us - 8 * bus._state.settings.retry_us
    ticked(bus, early_us)
    assert not [each for each in bus.take().outputs if isinstance(each, Decide)]
    assert ticked(bus, early_us + 1, Decide) == 3000
    assert ticked(bus, early_us + 1, Decide) == 0, "each is asked for once"
    assert ticked(bus, until_us, Send) >= 3000
    assert not bus._state.remote, "each ended with its decision"


def ticked(bus: BusCore, now_us: int, kind: type = object) -> int:
    """Let a moment's ticks pass; return how many effects of a kind they have."""
    found = 0
    for _ in range(8):
        bus.tick(now_us)
        found += sum(isinstance(each, kind) for each in bus.take().outputs)
    return found


def test_planned_looks_at_sinks_that_are_gone_are_bounded() -> None:
    bus = core(policy=True)
    bus.advertise("client", 1, NAME, BEGIN_US)
    for version in range(1, 5001):
        bus.receive("b", EBSubscribe(NAME, 1, version, None, "u", ""), BEGIN_US)
    assert len(bus._grants._looks) <= 2 * 1000 + 2


def test_a_decision_that_is_shorter_than_a_retry_ends_with_its_time() -> None:
    bus = core(policy=True)
    bus.advertise("client", 1, NAME, BEGIN_US)
    bus.receive("b", EBSubscribe(NAME, 1, 1, None, "u", ""), BEGIN_US)
    (asked,) = [each for each in bus.take().outputs if isinstance(each, Decide)]
    until_us = BEGIN_US + bus._state.settings.retry_us // 5
    bus.decided(asked, Decision(True, "r", until_us), BEGIN_US)
    ticked(bus, until_us - 1)
    assert bus._state.remote
    ticked(bus, until_us)
    assert not bus._state.remote


def test_a_durable_sink_whose_client_stays_away_ends_after_the_horizon() -> None:
    bus = core()
    horizon_us = bus._state.settings.horizon_us
    for client, durable in (("gone", "kept"), ("there", "")):
        bus.subscribe(client, 1, NAME, None, user="", device="", durable=durable, now_us=BEGIN_US)
    bus.client_gone("gone", BEGIN_US)
    bus.tick(BEGIN_US + horizon_us)
    assert len(bus._state.sinks) == 2
    bus.tick(BEGIN_US + horizon_us + bus._state.settings.hello_us + 1)
    assert [each.client for each in bus._state.sinks.values()] == ["there"]
    assert bus.counters["durable_expired"] == 1
