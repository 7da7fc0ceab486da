"""A wall clock that is set changes nothing of how long something lasts at a bus."""

from typing import Any

import pytest
from eventservices.bus.binding.guests import Guest
from eventservices.bus.binding.options import BusOptions
from eventservices.bus.binding.own_clock import OwnClock
from eventservices.bus.binding.pool import WorkerPool
from eventservices.bus.binding.ports import Found
from eventservices.bus.binding.services import Services
from eventservices.bus.core import BusCore, BusSettings, Reply, Send
from eventservices.bus.wire.messages import EBHello, EBNotify, EBSubscribe, EBSubscribed

HOUR_US = 3_600_000_000
BEGIN_US = 1_000 * HOUR_US


def core(now_us: int = BEGIN_US, stored: dict[str, bytes] | None = None) -> BusCore:
    return BusCore("a", "town", BusSettings(), now_us, stored)


def sent(bus: BusCore, kind: type) -> list[Any]:
    outputs = bus.take().outputs
    return [
        each.message for each in outputs if isinstance(each, Send) and type(each.message) is kind
    ]


@pytest.mark.parametrize("by_us", [-HOUR_US, HOUR_US])
def test_the_own_clock_goes_on_where_the_wall_clock_is_set(by_us: int) -> None:
    now = {"wall": BEGIN_US, "steady": 5}
    clock = OwnClock(lambda: now["wall"], lambda: now["steady"])
    now["wall"] += 1_000 + by_us
    now["steady"] += 1_000
    assert clock.now_us() == BEGIN_US + 1_000
    assert clock.ahead_us() == -by_us


def test_an_event_s_time_is_the_wall_clock_s() -> None:
    bus = core()
    bus.advertise("client", 1, "a.x", BEGIN_US)
    source = next(each.number for each in bus.take().outputs if isinstance(each, Reply))
    bus.receive("b", EBSubscribe("a.x", 1, 1, None, "", ""), BEGIN_US)
    bus.tick(BEGIN_US + 1, ahead_us=HOUR_US)
    bus.notify(
        *("client", 2, source, {}), attributes={}, persistent=False, stamp=None, now_us=BEGIN_US + 1
    )
    (message,) = sent(bus, EBNotify)
    assert message.event.stamp.time_us == BEGIN_US + 1 - HOUR_US


def test_a_bus_that_is_restarted_with_a_clock_that_was_set_back_gives_no_number_again() -> None:
    bus = core()
    for call in range(3):
        bus.subscribe(
            *("client", call, "a.x", None), user="", device="", durable="kept", now_us=BEGIN_US
        )
    (sink,) = bus._state.sinks.values()
    stored = {key: row for key, row in bus.take().rows.items() if row is not None}
    again = core(BEGIN_US - HOUR_US, stored)
    assert again._state.incarnation >= sink.version
    assert again._state.new_id() > sink.version


def test_the_events_of_a_bus_that_is_back_with_a_clock_behind_are_accepted() -> None:
    bus = core()
    bus.subscribe(*("c", 1, "a.x", None), user="", device="", durable="", now_us=BEGIN_US)
    (number,) = bus._state.sinks
    for received, incarnation in enumerate((BEGIN_US, BEGIN_US - HOUR_US), 1):
        other = BusCore("b", "town", BusSettings(), incarnation)
        other.advertise("s", 1, "a.x", incarnation)
        source = next(each.number for each in other.take().outputs if isinstance(each, Reply))
        other.receive("a", EBSubscribe("a.x", number, 1, None, "", ""), incarnation)
        other.take()
        bus.receive("b", EBHello(incarnation, 1), BEGIN_US)
        other.notify(
            *("s", 2, source, {}), attributes={}, persistent=False, stamp=None, now_us=incarnation
        )
        (message,) = sent(other, EBNotify)
        bus.receive("b", message, BEGIN_US)
        assert bus.counters["received"] == received


def test_a_former_incarnation_s_sinks_end_also_where_the_clock_was_set_back() -> None:
    bus = core()
    bus.advertise("client", 1, "a.x", BEGIN_US)
    former, present = BEGIN_US, BEGIN_US - HOUR_US
    bus.receive("b", EBHello(former, 1), BEGIN_US)
    bus.receive("b", EBSubscribe("a.x", former + 1, former + 1, None, "", ""), BEGIN_US)
    bus.receive("b", EBSubscribe("a.x", present + 1, present + 1, None, "", ""), BEGIN_US)
    bus.take()
    bus.receive("b", EBHello(present, 1), BEGIN_US)
    assert [number for _, number in bus._state.remote["a.x"]] == [present + 1]


def test_a_bus_that_was_restarted_is_asked_about_its_durable_sinks_and_they_stay() -> None:
    bus = core()
    bus.advertise("client", 1, "a.x", BEGIN_US)
    bus.receive("b", EBHello(BEGIN_US, 1), BEGIN_US)
    bus.receive("b", EBSubscribe("a.x", 7, 7, None, "", "", durable=True), BEGIN_US)
    bus.take()
    bus.receive("b", EBHello(BEGIN_US + 9, 1), BEGIN_US)
    (question,) = sent(bus, EBSubscribed)
    assert (question.sink, question.version, question.unknown) == (7, 7, False)
    assert bus.counters["remote_sinks"] == 1


@pytest.mark.parametrize("after_us", [0, 1, 400, 999])
def test_a_client_has_crashed_between_two_and_three_times_the_monitor_s_pause(
    after_us: int,
) -> None:
    """The last sign of life came so long before a look; each look is 1,000 later."""

    async def receive(_: object) -> None:
        raise AssertionError

    guest, look_us, looks = Guest(receive, local=False, watched=True), after_us, 0
    while not guest.crashed():
        look_us, looks = look_us + 1_000, looks + 1
    assert 2_000 <= look_us < 3_000
    assert looks == 2
    guest.missed, guest.watched = 0, False
    assert not any(guest.crashed() for _ in range(10))


class _Unreachable:
    """A naming service that does not answer, while the source ends that is being added."""

    def __init__(self, bus: BusCore) -> None:
        self._bus = bus

    async def add(self, name: str, bus: str) -> bool:
        del name, bus
        self._bus.client_gone("client", BEGIN_US)
        return False

    async def remove(self, name: str, bus: str) -> bool:
        del name, bus
        return False

    async def lookup(self, name: str) -> Found:
        del name
        return Found(None)


class _Host:
    """A bus, as far as the services need it."""

    id = "a"

    def __init__(self) -> None:
        self.core = BusCore("a", "town", BusSettings(naming=True), BEGIN_US)
        self.options = BusOptions(naming=_Unreachable(self.core))
        self.clock = OwnClock(lambda: BEGIN_US, lambda: 0)

    def attach(self, client: str, receive: object) -> None:
        raise AssertionError

    def call(self, client: str, call: object) -> None:
        raise AssertionError

    def settle(self) -> None:
        pass


async def test_a_source_that_crashes_while_its_name_is_added_leaves_nothing_to_add_again() -> None:
    host = _Host()
    services = Services(host, WorkerPool("asking", host.options.querying))
    host.core.advertise("client", 1, "a.x", BEGIN_US)
    await services._add("a.x")
    assert not services._unadded
    assert not host.core._state.adding
    assert host.core.counters["sources"] == 0
    services._unadded.add("a.x")
    await services._add("a.x", again=True)
    assert not services._unadded
