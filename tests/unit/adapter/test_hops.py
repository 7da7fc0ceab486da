"""What an adapter makes of standard attributes: on the way in, while they wait, on the way out."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import Any

import pytest
from eventservices.stamp import Stamp as NativeStamp
from fes.adapter import AdapterRuntime
from fes.adapter.context import Subscription
from fes.adapter.pool import ConnectionPool
from fes.control import CONTROL_SUBJECT, RequestType
from fes.eventlog import Decision, Record
from fes.link.end import Message
from fes.link.messages import (
    Announce,
    Confirmed,
    Heard,
    HeardControl,
    Publish,
    PublishControl,
    Subscribe,
)
from fes.mapping import Native
from fes.model import Event, Stamp, attributes, binary
from fes.testing.eventually import eventually
from fes.testing.memory import MemoryAdapter, MemoryClient, buses
from support.processes.contexts import adapter_context

SECOND = 1_000_000
T0 = 1_700_000_000 * SECOND
"""The producer's time of every event here."""


class Clock:
    """The federation clock, moved by hand."""

    def __init__(self) -> None:
        self.now_us = T0

    def time_us(self, wall_us: int) -> int:
        del wall_us
        return self.now_us


class Slow(MemoryAdapter):
    """Performs nothing behind a subscription until it is let."""

    def __init__(self, name: str, clock: Clock) -> None:
        context = adapter_context("g", name, MemoryAdapter, ConnectionPool())
        super().__init__(replace(context, clock=clock))
        self.allowed = asyncio.Event()

    async def _subscribe(self, subscription: Subscription) -> tuple[str, ...]:
        await self.allowed.wait()
        return await super()._subscribe(subscription)


class Bench:
    """An adapter at work, the gateway's end of its link, and a native client."""

    counters: dict[str, int] = {}  # noqa: RUF012 - nothing is counted

    def __init__(self, name: str) -> None:
        self.clock = Clock()
        self.adapter = Slow(name, self.clock)
        self.runtime = AdapterRuntime(self.adapter, self)
        self.client = MemoryClient(buses[name], "city")
        self.said: list[Message] = []
        self.log: list[Record] = []

    def send(self, message: Message) -> bool:
        self.said.append(message)
        return True

    async def close(self) -> None:
        """Nothing is to be closed."""

    def wants(self, identity: str) -> bool:
        return bool(identity)

    def write(self, record: Record) -> None:
        self.log.append(record)

    def dropped(self) -> dict[str, str]:
        """Return the reasons of what was dropped, by identity."""
        return {each.id: each.reason for each in self.log if each.decision == Decision.DROPPED}

    async def publish(self, *orders: Publish, wait_s: float = 0.0) -> None:
        """Have orders wait for some time of the federation, and then be performed."""
        self.runtime.receive(Announce(1, binary.encode(Event.of("Speed"))))
        self.runtime.receive(Subscribe(2, "Other", 1))
        for order in orders:
            self.runtime.receive(order)
        self.clock.now_us += round(wait_s * SECOND)
        self.adapter.allowed.set()
        done = ("published", "expired")
        counters = self.runtime.outbound.counters
        await eventually(lambda: sum(counters[name] for name in done) >= len(orders))

    async def received(self, count: int) -> list[int]:
        """Return the sequence numbers that the native client got, once there are so many."""
        await eventually(lambda: len(self.client.received) == count)
        return [item.stamp.sequence for item in self.client.received if item.stamp]


@pytest.fixture
async def bench(request: pytest.FixtureRequest) -> AsyncIterator[Bench]:
    async with at_work(request.node.name) as found:
        yield found


@asynccontextmanager
async def at_work(name: str) -> AsyncIterator[Bench]:
    bench = Bench(name)
    bench.runtime.attach(bench)
    async with bench.runtime:
        yield bench


def order(sequence: int, row: int = 0, **asked: Any) -> Publish:
    """Return an order as a gateway makes it of an event that asks for something."""
    event = Event.of("Speed", {"rate": 40.0}, asked)
    ends_us = attributes.expires_us(event, T0)
    stamp = Stamp("car", 1, sequence, T0, "home")
    return Publish(stamp, (), ends_us, binary.encode(event), attributes.priority(event), row)


def iso(after_s: int) -> str:
    return f"2023-11-14T22:{13 + after_s // 60:02}:{20 + after_s % 60:02}Z"


def hear(bench: Bench, **asked: Any) -> Heard:
    """Return what the gateway is told of a native event."""
    event = Event.of("Speed", {"rate": 40.0}, asked)
    native = Native(event.subject, event.parameters, event.attributes)
    bench.runtime.heard(native, NativeStamp("car", 1, 1, T0, "home"))
    (heard,) = [message for message in bench.said if isinstance(message, Heard)]
    return heard


async def test_what_an_event_asks_for_stands_in_the_header_that_gateways_read(
    bench: Bench,
) -> None:
    """Rule G25."""
    bench.adapter.allowed.set()
    bench.runtime.receive(Subscribe(1, "Speed", 1))
    await eventually(lambda: bench.runtime.outbound.subscriptions)

    asked = {"Priority": 7, "Reliability": 1, "StartTime": iso(2), "StopTime": iso(20)}
    heard = hear(bench, **asked, Timeout=30.0)

    assert (heard.priority, heard.persistent) == (7, True)
    assert (heard.starts_us, heard.expires_us) == (T0 + 2 * SECOND, T0 + 20 * SECOND)


async def test_urgent_orders_pass_those_that_wait_for_the_event_service(bench: Bench) -> None:
    await bench.publish(order(1), order(2, Priority=5), order(3, Priority=-5), order(4))

    assert await bench.received(4) == [2, 1, 4, 3]


async def test_what_expires_while_it_waits_for_the_event_service_is_not_published(
    bench: Bench,
) -> None:
    """Rule G24."""
    orders = (
        order(1, Timeout=5.0),
        order(2, Timeout=15.0),
        order(3, StopTime=iso(5)),
        order(4, StopTime=iso(15)),
        order(5, row=9, Timeout=60.0, StopTime=iso(5)),
    )
    await bench.publish(*orders, wait_s=10)

    assert await bench.received(2) == [2, 4]
    assert bench.dropped() == {f"car/1/{number}": "expired" for number in (1, 3, 5)}
    assert Confirmed(9, "expired", retryable=False) in bench.said


async def test_a_timeout_goes_on_from_the_producers_time_and_ends_with_the_stop_time(
    bench: Bench,
) -> None:
    orders = (
        order(1, Timeout=30.0),
        order(2, Timeout=30.0, StopTime=iso(20)),
        order(3, Timeout=0.0, StopTime=iso(20)),
        order(4, StopTime=iso(20)),
    )
    await bench.publish(*orders, wait_s=10)
    await bench.received(4)

    found = [item.event.attribute("Timeout") for item in bench.client.received]
    assert found == [30.0, 20.0, 20.0, None]
    times = {item.stamp.time_us for item in bench.client.received if item.stamp}
    assert times == {T0}


async def test_the_other_attributes_cross_as_they_are(bench: Bench) -> None:
    asked: dict[str, Any] = {
        "Priority": 3,
        "Proximity": "0,1,0,0,300",
        "StartTime": iso(0),
        "note": "x",
    }
    await bench.publish(order(1, **asked))
    await bench.received(1)

    event = bench.client.received[0].event
    assert {field.id: field.value for field in event.attributes} == asked
    counters = bench.runtime.counted().counters
    assert (counters["degraded_priority"], counters["degraded_proximity"]) == (1, 1)


async def test_a_control_event_whose_event_expired_while_it_waited_is_not_published(
    bench: Bench,
) -> None:
    body = binary.encode(Event.of("FES_ControlEvent", Type=3))
    late, soon = T0 + 5 * SECOND, T0 + 15 * SECOND
    for expires_us in (late, soon, 0):
        bench.runtime.receive(PublishControl(body, True, expires_us=expires_us))
    await bench.publish(order(1), wait_s=10)

    counters = bench.runtime.outbound.counters
    await eventually(lambda: counters["control_published"] == 2)
    assert counters["expired"] == 1


async def test_a_control_event_is_as_urgent_as_the_event_in_it(bench: Bench) -> None:
    inner = Event.of("Speed", {"rate": 1.0}, {"Priority": 7})
    for kind in (RequestType.PUBLICATION, RequestType.ANNOUNCEMENT):
        bench.runtime.heard_control(Event.of(CONTROL_SUBJECT, Type=int(kind), Event=inner), None)

    heard = [message for message in bench.said if isinstance(message, HeardControl)]
    assert [control.priority for control in heard] == [7, 0]
