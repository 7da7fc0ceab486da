"""Subscriptions to many topics cost few divisions of the group, and disturb no topic."""

import itertools
from collections.abc import Iterator
from pathlib import Path

import pytest
from adapter_kafka import KafkaAdapter
from confluent_kafka import Consumer, Producer, TopicPartition
from fes.adapter.pool import ConnectionPool
from fes.link.messages import Subscribe, Unsubscribe
from fes.testing.conformance.bench import Captured, captured
from fes.testing.eventually import eventually
from support.processes.contexts import adapter_context
from support.processes.foreign import Kafka

pytestmark = [pytest.mark.broker, pytest.mark.slow, pytest.mark.timeout(240)]

MANY = 100


@pytest.fixture
def broker(tmp_path: Path) -> Iterator[Kafka]:
    made = Kafka(tmp_path)
    made.start()
    made.create("steady", *(f"topic{number}" for number in range(MANY)))
    yield made
    made.stop()


def adapter(broker: Kafka) -> KafkaAdapter:
    return KafkaAdapter(
        adapter_context("g", "plant", KafkaAdapter, ConnectionPool(), brokers=(broker.url,))
    )


def divisions(gateway: Captured) -> int:
    return gateway.runtime.adapter.counters["rebalanced"]


async def test_a_hundred_subscriptions_at_once_are_few_divisions_and_each_is_done_when_it_reads(
    broker: Kafka,
) -> None:
    producer = Producer({"bootstrap.servers": f"127.0.0.1:{broker.port}"})
    numbers = itertools.count()

    def produce(*topics: str) -> None:
        for topic in topics:
            producer.produce(topic, b'{"n": %d}' % next(numbers), partition=0)
        assert producer.flush(10) == 0

    made = adapter(broker)
    async with captured(made) as gateway:
        await gateway.order(Subscribe(1, "subject = 'steady'", 1))
        before, steady = divisions(gateway), 0
        gateway.done.clear()
        for number in range(MANY):
            gateway.runtime.receive(Subscribe(2 + number, f"subject = 'topic{number}'", 2))

        async def all_are_done() -> bool:
            nonlocal steady
            produce("steady")
            steady += 1
            return len(gateway.done) == MANY

        await eventually(all_are_done, 60.0, "all subscriptions")
        assert not [each for each in gateway.done if each.error]
        assert divisions(gateway) - before <= 3
        produce(*(f"topic{number}" for number in range(MANY)))

        def values(subject: str) -> list[object]:
            return [e.parameter("n") for e in gateway.events() if e.subject.startswith(subject)]

        await eventually(lambda: len(values("topic")) == MANY, 10.0, "an event of each")
        await eventually(lambda: len(values("steady")) == steady)
        assert values("steady") == list(range(steady)), "each once, in order"

        await eventually(lambda: committed(broker, "steady") == steady, 10.0, "all are committed")

        before = divisions(gateway)
        await gateway.order(*(Unsubscribe(2 + number, 3) for number in range(MANY)))
        await gateway.order(Subscribe(500, "subject = 'topic0'", 4))
        assert 1 <= divisions(gateway) - before <= 4, "withdrawals are collected, too"
        produce("topic0", "topic1", "topic0")
        await eventually(lambda: len(values("topic")) == MANY + 2)


def committed(broker: Kafka, topic: str) -> int:
    settings = {"bootstrap.servers": f"127.0.0.1:{broker.port}", "group.id": "fes.test.g.plant"}
    consumer = Consumer(settings)
    (found,) = consumer.committed([TopicPartition(topic, 0)], 5)
    consumer.close()
    return found.offset
