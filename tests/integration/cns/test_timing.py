"""Start times, stop times and timeouts, on a clock that the test sets."""

from typing import Any

import pytest
from eventservices.cns import Connection, EventChannel
from integration.cns.clients import (
    Structureds,
    drained,
    named,
    structured_consumer,
    structured_puller,
    structured_supplier,
)
from integration.cns.clock import Clock, ticks
from integration.cns.conftest import Connect, Eventually

pytestmark = pytest.mark.broker

SUPPORTED: dict[str, Any] = {"StartTimeSupported": True, "StopTimeSupported": True}


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
async def connection(connect: Connect, clock: Clock) -> Connection:
    return await connect(clock_us=clock)


@pytest.fixture
async def channel(connection: Connection, channel_name: str) -> EventChannel:
    return await connection.open_channel(channel_name)


async def push(channel: EventChannel, name: str, **header: Any) -> None:
    supplying = await structured_supplier(channel)
    await supplying.push_structured_event(named(name, **header))
    await channel.my_factory.probe()


CASES = [
    # start, stop and timeout in seconds from now; from when to when it is delivered
    (None, None, None, 0, 10**6),
    (10, 20, None, 10, 20),
    (10, None, None, 10, 10**6),
    (None, 20, None, 0, 20),
    (None, None, 15, 0, 15),
    (None, 20, 15, 0, 15),
    (None, 10, 15, 0, 10),
    (5, None, 15, 5, 15),
    (-5, 20, None, 0, 20),
    (30, 10, None, None, None),
    (None, -1, None, None, None),
    (20, None, 15, None, None),
]


@pytest.mark.parametrize(("start", "stop", "lifetime", "first", "last"), CASES)
@pytest.mark.parametrize("after", [0, 9.9, 10, 14.9, 15, 19.9, 20, 31])
async def test_an_event_is_there_from_its_start_to_its_end(
    channel: EventChannel,
    clock: Clock,
    start: int | None,
    stop: int | None,
    lifetime: int | None,
    first: int | None,
    last: int | None,
    after: float,
) -> None:
    pulling = await structured_puller(channel, **SUPPORTED)
    header: dict[str, Any] = {}
    if start is not None:
        header["StartTime"] = clock.at_s(start)
    if stop is not None:
        header["StopTime"] = clock.at_s(stop)
    if lifetime is not None:
        header["Timeout"] = ticks(lifetime)
    await push(channel, "a", **header)

    clock.pass_s(after)

    there = first is not None and last is not None and first <= after < last
    assert drained(pulling) == (["a"] if there else [])
    clock.pass_s(2 * 10**6)
    forever = last == 10**6 and not there
    assert drained(pulling) == (["a"] if forever else [])
    assert pulling.delivered + pulling.expired == 1


async def test_where_times_are_not_supported_they_are_only_data(
    channel: EventChannel, clock: Clock
) -> None:
    pulling = await structured_puller(channel)

    await push(channel, "a", StartTime=clock.at_s(100), StopTime=clock.at_s(-100))
    await push(channel, "b", Timeout=ticks(1))
    clock.pass_s(50)

    assert drained(pulling) == ["a", "b"]


async def test_a_proxys_timeout_is_for_events_that_have_none_that_counts(
    channel: EventChannel, clock: Clock
) -> None:
    pulling = await structured_puller(channel, Timeout=ticks(5), StopTimeSupported=True)
    await push(channel, "proxy")
    await push(channel, "own", Timeout=ticks(9))
    await push(channel, "never", Timeout=0)

    clock.pass_s(5)
    assert drained(pulling) == ["own", "never"]
    assert pulling.expired == 1


async def test_a_consumer_is_pushed_to_when_the_start_time_comes(
    channel: EventChannel, clock: Clock, eventually: Eventually
) -> None:
    consumer = Structureds()
    proxy = await structured_consumer(channel, consumer)
    proxy.set_qos(SUPPORTED)

    await push(channel, "later", StartTime=clock.at_s(10))
    await push(channel, "now")
    assert [event.event_name for event in consumer.events] == ["now"]

    clock.pass_s(10)
    await eventually(lambda: len(consumer.got) == 2)
    assert consumer.events[1].event_name == "later"


async def test_what_expires_while_the_connection_is_suspended_is_not_given(
    channel: EventChannel, clock: Clock
) -> None:
    consumer = Structureds()
    proxy = await structured_consumer(channel, consumer)
    proxy.set_qos({"StopTimeSupported": True})
    proxy.suspend_connection()
    await push(channel, "short", Timeout=ticks(1))
    await push(channel, "long", Timeout=ticks(100))

    clock.pass_s(2)
    proxy.resume_connection()

    assert [event.event_name for event in consumer.events] == ["long"]
    assert proxy.expired == 1


async def test_a_queue_forgets_what_expires_by_itself(
    channel: EventChannel, clock: Clock, eventually: Eventually
) -> None:
    pulling = await structured_puller(channel, Timeout=ticks(3))
    await push(channel, "a")
    assert channel.waiting == 1

    clock.pass_s(3)

    await eventually(lambda: channel.waiting == 0)
    assert pulling.expired == 1


async def test_a_pull_waits_for_the_start_of_an_event(channel: EventChannel, clock: Clock) -> None:
    pulling = await structured_puller(channel, StartTimeSupported=True)
    await push(channel, "a", StartTime=clock.at_s(10))
    assert drained(pulling) == []
    clock.pass_s(10)

    assert (await pulling.pull_structured_event()).event_name == "a"
