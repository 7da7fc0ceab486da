"""Plain Kafka on a broker passes the adapter suite; its client is `confluent-kafka` alone.

The broker of the tests, Tansu, answers whoever joins a group after 5 s, and so each change of
subscriptions lasts as long; the mock cluster of `confluent-kafka` needs 9 s, and makes no topics.
"""

import asyncio
import itertools
import json
import threading
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import ClassVar

import pytest
from adapter_kafka import KafkaAdapter
from confluent_kafka import Consumer, Message, Producer, TopicPartition
from eventservices.stamp import HEADER, Stamp, Stamper, pack, unpack
from fes.adapter.base import AnyAdapter
from fes.adapter.pool import ConnectionPool
from fes.mapping.topics import kafka as names
from fes.mapping.topics.levels import KAFKA, TopicNames
from fes.model import Event
from fes.testing.conformance.adapter import AdapterConformance
from fes.testing.conformance.bench import AdapterBench, NativeEvent
from fes.testing.conformance.crossing import AWKWARD
from support.processes.contexts import adapter_context
from support.processes.foreign import Kafka

pytestmark = [pytest.mark.broker, pytest.mark.slow, pytest.mark.timeout(300)]

_numbers = itertools.count()


class KafkaBench(AdapterBench):
    """Adapters, and a producer that stamps."""

    keeps_all: ClassVar[bool] = True

    def __init__(self, broker: Kafka) -> None:
        self.broker = broker
        self.pool = ConnectionPool()
        self.service = f"kafka-{next(_numbers)}"
        self.stamper = Stamper("native", self.service)
        self.servers = {"bootstrap.servers": f"127.0.0.1:{broker.port}"}
        self.producer = Producer(self.servers)
        self.stopping = threading.Event()
        self.threads: list[threading.Thread] = []

    async def adapter(self, name: str) -> AnyAdapter:
        context = adapter_context(
            name, self.service, KafkaAdapter, self.pool, brokers=(self.broker.url,)
        )
        return KafkaAdapter(context)

    async def publish_natively(self, event: Event, time_us: int) -> Stamp:
        stamp = self.stamper.next(time_us)
        payload = json.dumps({field.id: field.value for field in event.parameters})
        self.producer.produce(event.subject, payload, headers={HEADER: pack(stamp)})
        await asyncio.to_thread(self.producer.flush, 10)
        return stamp

    async def listen_natively(self, subject: str) -> list[NativeEvent]:
        found: list[NativeEvent] = []
        consumer = Consumer({**self.servers, "group.id": "x"})
        _, high = consumer.get_watermark_offsets(TopicPartition(subject, 0), 5)
        consumer.assign([TopicPartition(subject, 0, high)])

        def run() -> None:
            while not self.stopping.is_set():
                message = consumer.poll(0.1)
                if message is not None and message.error() is None:
                    found.append(native(message))
            consumer.close()

        thread = threading.Thread(target=run, daemon=True)
        thread.start()
        self.threads.append(thread)
        return found

    async def close(self) -> None:
        self.stopping.set()
        for thread in self.threads:
            thread.join()

    async def publish_garbage(self) -> None:
        self.producer.produce("Speed", b'{"Time":"2022-12-27T15\xf4\x02\x00')
        self.producer.flush(10)

    async def restart_broker(self) -> None:
        self.broker.stop()
        self.broker.start()
        self.broker.create("Speed", "FES_ControlEvent")


def native(message: Message) -> NativeEvent:
    headers = dict(message.headers() or ())
    text = headers.get(HEADER)
    return NativeEvent(
        Event.of(str(message.topic()), json.loads(message.value() or b"")),
        unpack(str(text, "utf-8")) if isinstance(text, bytes) else None,
    )


@pytest.fixture
def broker(tmp_path: Path) -> Iterator[Kafka]:
    """A broker for each test: what one published last may arrive while the next one runs."""
    made = Kafka(tmp_path)
    made.start()
    made.create("Speed", "FES_ControlEvent", *(f"Subject{n}" for n in range(1, 11)))
    made.create(*(names.write(TopicNames(KAFKA).topic(each)) for each in AWKWARD))
    yield made
    made.stop()


class TestKafkaAdapter(AdapterConformance):
    @pytest.fixture
    async def bench(self, broker: Kafka) -> AsyncIterator[KafkaBench]:
        made = KafkaBench(broker)
        yield made
        await made.close()
