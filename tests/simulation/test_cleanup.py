"""What a crash leaves is cleaned up within its bound, and not before, by a clock of the test's."""

from collections.abc import Callable
from typing import Any

import pytest
from eventservices.bus.core import AddName, BusSettings, Deliver, Lookup, RemoveName, Send
from eventservices.bus.names import NEW_SOURCE
from eventservices.bus.wire.messages import (
    EBGone,
    EBHello,
    EBNotify,
    EBSubscribe,
    EBSubscribed,
    EBUnsubscribe,
    Event,
)
from eventservices.stamp import Stamp
from support.buses.world import TICK_US, Network, World

SETTINGS = BusSettings()
SLACK_US = 2 * TICK_US
"""How far the clock of the test goes at once, and that a message takes."""

ANY = frozenset({1})


class Named(World):
    """Buses with a naming service at bus `b0`, which keeps the names of crashed ones for ever."""

    def __init__(self, buses: int, **settings: Any) -> None:
        self.names: dict[str, list[str]] = {}
        super().__init__(1, buses, Network(), BusSettings(naming=True, **settings))
        self.advertise("b0", NEW_SOURCE)
        for number in range(1, buses):
            self.watch(f"b{number}")

    def watch(self, bus: str) -> None:
        """Subscribe a bus to the event that reports new sources."""
        core = self.cores[bus]
        core.subscribe(
            "_watch", self.call(), NEW_SOURCE, None, user="", device="", durable="",
            now_us=self.now_us,
        )  # fmt: skip
        self.step(bus)

    def restart(self, bus: str) -> None:
        """Start a bus again, which watches again for new sources."""
        super().restart(bus)
        self.watch(bus)

    def _perform(self, bus: str, output: Any) -> None:
        core = self.cores[bus]
        match output:
            case Lookup(name) if name == NEW_SOURCE:
                core.found(name, None, self.now_us)
            case Lookup(name):
                core.found(name, tuple(self.names.get(name, ())), self.now_us)
            case AddName(name):
                self._add(name, bus)
            case RemoveName(name):
                self.names[name].remove(bus)
            case Deliver(client="_watch", sink=sink, serial=serial, event=event):
                core.source_seen(event.values["bus"], event.values["name"], self.now_us)
                core.delivered(sink, serial)
            case _:
                super()._perform(bus, output)

    def _add(self, name: str, bus: str) -> None:
        buses = self.names.setdefault(name, [])
        if name != NEW_SOURCE and bus not in buses:
            buses.append(bus)
            source = self.sources["b0", NEW_SOURCE]
            self.cores["b0"].notify(
                "src-b0", 0, source, {"bus": bus, "name": name}, attributes={},
                persistent=False, stamp=None, now_us=self.now_us,
            )  # fmt: skip
            self.step("b0")
        self.cores[bus].added(name)


def until(world: World, happened: Callable[[], bool], most_s: float) -> int:
    """Let time pass until something happened; return how long that took, microseconds."""
    begun_us = world.now_us
    while not happened():
        assert world.now_us - begun_us <= most_s * 1e6, "it was not cleaned up"
        world.run(TICK_US / 1e6)
    return world.now_us - begun_us


def halt(world: World, bus: str, seconds: float) -> None:
    """Halt a bus for a while; what is sent to it meanwhile is lost."""
    core = world.cores.pop(bus)
    world.run(seconds)
    world.cores[bus] = core


def counted(world: World, bus: str, name: str) -> int:
    return world.cores[bus].counters.get(name, 0)


@pytest.mark.parametrize("phase_s", [0.0, 0.7, 1.9])
def test_a_crashed_bus_is_cleaned_up_after_its_silence_and_not_before(phase_s: float) -> None:
    world = World(1, 2, Network())
    world.advertise("b0", "a")
    world.subscribe("b1", "a", ANY)
    world.run(3 + phase_s)
    heard_us = world.cores["b0"]._state.peers["b1"].heard_us
    world.crash("b1")
    until(world, lambda: counted(world, "b0", "buses_cleaned") == 1, 60)
    lasted_us = world.now_us - heard_us
    assert SETTINGS.silent_us < lasted_us <= SETTINGS.silent_us + SLACK_US
    assert counted(world, "b0", "purged") == 1
    assert counted(world, "b0", "remote_sinks") == 0


def test_the_durable_sinks_of_a_crashed_bus_end_after_the_horizon_and_not_before() -> None:
    world = World(1, 2, Network(), BusSettings(horizon_us=100_000_000))
    world.advertise("b0", "a")
    world.subscribe("b1", "a", ANY, durable="kept")
    world.run(3)
    world.crash("b1")
    until(world, lambda: counted(world, "b0", "buses_cleaned") == 1, 60)
    for _ in range(5):
        assert world.notify("b0", "a", 1, persistent=True)
    lasted_us = until(world, lambda: counted(world, "b0", "buses_forgotten") == 1, 200)
    assert 100_000_000 < lasted_us <= 100_000_000 + SLACK_US
    assert counted(world, "b0", "remote_sinks") == counted(world, "b0", "waiting_to_send") == 0
    world.step("b0")
    assert not world.rows["b0"], "nothing of it stays in the store"


def test_an_absent_client_s_durable_sink_ends_after_the_horizon_at_the_source_s_bus_too() -> None:
    world = World(1, 2, Network(), BusSettings(horizon_us=100_000_000))
    world.advertise("b0", "a")
    sink = world.subscribe("b1", "a", ANY, durable="kept")
    world.run(3)
    world.lose_client(sink)
    lasted_us = until(world, lambda: counted(world, "b1", "durable_expired") == 1, 200)
    assert 100_000_000 < lasted_us <= 100_000_000 + SETTINGS.hello_us + SLACK_US
    until(world, lambda: counted(world, "b0", "remote_sinks") == 0, 1)
    assert not world.rows["b0"]
    assert not world.rows["b1"]


def test_a_bus_that_crashed_before_its_first_sign_of_life_is_cleaned_up() -> None:
    world = World(1, 1, Network())
    core = world.cores["b0"]
    world.advertise("b0", "a")
    core.receive("ghost", EBSubscribe("a", 1, 1, None, "", ""), world.now_us)
    assert world.notify("b0", "a", 1, persistent=True)
    assert counted(world, "b0", "remote_sinks") == 1
    assert counted(world, "b0", "buses") == 0, "it gave no sign of life"
    lasted_us = until(world, lambda: counted(world, "b0", "buses_cleaned") == 1, 60)
    assert SETTINGS.silent_us < lasted_us <= SETTINGS.silent_us + SLACK_US
    assert counted(world, "b0", "remote_sinks") == counted(world, "b0", "waiting_to_send") == 0
    assert not core._state.lanes
    assert not world.rows["b0"]


def test_a_subscription_that_overtook_its_bus_s_end_is_cleaned_up() -> None:
    world = World(1, 1, Network())
    core = world.cores["b0"]
    world.advertise("b0", "a")
    core.receive("ghost", EBHello(7, 1), world.now_us)
    core.receive("ghost", EBGone(), world.now_us)
    core.receive("ghost", EBSubscribe("a", 8, 8, None, "", ""), world.now_us)
    until(world, lambda: counted(world, "b0", "buses_cleaned") == 1, 60)
    assert counted(world, "b0", "remote_sinks") == 0


def test_a_bus_that_the_naming_service_names_and_that_is_gone_is_not_asked_for_ever() -> None:
    """It crashed before this bus was started, and its name stays for a lease."""
    world = Named(2)
    world.names["a"] = ["ghost"]
    sink = world.subscribe("b1", "a", ANY)
    world.run(SETTINGS.silent_us / 1e6 + 1)
    core = world.cores["b1"]
    asked = world.counted["EBSubscribe"]
    world.run(10)
    assert world.counted["EBSubscribe"] == asked
    assert not [each for each in core._state.peers if each == "ghost"]
    world.unsubscribe(sink)
    ended = world.counted["EBUnsubscribe"]
    world.run(10)
    assert world.counted["EBUnsubscribe"] == ended
    assert not core._interest._ending


def test_a_request_s_end_that_a_crashed_bus_does_not_confirm_ends_with_its_silence() -> None:
    world = Named(2)
    world.names["a"] = ["ghost"]
    sink = world.subscribe("b1", "a", ANY)
    world.run(6)
    world.unsubscribe(sink)
    core = world.cores["b1"]
    assert core._interest._ending
    world.run(SETTINGS.silent_us / 1e6 + 1)
    assert not core._interest._ending
    assert "ghost" not in core._state.peers


@pytest.mark.parametrize("crashes", [1, 2])
@pytest.mark.parametrize("how", ["killed", "halted"])
def test_a_source_s_bus_that_is_back_within_its_lease_serves_its_sinks_again(
    how: str, crashes: int
) -> None:
    """The naming service knows its names still, and reports no new source."""
    world = Named(3)
    world.advertise("b1", "a")
    sink = world.subscribe("b2", "a", ANY)
    world.run(3)
    for _ in range(crashes):
        if how == "killed":
            world.crash("b1")
            world.run(35)
            world.restart("b1")
        else:
            halt(world, "b1", 35)
        world.run(5 if crashes == 1 else 0.1)
    world.run(5)
    assert counted(world, "b2", "buses_cleaned") >= 1
    assert world.notify("b1", "a", 1)
    world.run(2)
    assert [each.values["key"] for each in sink.received] == [1]


def test_a_source_that_was_new_while_a_sink_s_bus_was_halted_reaches_it_afterwards() -> None:
    world = Named(3)
    sink = world.subscribe("b2", "a", ANY)
    world.run(3)
    halt(world, "b2", 20)
    core = world.cores.pop("b2")
    world.advertise("b1", "a")
    world.run(20)
    world.cores["b2"] = core
    world.run(6)
    assert counted(world, "b0", "buses_cleaned") == 1
    assert world.notify("b1", "a", 1)
    world.run(2)
    assert [each.values["key"] for each in sink.received] == [1]


def test_the_sinks_of_a_former_incarnation_end_with_its_successor_s_first_sign_of_life() -> None:
    """Else a bus that is restarted again and again fills the tables of all others."""
    world = World(1, 2, Network())
    world.advertise("b0", "a")
    world.subscribe("b1", "a", ANY)
    for _ in range(4):
        world.run(3)
        world.crash("b1")
        world.run(1)
        world.restart("b1")
    world.run(3)
    assert counted(world, "b0", "remote_sinks") == 1
    assert counted(world, "b0", "buses_cleaned") == 0
    assert world.notify("b0", "a", 1)
    world.run(2)
    assert len(world.sinks[0].received) == 1


def test_a_durable_sink_that_its_bus_has_lost_ends_at_the_source_s_bus() -> None:
    """No event passes its filter, which would bring it to light."""
    world = World(1, 2, Network())
    world.advertise("b0", "a")
    world.subscribe("b1", "a", ANY, durable="kept")
    world.run(3)
    world.crash("b1")
    world.rows["b1"].clear()
    world.run(1)
    world.start("b1")
    world.run(3)
    assert counted(world, "b0", "remote_sinks") == 0
    assert not world.rows["b0"]


def test_a_durable_sink_that_ends_while_its_source_s_bus_is_away_ends_there_too() -> None:
    world = Named(3)
    world.advertise("b1", "a")
    sink = world.subscribe("b2", "a", ANY, durable="kept")
    world.run(3)
    world.crash("b1")
    world.run(35)
    world.unsubscribe(sink)
    world.run(1)
    world.restart("b1")
    assert counted(world, "b1", "remote_sinks") == 1
    world.run(5)
    assert counted(world, "b1", "remote_sinks") == 0
    assert not [key for key in world.rows["b1"] if key.startswith("remote")]


def test_what_a_crashed_source_s_bus_had_sent_leaves_nothing_at_the_sink_s() -> None:
    world = World(1, 2, Network())
    world.advertise("b0", "a")
    world.subscribe("b1", "a", ANY)
    world.run(3)
    for _ in range(3):
        assert world.notify("b0", "a", 1, persistent=True)
    world.run(1)
    core = world.cores["b1"]
    before = next(iter(core._state.arrivals.values()))
    event = Event("a", {"key": 1}, Stamp("b0/a", 1, 9, 0, "sim"), {}, persistent=True)
    core.receive("b0", EBNotify(before.lane, 9, 8, (1,), event), world.now_us)  # 4 to 8 are lost
    assert before.held
    assert [key for key in world.rows["b1"] if key.startswith("arrival")]
    world.crash("b0")
    until(world, lambda: counted(world, "b1", "buses_cleaned") == 1, 60)
    assert not core._state.arrivals
    assert not world.rows["b1"]


def test_what_outlived_a_restart_for_a_bus_that_never_comes_back_ends_with_its_silence() -> None:
    world = World(1, 2, Network())
    world.advertise("b0", "a")
    world.subscribe("b1", "a", ANY)
    world.run(3)
    world.crash("b1")
    assert world.notify("b0", "a", 1, persistent=True)
    world.crash("b0")
    assert world.rows["b0"]
    world.start("b0")
    assert counted(world, "b0", "waiting_to_send") == 1
    lasted_us = until(world, lambda: counted(world, "b0", "waiting_to_send") == 0, 60)
    assert SETTINGS.silent_us < lasted_us <= SETTINGS.silent_us + SLACK_US
    assert not world.rows["b0"]


def test_what_waits_for_a_crashed_bus_is_what_its_durable_sinks_are_owed_alone() -> None:
    world = World(1, 2, Network())
    world.advertise("b0", "a")
    world.subscribe("b1", "a", ANY)
    kept = world.subscribe("b1", "a", frozenset({2}), durable="kept")
    world.run(3)
    halted = world.cores.pop("b1")
    for key in (1, 2, 1, 1, 2, 1):
        assert world.notify("b0", "a", key, persistent=True)
    until(world, lambda: counted(world, "b0", "buses_cleaned") == 1, 60)
    assert counted(world, "b0", "waiting_to_send") == 2
    assert counted(world, "b0", "undelivered") == 4
    world.cores["b1"] = halted
    world.run(6)
    assert [each.values["key"] for each in kept.received] == [2, 2]
    assert counted(world, "b0", "waiting_to_send") == 0
    assert not [key for key in world.rows["b0"] if key.startswith("event")]


def test_the_lanes_of_a_source_and_of_sinks_that_ended_end_with_them() -> None:
    world = World(1, 2, Network())
    for number in range(20):
        name = f"a{number}"
        world.advertise("b0", name)
        sink = world.subscribe("b1", name, ANY)
        world.run(0.5)
        assert world.notify("b0", name, 1, persistent=True)
        world.run(0.5)
        world.cores["b0"].client_gone("src-b0", world.now_us)
        world.step("b0")
        world.lose_client(sink)
    world.run(3)
    assert not world.cores["b0"]._state.lanes
    assert not world.cores["b1"]._state.arrivals
    assert not world.rows["b0"]
    assert not world.rows["b1"]


def test_a_bus_that_was_halted_does_not_take_its_own_absence_for_the_others_silence() -> None:
    world = World(1, 2, Network())
    world.advertise("b0", "a")
    sink = world.subscribe("b1", "a", ANY)
    world.run(3)
    halt(world, "b0", 35)
    world.run(1)
    assert counted(world, "b0", "buses_cleaned") == 0
    assert world.notify("b0", "a", 1)
    world.run(3)
    assert len(sink.received) == 1
    world.crash("b1")
    lasted_us = until(world, lambda: counted(world, "b0", "buses_cleaned") == 1, 60)
    assert lasted_us <= SETTINGS.silent_us + SLACK_US


def test_an_absent_client_s_best_effort_events_delay_nobody_else() -> None:
    world = World(1, 2, Network(), BusSettings(sink_items=5))
    world.advertise("b0", "a")
    absent = world.subscribe("b1", "a", ANY, durable="kept")
    present = world.subscribe("b1", "a", ANY)
    world.run(1)
    world.lose_client(absent)
    for _ in range(20):
        assert world.notify("b0", "a", 1)
        world.run(0.1)
    assert len(present.received) == 20
    assert counted(world, "b1", "dropped_for_absent_sink") == 15
    assert counted(world, "b1", "waiting_to_deliver") == 5


def test_a_hundred_buses_that_crash_at_once_are_cleaned_up_one_with_each_tick() -> None:
    world = World(1, 1, Network(), BusSettings(horizon_us=100_000_000))
    core = world.cores["b0"]
    world.advertise("b0", "a")
    for number in range(100):
        core.receive(f"x{number}", EBHello(1, 1), world.now_us)
        for sink in range(1, 11):
            request = EBSubscribe("a", sink, sink, None, "", "", durable=sink == 1)
            core.receive(f"x{number}", request, world.now_us)
    for _ in range(20):
        assert world.notify("b0", "a", 1, persistent=True)
    begun_us = world.now_us
    ended_at_once = 0
    while (before := counted(world, "b0", "buses_cleaned")) < 100:
        assert world.now_us - begun_us <= SETTINGS.silent_us + SLACK_US + 100 * TICK_US
        world.run(TICK_US / 1e6)
        ended_at_once = max(ended_at_once, counted(world, "b0", "buses_cleaned") - before)
    assert ended_at_once == 1, "more in one turn would keep the event loop waiting"
    assert counted(world, "b0", "remote_sinks") == 100
    assert counted(world, "b0", "waiting_to_send") == 2_000
    until(world, lambda: counted(world, "b0", "remote_sinks") == 0, 200)
    assert not world.rows["b0"]
    assert not core._state.lanes
    assert not core._state.copies


def test_silent_buses_are_remembered_up_to_a_bound(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("eventservices.bus.core.presence.MOST_SILENT", 3)
    world = World(1, 1, Network())
    core = world.cores["b0"]
    world.advertise("b0", "a")
    for number in range(5):
        core.receive(f"x{number}", EBSubscribe("a", 1, 1, None, "", "", True), world.now_us)
    until(world, lambda: counted(world, "b0", "buses_cleaned") == 5, 60)
    assert counted(world, "b0", "remote_sinks") == 3
    assert counted(world, "b0", "buses_forgotten") == 2


def test_a_sink_that_is_granted_after_it_ended_is_ended_again() -> None:
    world = World(1, 1, Network())
    core = world.cores["b0"]
    core.receive("x", EBSubscribed("a", 4, 4), world.now_us)
    sent = [each.message for each in core.take().outputs if isinstance(each, Send)]
    (message,) = [each for each in sent if isinstance(each, EBUnsubscribe)]
    assert (message.name, message.sink) == ("a", 4)


def test_a_hundred_clients_that_crash_at_once_leave_nothing_and_cost_their_own_alone() -> None:
    world = World(1, 2, Network())
    world.advertise("b0", "a")
    core = world.cores["b1"]
    stays = world.subscribe("b1", "a", ANY)
    for number in range(100):
        for call in range(3):
            durable = "kept" * (call == 0)
            core.subscribe(
                f"c{number}", call, "a", None, user=f"u{number}", device="", durable=durable,
                now_us=world.now_us,
            )  # fmt: skip
        core.advertise(f"c{number}", 4, f"n{number}", world.now_us)
    world.step("b1")
    world.run(1)
    assert counted(world, "b0", "remote_sinks") == 301
    assert core._state.of_client("c7") == sorted(core._state.clients["c7"])
    for number in range(100):
        core.client_gone(f"c{number}", world.now_us)
    world.step("b1")
    world.run(1)
    assert list(core._state.clients) == [stays.client]
    assert counted(world, "b1", "sinks_cleaned") == 300
    assert counted(world, "b1", "sources") == 0
    assert counted(world, "b0", "remote_sinks") == 101
    core.client_gone("c7", world.now_us)
    assert counted(world, "b1", "sinks_cleaned") == 300, "a second crash finds nothing"


def test_a_durable_sink_that_another_client_resumed_outlives_its_former_client_s_crash() -> None:
    world = World(1, 1, Network())
    core = world.cores["b0"]
    for client in ("former", "next"):
        core.subscribe(
            client, 1, "a", None, user="u", device="", durable="kept", now_us=world.now_us
        )
    core.client_gone("former", world.now_us)
    (sink,) = core._state.sinks.values()
    assert sink.client == "next"
    assert list(core._state.clients) == ["next"]
