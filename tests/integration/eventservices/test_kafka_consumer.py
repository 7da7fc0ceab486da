"""The consumer of Kafka on a broker: what happens while its group divides the partitions."""

import asyncio
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from confluent_kafka import Consumer, Producer, TopicPartition
from eventservices.errors import NotConnectedError
from eventservices.kafka.consumer import KafkaConsumer
from eventservices.kafka.record import Record
from fes.testing.eventually import eventually
from support.processes.foreign import Kafka

pytestmark = [pytest.mark.broker, pytest.mark.slow, pytest.mark.timeout(180)]


@pytest.fixture
def broker(tmp_path: Path) -> Iterator[Kafka]:
    made = Kafka(tmp_path)
    made.start()
    yield made
    made.stop()


def produce(broker: Kafka, topic: str, *values: bytes) -> None:
    producer = Producer({"bootstrap.servers": f"127.0.0.1:{broker.port}"})
    for value in values:
        producer.produce(topic, value, partition=0)
    assert producer.flush(10) == 0


@asynccontextmanager
async def member(
    broker: Kafka, name: str, found: list[Record], group: str = "g", start: str = "latest"
) -> AsyncIterator[KafkaConsumer]:
    def receive(records: list[Record]) -> None:
        for each in records:
            found.append(each)
            made.commits.put(each.topic, each.partition, each.offset + 1)

    made = KafkaConsumer([broker.url], name, group, start, receive)
    made.open()
    yield made
    await made.close()


async def test_a_topic_that_is_made_later_is_found(broker: Kafka) -> None:
    broker.create("there")
    found: list[Record] = []
    async with member(broker, "a", found, start="earliest") as made:
        await made.subscribe(["later"])
        await made.subscribe(["there"])
        assert made.interests.missing == 1
        produce(broker, "there", b"1")
        await eventually(lambda: [each.value for each in found] == [b"1"])
        broker.create("later")
        produce(broker, "later", b"2")
        await eventually(lambda: [each.value for each in found] == [b"1", b"2"])
        await eventually(lambda: made.interests.missing == 0)


async def test_members_of_one_group_divide_topics_and_each_record_comes_once(
    broker: Kafka,
) -> None:
    topics = [f"t{number}" for number in range(6)]
    broker.create(*topics)
    one: list[Record] = []
    other: list[Record] = []
    async with member(broker, "a", one) as first:
        await asyncio.gather(*(first.subscribe([topic]) for topic in topics))
        async with member(broker, "b", other) as second:
            await asyncio.gather(*(second.subscribe([topic]) for topic in topics))

            def owned(each: KafkaConsumer) -> frozenset[str]:
                return each.interests._assigned

            await eventually(lambda: len(owned(first)) == len(owned(second)) == 3)
            for topic in topics:
                produce(broker, topic, b"1", b"2")
            await eventually(lambda: len(one) + len(other) >= 12)
            assert {each.topic for each in one} == owned(first)
            assert {each.topic for each in other} == owned(second)
            for topic in topics:
                assert [r.value for r in (*one, *other) if r.topic == topic] == [b"1", b"2"]
        await eventually(lambda: owned(first) == frozenset(topics), 60.0, "all again")
        produce(broker, "t0", b"3")
        produce(broker, "t5", b"3")
        await eventually(lambda: sum(each.value == b"3" for each in one) == 2)
    assert len(one) + len(other) == 14, "none comes twice over the divisions"


async def test_closing_while_the_group_divides_fails_who_waits_and_commits_what_is_done(
    broker: Kafka,
) -> None:
    broker.create("t0", "t1")
    found: list[Record] = []
    async with member(broker, "a", found) as made:
        await made.subscribe(["t0"])
        waiting = asyncio.create_task(made.subscribe(["t1"]))
        await eventually(lambda: made.interests.changes == 2)
        produce(broker, "t0", b"1")
        await eventually(lambda: found)
    with pytest.raises(NotConnectedError, match="closed"):
        await waiting
    reader = Consumer({"bootstrap.servers": f"127.0.0.1:{broker.port}", "group.id": "g"})
    (place,) = reader.committed([TopicPartition("t0", 0)], 5)
    reader.close()
    assert place.offset == 1


async def test_a_broker_that_restarts_while_the_group_divides(broker: Kafka) -> None:
    broker.create("t0", "t1")
    found: list[Record] = []
    async with member(broker, "a", found, start="earliest") as made:
        await made.subscribe(["t0"])
        waiting = asyncio.create_task(made.subscribe(["t1"]))
        await eventually(lambda: made.interests.changes == 2)
        broker.stop()
        broker.start()
        broker.create("t0", "t1")  # it keeps nothing
        try:
            await waiting
        except NotConnectedError:
            await made.subscribe(["t1"])
        produce(broker, "t0", b"1")
        produce(broker, "t1", b"1")
        await eventually(lambda: {each.topic for each in found} == {"t0", "t1"}, 60.0)
