"""Native subscriptions only for filters that no other covers, at a real service."""

import asyncio
import time
from contextlib import AsyncExitStack

import pytest
from adapter_siena.observed import ROLE
from fes.adapter import AdapterRuntime
from fes.eventlog import Record
from fes.link.end import Message
from fes.link.messages import Done, Heard, Subscribe, Unsubscribe
from fes.model import Event
from fes.testing.eventually import eventually
from integration.adapter_siena.bench import SienaBench

pytestmark = pytest.mark.broker

ZONES, LIMITS = 10, 100


class Gateway:
    """The other end of the link, and the event log."""

    counters: dict[str, int] = {}  # noqa: RUF012 - nothing is counted

    def __init__(self) -> None:
        self.heard: dict[int, tuple[int, ...]] = {}
        self.done: list[Done] = []

    def send(self, message: Message) -> bool:
        if isinstance(message, Heard):
            assert message.stamp.sequence not in self.heard, "an event is heard once"
            self.heard[message.stamp.sequence] = message.matched
        elif isinstance(message, Done):
            self.done.append(message)
        return True

    async def close(self) -> None:
        """Nothing is to be closed."""

    def wants(self, identity: str) -> bool:
        return False

    def write(self, record: Record) -> None:
        """No line is wanted."""


def number(zone: int, limit: int) -> int:
    return 1 + zone * LIMITS + limit


def text(zone: int, limit: int) -> str:
    return f"subject = 'Speed' AND zone = {zone} AND rate > {limit}"


async def natively(bench: SienaBench) -> int:
    """Return how many native subscriptions a native client sees that an adapter has."""
    await bench.native()
    seen = bench.connection.peers.current()
    return sum(each.role == ROLE and each.kind.name == "SUBSCRIPTION" for each in seen)


async def test_covered_filters_come_back_and_no_event_is_lost_meanwhile(
    bench: SienaBench,
) -> None:
    published: list[tuple[int, int, int]] = []
    gateway, ending = Gateway(), asyncio.Event()

    async def publish() -> None:
        while not ending.is_set():
            zone, rate = len(published) % ZONES, 50 + len(published) % 60
            event = Event.of("Speed", zone=zone, rate=rate)
            stamp = await bench.publish_natively(event, time.time_ns() // 1000)
            published.append((stamp.sequence, zone, rate))
            await asyncio.sleep(0.002)

    async with AsyncExitStack() as stack:
        runtime = AdapterRuntime(await bench.adapter("many"), gateway)
        runtime.attach(gateway)
        await stack.enter_async_context(runtime)
        await eventually(lambda: runtime.ready)
        for limit in range(LIMITS):
            for zone in range(ZONES):
                runtime.receive(Subscribe(number(zone, limit), text(zone, limit), 1))
        await eventually(lambda: len(gateway.done) == ZONES * LIMITS, 60)
        assert runtime.counted().counters["maximal_subscriptions"] == ZONES
        assert runtime.counted().counters["covered_subscriptions"] == ZONES * (LIMITS - 1)
        own = 1  # it hears control events
        await eventually(lambda: _has(bench, ZONES + own))

        publishing = asyncio.create_task(publish())
        await eventually(lambda: len(published) > 50)
        for zone in range(ZONES):
            runtime.receive(Unsubscribe(number(zone, 0), 2))
        await eventually(lambda: len(gateway.done) == ZONES * LIMITS + ZONES, 60)
        assert runtime.counted().counters["maximal_subscriptions"] == ZONES
        await eventually(lambda: len(published) > 200)
        ending.set()
        await publishing
        await eventually(lambda: published[-1][0] in gateway.heard)

        for sequence, zone, rate in published:
            matched = {*gateway.heard[sequence]}
            kept = {number(zone, limit) for limit in range(1, min(rate, LIMITS))}
            assert matched - {number(zone, 0)} == kept
    await eventually(lambda: _has(bench, 0))


async def _has(bench: SienaBench, expected: int) -> bool:
    return await natively(bench) == expected
