"""A hostile native client beside good ones: what is good arrives, and nothing grows without end.

`FES_HOSTILE_S` has it last longer than the few seconds of a test. It logs what it measured:

    FES_HOSTILE_S=60 pytest tests/integration/hostile/test_flood.py -k good -o log_cli=true
"""

import asyncio
import logging
import os
import random
import statistics
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest
from eventservices.stamp import Stamp
from fes.control import CONTROL_SUBJECT
from fes.gateway import GatewayCore
from fes.model import Event
from fes.testing.eventually import eventually
from fes.testing.memory import MemoryBus, MemoryEvent
from fes_gateway.host import GatewayHost
from fes_gateway.memory import most_of_gateway
from integration.hostile.hosted import Hosted, hosted, resident_mb

SECONDS = float(os.environ.get("FES_HOSTILE_S", "3"))
GOOD_EVERY_S = 0.02
BATCH = 20
"""Hostile events between two turns of the loop."""

FILE = """
version: 1
system: test
event_services:
  north: {kind: memory, settings: {bus: "%(tag)s north"}}
  middle: {kind: memory, settings: {bus: "%(tag)s middle"}}
  south: {kind: memory, settings: {bus: "%(tag)s south"}}
gateways:
  g1: {adapters: {north: {}, middle: {}}}
  g2: {adapters: {middle: {}, south: {}}}
limits: {requests: 500, requests_bytes: 1048576, patterns: 8, waiting_bytes: 1048576}
"""

Attack = Callable[[random.Random, int], tuple[Event, Stamp]]


def stamp(number: int, **changes: object) -> Stamp:
    given = {"origin": "mallory", "epoch": 1, "sequence": number, "time_us": 0, "home": "north"}
    return Stamp(**{**given, **changes})  # type: ignore[arg-type] # fields by name


def control(parameters: dict[str, object], attributes: dict[str, object]) -> Event:
    return Event.of(CONTROL_SUBJECT, parameters).with_attributes(
        {"FES_System": "test", **attributes}
    )


def garbage(chance: random.Random, number: int) -> tuple[Event, Stamp]:
    kind = chance.choice([1, 2, 3, 4, 5, 16, 17, 18, 19, 99, -1])
    text = chance.choice(["", "{}", "[", '{"gateway": "g2"}', "x" * 1000, "(" * 500, "\x1f,;"])
    names = ("DistList", "Source", "Filter", "Text", "Event")
    parameters = {"Type": kind, **{name: text for name in names if chance.random() < 0.7}}
    return control(parameters, {}), stamp(number)


def subscription(chance: random.Random, number: int) -> tuple[Event, Stamp]:
    parameters = {
        "Type": 2,
        "DistList": chance.choice(["south", "*", "north,middle"]),
        "Source": "north",
        "Filter": f"rate > {number} AND licence <> '{'x' * chance.randint(0, 800)}'",
    }
    return control(parameters, {"FES_Requester": f"r{number}\x1f"}), stamp(number)


def announcement(chance: random.Random, number: int) -> tuple[Event, Stamp]:
    event = Event.of(f"Load{number}", text="x" * chance.choice([10, 100_000]))
    parameters = {"Type": 1, "DistList": "south", "Source": "north", "Event": event}
    return control(parameters, {}), stamp(number)


def strange_stamp(chance: random.Random, number: int) -> tuple[Event, Stamp]:
    changes: dict[str, object] = chance.choice(
        [
            {"origin": "a\x1fb"},
            {"origin": ""},
            {"origin": "o" * 5000},
            {"sequence": 2**63 + number},
            {"sequence": 0},
            {"epoch": -1},
            {"home": "\x00"},
            {"time_us": 2**70},
        ]
    )
    return Event.of("Speed", rate=50.0), stamp(number, **changes)


def late(chance: random.Random, number: int) -> tuple[Event, Stamp]:
    attributes = {"StartTime": "2999-01-01T00:00:00Z", "Reliability": chance.choice([0, True, 1.0])}
    event = Event.of("Speed", rate=50.0, text="x" * 10_000).with_attributes(attributes)
    return event, stamp(number, origin=f"late{number}", time_us=time.time_ns() // 1000)


def jump(chance: random.Random, number: int) -> tuple[Event, Stamp]:
    """Take the name of the good client, with a number that would mute it."""
    sequence = chance.choice([2**63 - 1, 2**62, 2**40]) - number
    return Event.of("Loud", rate=1.0), stamp(1, origin="car", epoch=7, sequence=sequence)


ATTACKS: tuple[Attack, ...] = (garbage, subscription, announcement, strange_stamp, late, jump)


@pytest.fixture
def turns(monkeypatch: pytest.MonkeyPatch) -> Counter[str]:
    """What gateways were handed, by kind."""
    counted: Counter[str] = Counter()
    handle = GatewayCore.handle

    def counting(self: GatewayCore, message: object, *rest: object) -> object:
        counted[type(message).__name__] += 1
        return handle(self, message, *rest)  # type: ignore[arg-type] # as it was called

    monkeypatch.setattr(GatewayCore, "handle", counting)
    return counted


def delay_ms(item: MemoryEvent) -> list[float]:
    """Return how long a good event took; nothing of another."""
    if item.stamp is None or item.event.parameter("good") is None:
        return []
    return [(time.time_ns() // 1000 - item.stamp.time_us) / 1000]


def is_within(host: GatewayHost) -> bool:
    most = most_of_gateway(host.settings)
    return all(size <= most[what] for what, size in host.bytes.items())


def bus_of(town: Hosted, service: str) -> MemoryBus:
    """Return an event service, and have no client there that keeps what it received."""
    client = town.client(service, "nobody")
    client.close()
    return client.bus


async def attack(town: Hosted, until_s: float, sent: Counter[str]) -> None:
    """Publish what is hostile as fast as the gateways' process takes it."""
    chance = random.Random(5)
    bus = bus_of(town, "north")
    while time.monotonic() < until_s:
        for _ in range(BATCH):
            number = 1 + sent.total()
            chosen = chance.choice(ATTACKS)
            event, mark = chosen(chance, number)
            bus.publish(event, mark)
            sent[chosen.__name__] += 1
        await asyncio.sleep(0.005)
        assert all(map(is_within, town.pack.hosts.values()))


async def test_good_events_all_arrive_beside_a_hostile_client(
    tmp_path: Path, turns: Counter[str]
) -> None:
    sent: Counter[str] = Counter()
    async with hosted(tmp_path, FILE) as town:
        await town.subscribe("g1", "south", "north", "subject = 'Speed' AND rate > 40")
        city = town.client("south", "city")
        delays_ms: list[float] = []
        city.bus.listen(lambda item: delays_ms.extend(delay_ms(item)))
        bus = bus_of(town, "north")
        before = resident_mb()
        until_s = time.monotonic() + SECONDS
        hostile = asyncio.create_task(attack(town, until_s, sent))
        good = 0
        while not hostile.done():
            good += 1
            moment = time.time_ns() // 1000
            bus.publish(
                Event.of("Speed", rate=60.0, good=good), Stamp("car", 7, good, moment, "north")
            )
            await asyncio.sleep(GOOD_EVERY_S)
        await hostile

        def arrived() -> set[object]:
            return {event.parameter("good") for event in city.events("Speed")} - {None}

        await eventually(lambda: arrived() == set(range(1, good + 1)), 30, what="good events")
        told = {
            "good": good,
            "hostile": sent.total(),
            "p50_ms": round(statistics.median(delays_ms), 2),
            "p99_ms": round(statistics.quantiles(delays_ms, n=100)[98], 2),
            "grown_mib": round(resident_mb() - before, 1),
            **{name: host.bytes for name, host in town.pack.hosts.items()},
        }
        logging.getLogger(__name__).warning("flood %s", told)
        refused = await town.decisions("g1", "refused")
        reasons = [each for each in town.records() if each["decision"] == "refused"]
        assert good > 0
        assert refused > 0
        assert sent.keys() == {each.__name__ for each in ATTACKS}
        assert (
            refused + sum(town.counted(adapter)["refused"] for adapter in ("g1.north", "g1.middle"))
            >= (sent["strange_stamp"])
        )
        assert {each["reason"].split(" ")[0] for each in reasons} >= {"parameter", "stamp's"}
        assert turns["HeardControl"] > 0
        assert all(map(is_within, town.pack.hosts.values()))


async def test_what_a_flood_left_in_the_journal_comes_back_within_its_bounds(
    tmp_path: Path,
) -> None:
    sent: Counter[str] = Counter()
    async with hosted(tmp_path, FILE) as town:
        await attack(town, time.monotonic() + 1.0, sent)
        kept = len(town.pack.hosts["g1"].core.table)
        assert kept > 0
    async with hosted(tmp_path, FILE) as town:
        assert all(map(is_within, town.pack.hosts.values()))
        await town.subscribe("g1", "south", "north", "subject = 'Speed' AND rate > 40")
