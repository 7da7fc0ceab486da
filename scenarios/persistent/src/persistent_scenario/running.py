"""One run: the stream passes while parts are killed."""

import asyncio
import sys
import time
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

from eventservices.ending import ended
from fes.federation.model import Federation
from fes.running.process import Child
from serving.clocks import wall_us

from persistent_scenario.errors import InputError, RunningError
from persistent_scenario.kills import Kill, place_of, schedule
from persistent_scenario.parts import Gateways, Parts
from persistent_scenario.records import (
    KILLED,
    PUBLISHED,
    RECEIVED,
    Killed,
    LineCount,
    Plan,
    Recorder,
)
from persistent_scenario.story import deliveries, stream
from persistent_scenario.waiting import until

READY_S = 30.0
STILL_S = 60.0
"""How long nothing may move before the run is abandoned; then the judge states what is missing."""

PASS_S = 3600.0
"""Longest wait for the next kill; a stream that halts is abandoned before."""

QUIET_S = 3.0
"""How long a run goes on when all has arrived: a copy might follow."""

LOOK_S = 0.1
SAY_S = 5.0

Say = Callable[[str], None]


async def run(folder: Path, plan: Plan, file: Path, gateways: Gateways, say: Say) -> None:
    """Run what is planned, to the end of the stream.

    Args:
        folder: The run folder, planned.
        plan: What it is about.
        file: The federation's file.
        gateways: How gateways are run.
        say: Prints a line.

    Raises:
        RunningError: A part did not come up, or ended for good.
    """
    parts = Parts(file, folder, gateways)
    readers = _client(parts, "receive", folder, plan.last)
    stations = _client(parts, "publish", folder, plan.first)
    try:
        await parts.brokers.start()
        await readers.start()
        await until((folder / RECEIVED).exists, READY_S, "the readers to listen")
        await parts.start_federation()
        say(f"federation: {', '.join(parts.names)}")
        replicated = tuple(parts.federation.gateways) if gateways.replicas > 1 else ()
        order = ordered(parts.federation, gateways)
        kills = schedule(parts.names, order, plan.kills, plan.seed, replicated)
        await stations.start()
        await _Stream(folder, plan, parts, say).pass_by(kills, stations)
        await asyncio.sleep(QUIET_S)
    finally:
        await stations.stop()
        await readers.stop()
        await parts.stop()


def ends(federation: Federation) -> tuple[str, str]:
    """Return where the stream begins and where it ends: the first and the last event service."""
    services = tuple(federation.event_services)
    if len(services) < 2:
        raise InputError("a federation of one event service has nothing to carry")
    return services[0], services[-1]


def ordered(federation: Federation, gateways: Gateways) -> tuple[str, ...]:
    """Return what is killed in every order.

    It is the gateways, and the broker between, or the first; the replicas of one where there are.
    """
    if gateways.replicas > 1:
        return gateways.names(next(iter(federation.gateways)))
    brokers = tuple(federation.brokers)
    return (*federation.gateways, brokers[len(brokers) // 2])


def _client(parts: Parts, what: str, folder: Path, service: str) -> Child:
    broker = parts.federation.event_services[service].brokers[0]
    url = parts.brokers.servers[broker].url
    command = (sys.executable, "-m", "persistent_scenario", what, "--run", str(folder))
    return parts.child(what, *command, "--url", url)


class _Stream:
    """Follows the stream, and kills when it has come so far.

    Args:
        folder: The run folder.
        plan: What the run is about.
        parts: What is killed.
        say: Prints a line.
    """

    def __init__(self, folder: Path, plan: Plan, parts: Parts, say: Say) -> None:
        self._published = LineCount(folder / PUBLISHED)
        self._received = LineCount(folder / RECEIVED)
        self._parts = parts
        self._say = say
        readings = list(stream(plan.events, plan.origins, plan.seed))
        self._readings = len(readings)
        self._owed = deliveries(readings)
        self._killed = Recorder(folder / KILLED)
        self._moved_s = self._said_s = time.monotonic()
        self._seen = (0, 0)

    async def pass_by(self, kills: Sequence[Kill], stations: Child) -> None:
        """Return when all has arrived, or when nothing moves any more."""
        killing = asyncio.create_task(self._kill(kills), name="kill")
        try:
            while not self._arrived or not killing.done():
                await asyncio.sleep(LOOK_S)
                self._look()
                self._check(stations)
                if killing.done():
                    killing.result()
                if time.monotonic() - self._moved_s > STILL_S:
                    self._say(f"nothing has moved for {STILL_S:g} s")
                    return
        finally:
            await ended(killing)
            self._killed.close()
        await asyncio.wait_for(stations.wait(), STILL_S)

    @property
    def _arrived(self) -> bool:
        return self._seen[1] >= self._owed

    async def _kill(self, kills: Sequence[Kill]) -> None:
        """Kill, spread evenly over the stream; the last part of it comes after the last kill."""
        for number, kill in enumerate(kills, 1):
            due = place_of(number, len(kills), self._readings)
            await until(partial(self._has_come_to, due), PASS_S, "the stream to go on")
            parts = await self._parts.trouble(kill)
            self._killed.write(Killed(parts, wall_us(), kill.how))
            self._moved_s = time.monotonic()
            self._say(f"{kill.how.value}: {', '.join(parts)} ({number} of {len(kills)})")

    def _check(self, stations: Child) -> None:
        self._parts.check()
        if stations.pid is None and self._seen[0] < self._readings:
            raise RunningError("the stations ended before their readings did; see logs/publish.log")

    def _has_come_to(self, due: int) -> bool:
        return self._seen[0] >= due

    def _look(self) -> None:
        seen = (self._published.read() // 2, self._received.read())
        now_s = time.monotonic()
        if seen != self._seen:
            self._seen, self._moved_s = seen, now_s
        if now_s - self._said_s > SAY_S:
            self._said_s = now_s
            self._say(
                f"{seen[0]} of {self._readings} readings published,"
                f" {seen[1]} of {self._owed} deliveries"
            )
