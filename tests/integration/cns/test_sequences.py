"""Batches: how they are given, how they come together, and how they fall apart."""

import pytest
from eventservices.cns import Connection, EventChannel, StructuredEvent, structured_event
from eventservices.errors import MalformedError
from eventservices.stamp import Stamp
from integration.cns.clients import (
    Anys,
    Batches,
    Structureds,
    any_consumer,
    any_supplier,
    named,
    sequence_consumer,
    sequence_supplier,
    structured_consumer,
    structured_supplier,
)
from integration.cns.clock import Clock, ticks
from integration.cns.conftest import Connect, Eventually

pytestmark = pytest.mark.broker


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
async def connection(connect: Connect, clock: Clock) -> Connection:
    return await connect(clock_us=clock)


@pytest.fixture
async def channel(connection: Connection, channel_name: str) -> EventChannel:
    return await connection.open_channel(channel_name)


async def push(channel: EventChannel, *names: str) -> None:
    await (await sequence_supplier(channel)).push_structured_events(list(map(named, names)))
    await channel.my_factory.probe()


async def test_each_event_of_a_batch_reaches_other_consumers_by_itself_in_order(
    channel: EventChannel,
) -> None:
    structureds, anys = Structureds(), Anys()
    await structured_consumer(channel, structureds)
    await any_consumer(channel, anys)
    supplying = await sequence_supplier(channel)

    stamps = await supplying.push_structured_events([named("a"), named("b"), named("c")])
    await channel.my_factory.probe()

    assert structureds.got == list(zip(map(named, "abc"), stamps, strict=True))
    assert anys.values == list(map(named, "abc"))
    assert [stamp.sequence for stamp in stamps] == [1, 2, 3]
    assert supplying.pushed == 3


async def test_a_batch_is_given_when_it_is_full(channel: EventChannel) -> None:
    consumer = Batches()
    proxy = await sequence_consumer(channel, consumer, MaximumBatchSize=3)

    await push(channel, *"abcdefgh")

    assert consumer.names == [["a", "b", "c"], ["d", "e", "f"]]
    assert len(consumer.stamps) == proxy.delivered == 6
    assert proxy.pending == 2
    await push(channel, "i")
    assert consumer.names[2:] == [["g", "h", "i"]]


async def test_without_pacing_a_batch_waits_until_it_is_full(
    channel: EventChannel, clock: Clock
) -> None:
    consumer = Batches()
    await sequence_consumer(channel, consumer, MaximumBatchSize=2)

    await push(channel, "a")
    clock.pass_s(3600)
    await push(channel)

    assert consumer.got == []


async def test_pacing_gives_what_waits_when_its_time_is_over(
    channel: EventChannel, clock: Clock, eventually: Eventually
) -> None:
    consumer = Batches()
    await sequence_consumer(channel, consumer, MaximumBatchSize=10, PacingInterval=ticks(5))

    await push(channel, "a", "b")
    clock.pass_s(4.9)
    await push(channel, "c")
    assert consumer.got == []
    clock.pass_s(0.1)

    await eventually(lambda: consumer.got)
    assert consumer.names == [["a", "b", "c"]]
    await push(channel, "d")
    clock.pass_s(4.9)
    await channel.my_factory.probe()
    assert len(consumer.got) == 1
    clock.pass_s(0.2)
    await eventually(lambda: consumer.names[1:] == [["d"]])


async def test_the_smallest_batch_goes_at_once(channel: EventChannel) -> None:
    consumer = Batches()
    await sequence_consumer(channel, consumer)

    await push(channel, "a", "b")

    assert consumer.names == [["a"], ["b"]]


async def test_any_events_stand_in_batches_as_structured_ones(channel: EventChannel) -> None:
    consumer = Batches()
    await sequence_consumer(channel, consumer, MaximumBatchSize=2)

    await (await any_supplier(channel)).push(5)
    await (await structured_supplier(channel)).push_structured_event(named("a"))
    await channel.my_factory.probe()

    assert consumer.got == [[structured_event(("", "%ANY"), body=5), named("a")]]


async def test_a_smaller_size_gives_what_waits(channel: EventChannel) -> None:
    consumer = Batches()
    proxy = await sequence_consumer(channel, consumer, MaximumBatchSize=10)
    await push(channel, *"abcde")

    proxy.set_qos({"MaximumBatchSize": 2})

    assert consumer.names == [["a", "b"], ["c", "d"]]


async def test_a_batch_with_a_faulty_event_is_not_published(channel: EventChannel) -> None:
    consumer = Structureds()
    await structured_consumer(channel, consumer)
    supplying = await sequence_supplier(channel)

    with pytest.raises(MalformedError):
        await supplying.push_structured_events(
            [named("a"), named("b", Priority=object())]  # type: ignore[arg-type] # on purpose
        )
    with pytest.raises(MalformedError, match="1 stamps for 2 events"):
        await supplying.push_structured_events(
            [named("a"), named("b")], stamps=[Stamp("o", 1, 1, 1, "h")]
        )
    await channel.my_factory.probe()

    assert consumer.got == []


async def test_a_batch_may_keep_its_identities(channel: EventChannel) -> None:
    consumer = Structureds()
    await structured_consumer(channel, consumer)
    stamps = [Stamp("far/away", 3, number, 1_000_000, "siena-m") for number in (7, 8)]
    supplying = await sequence_supplier(channel)

    assert await supplying.push_structured_events(list(map(named, "ab")), stamps=stamps) == stamps
    await channel.my_factory.probe()

    assert [stamp for _, stamp in consumer.got] == stamps


async def test_a_consumer_that_fails_on_a_batch_gets_the_next(channel: EventChannel) -> None:
    class Broken(Batches):
        def push_structured_events(
            self, events: list[StructuredEvent], stamps: list[Stamp | None]
        ) -> None:
            super().push_structured_events(events, stamps)
            raise RuntimeError("on purpose")

    consumer = Broken()
    proxy = await sequence_consumer(channel, consumer, MaximumBatchSize=2)

    await push(channel, *"abcd")

    assert consumer.names == [["a", "b"], ["c", "d"]]
    assert (proxy.failed, proxy.pending) == (4, 0)
