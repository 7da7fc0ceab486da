"""Crashes in the smart building: from the kill of each kind of process until it is cleaned up.

Two buses, with a load of persistent events between them, and a naming server are in this process;
what is killed, or halted, is a process of its own. Settings are short (`cleanup_parts.py`), and the
bounds are those that follow from them (docs/smart-building.md).
"""

import asyncio
import os
import signal
import statistics
import sys
import tempfile
import time
import uuid
from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextlib import AsyncExitStack, contextmanager
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Final

import cleanup_parts as parts
from eventservices.bus import BusClient, Event, EventBus, LocalTransport, NotifyError
from eventservices.bus.binding.naming_client import NamingClient
from eventservices.bus.wire.naming import AddName, Lookup
from eventservices.ending import beside
from eventservices.natslink import NatsLink
from eventservices.servers import NatsServer, ServerSpec
from fes_naming.server import NamingServer
from report import keep
from serving.children import end, started
from serving.clocks import wall_us

ROUNDS: Final = 3
ROLES: Final = ("sink", "source", "bus", "naming")
HOW: Final = {"killed": signal.SIGKILL, "halted": signal.SIGSTOP}
LONGEST_S: Final = 30.0
"""Longest wait for one thing to happen; what did not happen by then never does."""

SINKS: Final = 2
"""Of each part that has any: a durable one, and another."""

LOOK_S: Final = 0.002
TICK_S: Final = 0.025
"""Between two looks of a bus at what is due."""

SLACK_S: Final = 0.1
"""Over a bound that is the machine's: turns of loops, and messages, cost it nothing otherwise."""

NAMES_TICK_S: Final = 0.2
SILENT_S: Final = parts.SETTINGS.silent_us / 1e6 + TICK_S
CRASHED_S: Final = 3 * parts.MONITOR_S
HORIZON_S: Final = parts.SETTINGS.horizon_us / 1e6
LEASE_S: Final = (parts.NAMES.lease_us + parts.NAMES.retry_us) / 1e6 + NAMES_TICK_S
COPY_S: Final = (parts.NAMES.lifetime_us + parts.NAMES.forward_us) / 1e6


@dataclass(frozen=True)
class Row:
    """From one kind of crash until it was cleaned up, seconds.

    Attributes:
        what: Was killed or halted, and what of it is cleaned up.
        counter: Shows that.
        bound_s: From the settings.
        median_s, most_s: Of the rounds that were cleaned up.
        never: Rounds that were not.
    """

    what: str
    counter: str
    bound_s: float
    median_s: float
    most_s: float
    never: int


@dataclass
class Watch:
    """One thing that follows a crash.

    Attributes:
        what: For people.
        counter: At whom, and by which name.
        bound_s: From the crash.
        happened: Whether it has; asked again and again.
        took_s: One for each round; infinite where it never did.
    """

    what: str
    counter: str
    bound_s: float
    happened: Callable[[], Awaitable[bool]]
    took_s: list[float] = field(default_factory=list)


class Building:
    """Two buses with a load between them, and a naming server."""

    def __init__(self, url: str, stack: AsyncExitStack) -> None:
        self.url, self.name, self._stack = url, uuid.uuid4().hex, stack
        self.got: list[int] = []
        self.sent = 0
        self._goes_on = True

    async def open(self) -> "Building":
        """Open all, and begin to send."""
        enter = self._stack.enter_async_context
        self.root = await enter(
            NamingServer([self.url], self.name, "root", parts.ROOT, settings=parts.NAMES)
        )
        link = await enter(NatsLink([self.url]))
        made = parts.options(NamingClient(link, self.name, ["root"]))
        self.near = await enter(EventBus([self.url], self.name, "near", made))
        self.far = await enter(EventBus([self.url], self.name, "far", made))
        sinks = await enter(BusClient(LocalTransport(self.far, "kept")))
        await sinks.subscribe(parts.LOAD, self._receive)
        await sinks.subscribe(parts.DOOMED, lambda _: None)
        client = await enter(BusClient(LocalTransport(self.near, "load")))
        self._source = await client.advertise(parts.LOAD)
        self._sending = await enter(beside(self._send(), "load"))
        await until(lambda: len(self.got) > 0)
        return self

    async def settle(self) -> bool:
        """End the load; return whether all that was sent came, once and in order."""
        self._goes_on = False
        await self._sending
        await until(lambda: len(self.got) >= self.sent)
        return self.got == list(range(self.sent))

    def count(self, bus: EventBus, counter: str) -> int:
        """Return a counter of a bus."""
        return bus.counters.get(counter, 0)

    def _receive(self, event: Event) -> None:
        self.got.append(event.values["n"])

    async def _send(self) -> None:
        while self._goes_on:
            try:
                await self._source.notify({"n": self.sent}, persistent=True)
            except NotifyError:
                pass  # a lane is full, since a bus is away: it is sent later
            else:
                self.sent += 1
            await asyncio.sleep(parts.PAUSE_S)


async def until(condition: Callable[[], bool]) -> bool:
    """Wait for something; return whether it happened in time."""

    async def holds() -> bool:
        return condition()

    return await _until(holds)


async def _until(condition: Callable[[], Awaitable[bool]]) -> bool:
    give_up_s = time.monotonic() + LONGEST_S
    while not await condition():
        if time.monotonic() > give_up_s:
            return False
        await asyncio.sleep(LOOK_S)
    return True


def grows(bus: EventBus, counter: str) -> Callable[[], Awaitable[bool]]:
    """Return whether a counter is larger than now, when asked."""
    before = bus.counters.get(counter, 0)

    async def larger() -> bool:
        return bus.counters.get(counter, 0) > before

    return larger


def of_sink(town: Building) -> list[Watch]:
    """Return what follows when a sink's client crashes."""
    expired_s = CRASHED_S + HORIZON_S + parts.SETTINGS.hello_us / 1e6 + TICK_S
    return [
        Watch("a sink's client", "clients_cleaned", CRASHED_S, grows(town.far, "clients_cleaned")),
        Watch(
            "  its durable sink", "durable_expired", expired_s, grows(town.far, "durable_expired")
        ),
    ]


def of_source(town: Building) -> list[Watch]:
    """Return what follows when a source's client crashes."""
    cleaned = grows(town.near, "sources_cleaned")

    async def removed() -> bool:
        result = await town.root.ask(Lookup(parts.DOOMED))
        return result.state == "known" and not result.buses

    return [
        Watch("a source's client", "sources_cleaned", CRASHED_S, cleaned),
        Watch("  its name", "sources (naming)", CRASHED_S + NAMES_TICK_S, removed),
    ]


def of_bus(town: Building) -> list[Watch]:
    """Return what follows when a bus crashes."""
    ended = town.root.core.counters.get("leases_ended", 0)

    async def name_ended() -> bool:
        return town.root.core.counters.get("leases_ended", 0) > ended

    forgotten_s = SILENT_S + HORIZON_S + TICK_S
    return [
        Watch("a bus", "buses_cleaned", SILENT_S, grows(town.near, "buses_cleaned")),
        Watch("  its names", "leases_ended", LEASE_S, name_ended),
        Watch(
            "  its durable sinks",
            "buses_forgotten",
            forgotten_s,
            grows(town.near, "buses_forgotten"),
        ),
    ]


def of_naming(town: Building) -> list[Watch]:
    """Return what follows when a naming server crashes."""

    async def not_known_now() -> bool:
        result = await town.root.ask(Lookup(parts.ELSEWHERE))
        return result.state == "unknown"

    return [
        Watch("a naming server", "unknown_now", COPY_S, not_known_now),
        Watch("  its bus", "buses_cleaned", SILENT_S, grows(town.near, "buses_cleaned")),
    ]


FOLLOWS: Final = {"sink": of_sink, "source": of_source, "bus": of_bus, "naming": of_naming}


async def ready(town: Building, role: str, sinks: int) -> bool:
    """Wait until a part does what it does, and others have what they keep of it."""
    match role:
        case "sink":
            return await until(lambda: town.near.counters["remote_sinks"] >= sinks)
        case "source":
            return await until(lambda: parts.DOOMED in town.near.core.names) and await _until(
                lambda: _is_known(town, parts.DOOMED)
            )
        case "bus":
            return await until(
                lambda: town.near.counters["remote_sinks"] >= sinks
            ) and await _until(lambda: _is_known(town, parts.DOOMED))
    return await _until(lambda: _elsewhere(town))


async def _is_known(town: Building, name: str) -> bool:
    result = await town.root.ask(Lookup(name))
    return bool(result.buses)


async def _elsewhere(town: Building) -> bool:
    """Have the server that is killed keep a name, and this one a copy as new as can be."""
    added = await town.root.ask(AddName(parts.ELSEWHERE, "near", wall_us()))
    return added.state == "known" and await _is_known(town, parts.ELSEWHERE)


@contextmanager
def running(town: Building, role: str) -> Iterator[int]:
    """Run a part as a process, which is killed at the end, halted or not."""
    command = (sys.executable, parts.__file__, role, town.url, town.name)
    with started(command) as process:
        try:
            yield process.pid
        finally:
            process.kill()
            end(process)


async def crash(town: Building, role: str, how: signal.Signals) -> list[Watch]:
    """Have one part crash once; return what followed, with how long it took."""
    others = town.near.counters["remote_sinks"]
    with running(town, role) as pid:
        if not await ready(town, role, others + SINKS):
            raise SystemExit(f"{role} did not start")
        watches = FOLLOWS[role](town)
        before = len(town.got)
        await until(lambda: len(town.got) > before + 20)
        if role == "naming" and not await _elsewhere(town):
            raise SystemExit("the naming server did not answer")
        begun_s = time.monotonic()
        os.kill(pid, how)
        for watch in watches:
            happened = await _until(watch.happened)
            watch.took_s.append(time.monotonic() - begun_s if happened else float("inf"))
    if role in ("sink", "bus"):
        await until(lambda: town.near.counters["remote_sinks"] <= others)
    await until(lambda: town.near.counters["buses"] <= 2)
    return watches


async def measure() -> tuple[list[Row], bool]:
    """Return what was measured, and whether every event of the load came, once and in order."""
    rows: list[Row] = []
    with (
        tempfile.TemporaryDirectory() as folder,
        NatsServer(ServerSpec("cleanup", Path(folder))) as broker,
    ):
        async with AsyncExitStack() as stack:
            town = await Building(broker.url, stack).open()
            for role in ROLES:
                for how, by in HOW.items():
                    rounds = [await crash(town, role, by) for _ in range(ROUNDS)]
                    rows += [_row(how, of_one) for of_one in zip(*rounds, strict=True)]
            return rows, await town.settle()


def _row(how: str, rounds: Sequence[Watch]) -> Row:
    took = [took_s for each in rounds for took_s in each.took_s]
    cleaned = sorted(took_s for took_s in took if took_s != float("inf"))
    median_s, most_s = (statistics.median(cleaned), cleaned[-1]) if cleaned else (0.0, 0.0)
    first = rounds[0]
    what = f"{first.what}, {how}"
    never = len(took) - len(cleaned)
    return Row(what, first.counter, first.bound_s, round(median_s, 3), round(most_s, 3), never)


def show() -> int:
    """Measure, print the table and write the file; return the exit status."""
    begun_s = time.monotonic()
    rows, complete = asyncio.run(measure())
    print(f"\n{'crash':<32}{'counter':<20}{'bound s':>9}{'median s':>10}{'most s':>9}{'never':>7}")
    for row in rows:
        over = "*" if row.most_s > row.bound_s + SLACK_S else ""
        figures = f"{row.bound_s:>9.3f}{row.median_s:>10.3f}{row.most_s:>9.3f}{row.never:>7}"
        print(f"{row.what:<32}{row.counter:<20}{figures}{over}")
    print(f"* over the bound by more than {SLACK_S} s: that is of the protocol, not of the speed.")
    print("every event of the load came once, in order" if complete else "EVENTS WERE LOST")
    took_s = round(time.monotonic() - begun_s, 1)
    found = {"took_s": took_s, "complete": complete, "results": [asdict(row) for row in rows]}
    print(f"written to {keep('cleanup', found)}")
    return 0 if complete and not any(row.never for row in rows) else 1


if __name__ == "__main__":
    sys.exit(show())
