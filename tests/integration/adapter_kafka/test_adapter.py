"""What plain Kafka clients do to the adapter, and what it makes of them, on a broker."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from adapter_kafka import KafkaAdapter
from confluent_kafka import Consumer, Message, Producer, TopicPartition
from eventservices.kafka.consumer import BATCH
from eventservices.stamp import HEADER, Stamp, unpack
from fes.adapter.context import Subscription
from fes.adapter.inbound.ordered import MOST_BYTES
from fes.adapter.pool import ConnectionPool
from fes.errors import AdapterError
from fes.filter import Filter
from fes.mapping import Native
from fes.model import Field, Type
from fes.testing.eventually import eventually
from support.answering import AnsweringSink
from support.processes.contexts import adapter_context
from support.processes.foreign import Kafka

pytestmark = pytest.mark.broker

KEPT = Field("Reliability", Type.LONG, 1)
ROUTE = {"topic": "sensors.{room}", "event": "Reading", "key": "room"}


@pytest.fixture(scope="module")
def broker(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Kafka]:
    made = Kafka(Path(tmp_path_factory.mktemp("kafka")))
    made.start()
    yield made
    made.stop()


def adapter(broker: Kafka, name: str, **settings: Any) -> KafkaAdapter:
    context = adapter_context(
        name, "plant", KafkaAdapter, ConnectionPool(), settings=settings, brokers=(broker.url,)
    )
    return KafkaAdapter(context)


def produce(broker: Kafka, topic: str, *values: bytes, **options: Any) -> None:
    producer = Producer({"bootstrap.servers": f"127.0.0.1:{broker.port}"})
    for value in values:
        producer.produce(topic, value, **options)
    assert producer.flush(10) == 0


def consume(broker: Kafka, topic: str, number: int) -> list[Message]:
    consumer = Consumer(
        {
            "bootstrap.servers": f"127.0.0.1:{broker.port}",
            "group.id": f"native {topic}",
            "auto.offset.reset": "earliest",
        }
    )
    consumer.assign([TopicPartition(topic, 0, 0)])
    found: list[Message] = []
    for _ in range(200):
        message = consumer.poll(0.1)
        if message is not None and message.error() is None:
            found.append(message)
        if len(found) >= number:
            break
    consumer.close()
    return found


def subscription(number: int, text: str) -> Subscription:
    return Subscription(number, Filter.of(text))


async def test_a_record_is_an_event_with_key_and_headers_and_an_identity_of_its_offset(
    broker: Kafka,
) -> None:
    broker.create("sensors.hall")
    made, gateway = adapter(broker, "a", routes=[ROUTE]), AnsweringSink()
    await made.connect(gateway)
    await made.subscribe(subscription(1, "subject = 'Reading' AND room = 'hall'"))
    produce(broker, "sensors.hall", b'{"c": 35.5}', key="hall", headers={"site": "north"})
    await eventually(lambda: gateway.natives)
    (native,) = gateway.natives
    assert [(f.id, f.value) for f in native.parameters] == [("room", "hall"), ("c", 35.5)]
    assert {f.id: f.value for f in native.attributes} == {
        "site": "north", "Key": "hall", "Reliability": 1,
    }  # fmt: skip
    stamp = gateway.stamps[0]
    assert (stamp.origin, stamp.sequence, stamp.home) == ("plant/sensors.hall/0", 1, "plant")
    await made.disconnect()


async def test_an_event_is_a_record_with_key_and_stamp_that_does_not_come_back(
    broker: Kafka,
) -> None:
    broker.create("sensors.attic")
    made, gateway = adapter(broker, "b", routes=[ROUTE]), AnsweringSink()
    await made.connect(gateway)
    await made.subscribe(subscription(1, "subject = 'Reading' AND room = 'attic'"))
    parameters = (Field("room", Type.STRING, "attic"), Field("c", Type.DOUBLE, 1.0))
    native = Native("Reading", parameters, (KEPT, Field("site", Type.STRING, "north")))
    await made.publish(native, Stamp("far", 1, 7, 0, "elsewhere"))
    (record,) = consume(broker, "sensors.attic", 1)
    assert (record.key(), record.value()) == (b"attic", b'{"c":1.0}')
    headers = dict(record.headers() or ())
    assert unpack(headers[HEADER].decode()).sequence == 7  # type: ignore[union-attr] # text, as this adapter writes it
    assert headers["site"] == b"north"
    await eventually(lambda: made.counters["own"] == 1)
    assert not gateway.natives
    await made.disconnect()


async def test_a_record_too_large_for_the_broker_harms_no_other(broker: Kafka) -> None:
    """D23."""
    broker.create("sizes")
    made = adapter(broker, "sizes", max_bytes=1024)
    await made.connect(AnsweringSink())
    for number, size in ((1, 10), (2, 2000), (3, 10)):
        native = Native("sizes", (Field("x", Type.STRING, f"{number}" * size),), (KEPT,))
        publishing = made.publish(native, Stamp("far", 1, number, 0, "elsewhere"))
        if size < 1024:
            await publishing
        else:
            with pytest.raises(AdapterError, match="2008 bytes exceeds the limit of 1024"):
                await publishing
    assert [record.value() for record in consume(broker, "sizes", 2)] == [
        b'{"x":"1111111111"}',
        b'{"x":"3333333333"}',
    ]
    await made.disconnect()


async def test_a_persistent_event_that_the_topic_has_already_is_not_stored_twice(
    broker: Kafka,
) -> None:
    """After a kill nobody knows whether the last record was stored."""
    broker.create("repeated", partitions=2)
    produce(broker, "repeated", b"\xff", headers={"site": b"\xff"}, partition=0)  # no text
    produce(broker, "repeated", b"\xff", headers={HEADER: b"none"}, partition=0)

    def event(number: int) -> tuple[Native, Stamp]:
        fields = (Field("n", Type.LONG, number),)
        native = Native("repeated", fields, (KEPT, Field("Key", Type.STRING, "same")))
        return native, Stamp("far", 1, number, 0, "elsewhere")

    for name, numbers in (("again", (1, 2, 3)), ("again", (2, 3, 4)), ("another", (4,))):
        made = adapter(broker, name)
        await made.connect(AnsweringSink())
        for number in numbers:
            await made.publish(*event(number))
        assert made.counters["published_before"] == (2 if 2 in numbers and 4 in numbers else 0)
        await made.disconnect()
    stored = consume(broker, "repeated", 7)
    assert [each.value() for each in stored] == [
        b"\xff", b"\xff", b'{"n":1}', b'{"n":2}', b'{"n":3}', b'{"n":4}', b'{"n":4}',
    ]  # fmt: skip


async def test_an_offset_is_committed_once_the_gateway_keeps_the_record(broker: Kafka) -> None:
    """D18: what the gateway did not answer for comes again, and has the same identity."""
    broker.create("orders")
    first, refusing = adapter(broker, "c"), AnsweringSink()
    await first.connect(refusing)
    await first.subscribe(subscription(1, "subject = 'orders'"))
    refusing.limit = 2
    produce(broker, "orders", *(b'{"n": %d}' % n for n in range(5)), partition=0)
    await eventually(lambda: len(refusing.natives) == 2)
    await eventually(lambda: first.counters["committed"] == 2)
    await first.disconnect()

    second, gateway = adapter(broker, "c"), AnsweringSink()
    await second.connect(gateway)
    await second.subscribe(subscription(1, "subject = 'orders'"))
    await eventually(lambda: len(gateway.natives) == 3, 30.0)
    assert gateway.numbers == [2, 3, 4]
    assert [stamp.sequence for stamp in gateway.stamps] == [3, 4, 5]
    await second.disconnect()


async def test_the_order_of_a_key_is_kept_over_partitions(broker: Kafka) -> None:
    broker.create("keyed", partitions=4)
    made, gateway = adapter(broker, "d"), AnsweringSink()
    await made.connect(gateway)
    await made.subscribe(subscription(1, "subject = 'keyed'"))
    for n in range(40):
        native = Native(
            "keyed",
            (Field("n", Type.LONG, n),),
            (KEPT, Field("Key", Type.STRING, f"k{n % 5}")),
        )
        await adapter_of_others(broker, native, n)
    await eventually(lambda: len(gateway.natives) == 40, 30.0)
    for key in range(5):
        mine = [n for n in gateway.numbers if n % 5 == key]
        assert mine == sorted(mine)
    await made.disconnect()


async def adapter_of_others(broker: Kafka, native: Native, number: int) -> None:
    key = next(f.value for f in native.attributes if f.id == "Key")
    produce(broker, "keyed", b'{"n": %d}' % number, key=key)


async def test_what_cannot_be_read_is_set_aside_and_the_next_is_received(broker: Kafka) -> None:
    """D20, D21 and D22."""
    broker.create("mixed")
    made, gateway = adapter(broker, "e"), AnsweringSink()
    await made.connect(gateway)
    await made.subscribe(subscription(1, "subject = 'mixed'"))
    produce(broker, "mixed", b'{"Time":"2022-12-27T15\xf4\x02\x00', b'{"n":1688888483063664642}')
    await eventually(lambda: gateway.natives)
    assert gateway.numbers == [1688888483063664642]
    ((reason, raw),) = gateway.aside
    assert "mixed/0/0" in reason
    assert raw.startswith(b'{"Time"')
    await made.disconnect()


async def test_large_records_that_the_gateway_has_no_room_for_stay_at_the_broker(
    broker: Kafka,
) -> None:
    broker.create("large")
    made, gateway = adapter(broker, "large"), AnsweringSink()
    gateway.limit = 0
    await made.connect(gateway)
    await made.subscribe(subscription(1, "subject = 'large'"))
    text = "x" * 100_000
    produce(broker, "large", *(b'{"n": %d, "text": "%s"}' % (n, text.encode()) for n in range(300)))
    await eventually(lambda: made.counters["unanswered_bytes"] >= MOST_BYTES)
    most = MOST_BYTES // len(text) + 3 * BATCH
    assert made.counters["unanswered"] <= most, "of 30 MB some 14 are fetched at most"
    gateway.limit = 1_000_000
    await eventually(lambda: len(gateway.natives) == 300)
    assert gateway.numbers == list(range(300))
    await eventually(lambda: made.counters["unanswered_bytes"] == 0)
    await made.disconnect()
