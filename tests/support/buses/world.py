"""Buses without sockets: a network that loses, repeats and reorders, and buses that crash."""

import heapq
import random
from collections import Counter, defaultdict
from dataclasses import dataclass, field
from typing import Any

from eventservices.bus.core import (
    ALL,
    BusCore,
    BusSettings,
    Decide,
    Decision,
    Deliver,
    Lookup,
    Reply,
    Send,
)
from eventservices.bus.filters import Among, Field, Filter
from eventservices.bus.wire.messages import Event, Message

TICK_US = 50_000
START_US = 1_000_000_000_000_000


@dataclass
class Network:
    """What may happen to a message on its way."""

    loss: float = 0.0
    repeat: float = 0.0
    delay_us: int = 20_000


@dataclass
class SinkRecord:
    """A sink as its application knows it."""

    bus: str
    name: str
    durable: str
    accepted: frozenset[int]
    client: str
    number: int = 0
    granted: bool = False
    ended: bool = False
    received: list[Event] = field(default_factory=list)
    restarts_seen: int = 0


@dataclass(frozen=True)
class Sent:
    """An event as its source knows it."""

    bus: str
    name: str
    key: int
    stamp: tuple[str, int, int]
    persistent: bool
    due: tuple[tuple[int, int, int], ...]


class World:
    """Plays buses by a seed.

    Args:
        seed: Of everything that is drawn.
        buses: How many.
        network: What messages suffer.
        settings: Of all buses.
    """

    def __init__(
        self, seed: int, buses: int, network: Network, settings: BusSettings | None = None
    ) -> None:
        self.random = random.Random(seed)
        self.network = network
        self.settings = settings or BusSettings()
        self.now_us = START_US
        self.rows: dict[str, dict[str, bytes]] = {}
        self.cores: dict[str, BusCore] = {}
        self.restarts: Counter[str] = Counter()
        self.decisions: dict[str, Decision | None] = {}
        self.counted: Counter[str] = Counter()
        self.sinks: list[SinkRecord] = []
        self.sent: list[Sent] = []
        self.probes: list[Sent] = []
        self.sources: dict[tuple[str, str], int] = {}
        self.replies: dict[tuple[str, int], Reply] = {}
        self.slow: set[int] = set()
        self._applied: set[tuple[int, str]] = set()
        self._waiting: dict[tuple[str, int], SinkRecord] = {}
        self._calls = 0
        self._serial = 0
        self._under_way: list[tuple[int, int, str, str, Message]] = []
        self._by_number: dict[int, SinkRecord] = {}
        for number in range(buses):
            self.rows[f"b{number}"] = {}
            self.start(f"b{number}")

    def start(self, bus: str) -> None:
        self.cores[bus] = BusCore(bus, "sim", self.settings, self.now_us, self.rows[bus])

    def crash(self, bus: str) -> None:
        """Kill a bus; its clients live on and declare themselves again."""
        self.restarts[bus] += 1
        del self.cores[bus]

    def restart(self, bus: str) -> None:
        self.start(bus)
        for place, name in list(self.sources):
            if place == bus:
                self.advertise(bus, name)
        for sink in self.sinks:
            if sink.bus == bus and not sink.ended:
                sink.granted = False
                sink.number = sink.number if sink.durable else 0
                self._subscribe(sink)

    def call(self) -> int:
        self._calls += 1
        return self._calls

    def advertise(self, bus: str, name: str) -> None:
        call = self.call()
        self.cores[bus].advertise(f"src-{bus}", call, name, self.now_us)
        self.step(bus)
        self.sources[bus, name] = self.replies[f"src-{bus}", call].number

    def unadvertise(self, bus: str, name: str) -> None:
        number = self.sources.pop((bus, name))
        self.cores[bus].unadvertise(f"src-{bus}", self.call(), number)
        self.step(bus)

    def subscribe(
        self, bus: str, name: str, accepted: frozenset[int], durable: str = ""
    ) -> SinkRecord:
        sink = SinkRecord(bus, name, durable, accepted, f"snk-{len(self.sinks)}")
        self.sinks.append(sink)
        self._subscribe(sink)
        return sink

    def _subscribe(self, sink: SinkRecord) -> None:
        call = self.call()
        self._waiting[sink.client, call] = sink
        self.cores[sink.bus].subscribe(
            sink.client, call, sink.name, filter_of(sink.accepted), user=f"u-{sink.client}",
            device="desk", durable=sink.durable, now_us=self.now_us,
        )  # fmt: skip
        self.step(sink.bus)

    def unsubscribe(self, sink: SinkRecord) -> None:
        sink.ended = True
        self.cores[sink.bus].unsubscribe(sink.client, self.call(), sink.number, self.now_us)
        self.step(sink.bus)

    def lose_client(self, sink: SinkRecord) -> None:
        sink.ended = True
        self.cores[sink.bus].client_gone(sink.client, self.now_us)
        self.step(sink.bus)

    def notify(self, bus: str, name: str, key: int, *, persistent: bool = False) -> bool:
        call = self.call()
        due = tuple(
            (place, self.restarts[sink.bus], self.restarts[bus])
            for place, sink in enumerate(self.sinks)
            if not sink.ended
            and sink.name == name
            and key in sink.accepted
            and self._applies(bus, place, sink)
        )
        before = self.cores[bus].counters.get("events", 0)
        self.cores[bus].notify(
            f"src-{bus}", call, self.sources[bus, name], {"key": key}, attributes={},
            persistent=persistent, stamp=None, now_us=self.now_us,
        )  # fmt: skip
        state = self.cores[bus]._state
        self.step(bus)
        reply = self.replies[f"src-{bus}", call]
        if reply.error is not None:
            return False
        assert self.cores[bus].counters["events"] == before + 1
        stamp = (f"{bus}/{name}", state.incarnation, reply.number)
        self.sent.append(Sent(bus, name, key, stamp, persistent, due))
        return True

    def _applies(self, bus: str, place: int, sink: SinkRecord) -> bool:
        """Tell whether a subscription is in effect at a source's bus, or has to be."""
        remote = self.cores[bus]._state.remote.get(sink.name, {})
        if sink.number and (sink.bus, sink.number) in remote:
            self._applied.add((place, bus))
            return True
        return bool(sink.durable) and (place, bus) in self._applied

    def step(self, bus: str) -> None:
        """Store and perform what a bus has decided."""
        while bus in self.cores:
            effects = self.cores[bus].take()
            if not effects.rows and not effects.outputs:
                return
            for key, value in effects.rows.items():
                if value is None:
                    self.rows[bus].pop(key, None)
                else:
                    self.rows[bus][key] = value
            for output in effects.outputs:
                self._perform(bus, output)

    def _perform(self, bus: str, output: Any) -> None:
        match output:
            case Send(other, message) if other == bus:
                self.cores[bus].receive(bus, message, self.now_us)
            case Send(other, message):
                targets = [each for each in self.rows if each != bus] if other == ALL else [other]
                self.counted[type(message).__name__] += len(targets)
                for target in targets:
                    self._put(bus, target, message)
            case Reply():
                self._reply(output)
            case Deliver():
                self._deliver(bus, output)
            case Lookup(name):
                self.cores[bus].found(name, None, self.now_us)
            case Decide():
                decision = self.decisions.get(output.user)
                self.cores[bus].decided(output, decision, self.now_us)

    def _reply(self, reply: Reply) -> None:
        self.replies[reply.client, reply.call] = reply
        sink = self._waiting.pop((reply.client, reply.call), None)
        if sink is not None and reply.error is None:
            sink.granted, sink.number = True, reply.number
            self._by_number[reply.number] = sink

    def _deliver(self, bus: str, output: Deliver) -> None:
        sink = next(each for each in self.sinks if each.client == output.client)
        sink.received.append(output.event)
        if output.sink not in self.slow:
            self.cores[bus].delivered(output.sink, output.serial)

    def _put(self, sender: str, target: str, message: Message) -> None:
        for _ in range(1 + (self.random.random() < self.network.repeat)):
            if self.random.random() < self.network.loss:
                continue
            self._serial += 1
            at_us = self.now_us + self.random.randint(100, self.network.delay_us)
            heapq.heappush(self._under_way, (at_us, self._serial, target, sender, message))

    def run(self, seconds: float) -> None:
        """Let time pass."""
        end_us = self.now_us + int(seconds * 1e6)
        while self.now_us < end_us:
            self.now_us += TICK_US
            while self._under_way and self._under_way[0][0] <= self.now_us:
                _, _, target, sender, message = heapq.heappop(self._under_way)
                if target in self.cores:
                    self.cores[target].receive(sender, message, self.now_us)
                    self.step(target)
            for bus in list(self.cores):
                self.cores[bus].tick(self.now_us)
                self.step(bus)

    def heal(self, seconds: float = 45.0) -> None:
        """End all trouble, and let everything arrive."""
        self.network.loss = self.network.repeat = 0.0
        for bus in self.rows:
            if bus not in self.cores:
                self.restart(bus)
        self.run(seconds)


def filter_of(accepted: frozenset[int]) -> Filter:
    return Among(Field("key"), tuple(sorted(accepted)))


def wrongs(world: World) -> list[str]:
    """Return what was lost, came twice, came out of order, or was not asked for."""
    found: list[str] = []
    identities: dict[str, dict[object, Sent]] = defaultdict(dict)
    for event in world.sent:
        identities[event.name][event.stamp] = event
    for place, sink in enumerate(world.sinks):
        got = [each.stamp.identity for each in sink.received]
        found += _once(world, sink, place, got)
        found += _ordered(sink, place, got)
        for identity in got:
            sent = identities[sink.name].get(identity)
            if sent is None or sent.key not in sink.accepted:
                found.append(f"sink {place} got {identity}, which it did not ask for")
    return [*found, *_lost(world)]


def _lost(world: World) -> list[str]:
    found = []
    for event in world.sent:
        for place, sink_restarts, source_restarts in event.due:
            sink = world.sinks[place]
            if sink.ended:
                continue
            lived = (
                world.restarts[sink.bus] == sink_restarts
                and world.restarts[event.bus] == source_restarts
            )
            if not lived and not (event.persistent and sink.durable):
                continue
            if event.stamp not in {each.stamp.identity for each in sink.received}:
                found.append(f"sink {place} of {sink.bus} never got {event.stamp}")
    for event in world.probes:
        for place, sink in enumerate(world.sinks):
            due = not sink.ended and sink.name == event.name and event.key in sink.accepted
            if due and event.stamp not in {each.stamp.identity for each in sink.received}:
                found.append(f"sink {place} never got the probe {event.stamp}")
    return found


def _once(world: World, sink: SinkRecord, place: int, got: list[tuple[str, int, int]]) -> list[str]:
    again = [identity for identity, count in Counter(got).items() if count > 1]
    # A bus that was restarted may be sent again what its sinks have had, and delivers again what
    # was under way: the client API, which lives on, suppresses it. Else the bus itself does.
    if world.restarts[sink.bus]:
        return []
    return [f"sink {place} got {identity} twice" for identity in again]


def _ordered(sink: SinkRecord, place: int, got: list[tuple[str, int, int]]) -> list[str]:
    newest: dict[tuple[str, int], int] = {}
    found = []
    for origin, epoch, sequence in dict.fromkeys(got):
        if sequence <= newest.get((origin, epoch), 0):
            found.append(f"sink {place} got {sequence} of {origin} out of order")
        newest[origin, epoch] = sequence
    return found
