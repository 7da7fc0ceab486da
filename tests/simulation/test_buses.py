"""Buses of a building keep their promises on a network that loses, repeats and reorders."""

import os

import pytest
from eventservices.bus.core import BusSettings, Decision
from eventservices.bus.core.incoming import Incoming
from eventservices.bus.core.outgoing import Outgoing
from eventservices.bus.wire.messages import EBGone, EBNotify
from eventservices.suppress import Suppressor
from support.buses.story import play
from support.buses.world import Network, World, wrongs

SEEDS = int(os.environ.get("FES_BUSES", "40"))


@pytest.mark.parametrize("seed", range(SEEDS))
@pytest.mark.timeout(0)
def test_nothing_is_lost_repeated_or_out_of_order(seed: int) -> None:
    world = play(seed)
    assert wrongs(world) == []
    assert any(sink.received for sink in world.sinks)
    for bus, core in world.cores.items():
        assert core.counters["waiting_to_send"] == 0, bus
        assert core.counters["waiting_to_deliver"] == 0, bus


def found_by(seeds: int = 25) -> list[str]:
    found: list[str] = []
    for seed in range(seeds):
        found += wrongs(play(seed, events=60))
    return found


def test_a_bus_that_sends_nothing_again_would_be_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Outgoing, "tick", lambda *_: None)
    assert any("never got" in each for each in found_by())


def test_a_bus_that_delivers_as_it_comes_would_be_found(monkeypatch: pytest.MonkeyPatch) -> None:
    def notified(self: Incoming, origin: str, message: EBNotify, _now_us: int) -> None:
        for number in message.sinks:
            sink = self._state.sinks.get(number)
            if sink is not None:
                self._enqueue(sink, origin, message.event)

    monkeypatch.setattr(Incoming, "notified", notified)
    assert any("out of order" in each for each in found_by())


def test_a_bus_that_forgets_what_it_received_would_be_found(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(Suppressor, "repeated", lambda *_: False)
    assert any("twice" in each for each in found_by())


def test_a_bus_that_applies_no_filter_would_be_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("eventservices.bus.core.grants.compile_filter", lambda *_: lambda _: True)
    assert any("did not ask" in each for each in found_by())


def test_several_sinks_of_a_bus_cost_one_message() -> None:
    world = World(1, 2, Network())
    world.advertise("b0", "a")
    for _ in range(5):
        world.subscribe("b1", "a", frozenset({1}))
    world.run(1)
    for _ in range(10):
        world.notify("b0", "a", 1)
    world.run(1)
    assert world.counted["EBNotify"] == 10
    assert [len(sink.received) for sink in world.sinks] == [10] * 5
    assert world.cores["b0"].counters["invocations"] == 10 * (1 + 1 + 5)


def test_a_sink_that_its_bus_does_not_know_is_reported_and_purged() -> None:
    world = World(1, 2, Network())
    world.advertise("b0", "a")
    sink = world.subscribe("b1", "a", frozenset({1}))
    world.run(1)
    del world.cores["b1"]._state.sinks[sink.number]
    world.notify("b0", "a", 1)
    world.run(1)
    assert world.cores["b1"].counters["unknown_sinks"] == 1
    assert world.cores["b0"].counters["purged"] == 1
    assert world.cores["b0"].counters["remote_sinks"] == 0


def test_a_crashed_bus_is_cleaned_up_and_its_durable_sinks_wait() -> None:
    world = World(1, 3, Network())
    world.advertise("b0", "a")
    world.subscribe("b1", "a", frozenset({1}))
    kept = world.subscribe("b2", "a", frozenset({1}), durable="kept")
    world.run(1)
    world.crash("b1")
    world.crash("b2")
    world.run(40)
    assert world.cores["b0"].counters["buses_cleaned"] == 2
    assert world.cores["b0"].counters["remote_sinks"] == 1
    assert world.notify("b0", "a", 1, persistent=True)
    world.restart("b2")
    world.run(5)
    assert [each.values["key"] for each in kept.received] == [1]


def test_a_source_never_outruns_a_sink_beyond_the_bounds() -> None:
    world = World(1, 2, Network())
    world.advertise("b0", "a")
    sink = world.subscribe("b1", "a", frozenset({1}))
    world.run(1)
    world.slow.add(sink.number)
    refused = 0
    for _ in range(15_000):
        refused += not world.notify("b0", "a", 1)
    world.run(1)
    settings = world.settings
    assert refused > 0
    assert world.cores["b0"].counters["waiting_to_send"] <= settings.lane_items
    assert world.cores["b1"].counters["waiting_to_deliver"] <= settings.sink_items


def test_a_right_that_was_withdrawn_is_not_requested_again_because_another_bus_left() -> None:
    world = World(1, 3, Network(), BusSettings(policy=True))
    world.decisions = dict.fromkeys(("u-snk-0", "u-snk-1"), Decision(True, "all", 1 << 62))
    world.advertise("b0", "a")
    for _ in range(2):
        world.subscribe("b1", "a", frozenset({1}))
    world.run(1)
    world.decisions["u-snk-0"] = Decision(False, "none", 1 << 62)
    world.cores["b0"].recheck("", world.now_us)
    world.run(1)
    assert world.cores["b0"].counters["remote_sinks"] == 1
    world.decisions["u-snk-0"] = Decision(True, "all", 1 << 62)
    world.cores["b0"].receive("b2", EBGone(), world.now_us)
    world.run(5)
    world.notify("b0", "a", 1)
    world.run(1)
    assert [len(each.received) for each in world.sinks] == [0, 1]
