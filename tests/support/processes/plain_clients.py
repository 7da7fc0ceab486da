"""Clients of plain systems that know of no federation, each by its broker's own library."""

import asyncio
import json
from contextlib import suppress
from typing import Any, NamedTuple, Protocol

import gmqtt
import nats
import nats.errors
from confluent_kafka import Consumer, Message, Producer, TopicPartition
from nats.aio.msg import Msg


class Got(NamedTuple):
    """What a client got.

    Attributes:
        topic: As the broker has it.
        value: The payload, read as JSON.
        key: Of a record of Kafka; "" elsewhere.
    """

    topic: str
    value: Any
    key: str = ""


class PlainClient(Protocol):
    """Publishes JSON, and keeps what it gets in `got`."""

    got: list[Got]

    async def open(self, topics: str) -> None:
        """Connect, and subscribe to topics in the broker's own words."""

    async def publish(self, topic: str, value: Any) -> None:
        """Publish; what the broker is not there for is lost, or comes late."""

    async def close(self) -> None:
        """Disconnect."""


class WithHost(Protocol):
    """A broker of MQTT, wherever it runs."""

    @property
    def host(self) -> str:
        """Where it listens."""

    @property
    def mqtt_port(self) -> int:
        """Where it listens."""


class WithUrl(Protocol):
    """A server of NATS, wherever it runs."""

    @property
    def url(self) -> str:
        """Its address."""


class WithPort(Protocol):
    """A broker of Kafka on this machine."""

    @property
    def port(self) -> int:
        """Where it listens."""


class MqttClient:
    """Speaks MQTT 5, QoS 0."""

    def __init__(self, broker: WithHost) -> None:
        self.got: list[Got] = []
        self._broker = broker
        self._client = gmqtt.Client(f"native {id(self)}", clean_session=True)
        self._client.on_message = self._take

    async def open(self, topics: str) -> None:
        ready = asyncio.Event()
        self._client.on_subscribe = lambda *_: ready.set()
        self._client.on_connect = lambda *_: self._client.subscribe(topics, qos=0)
        self._client.set_config({"reconnect_retries": -1, "reconnect_delay": 0.2})
        await self._client.connect(self._broker.host, self._broker.mqtt_port, version=5)
        await ready.wait()

    async def publish(self, topic: str, value: Any) -> None:
        if self._client.is_connected:  # else it would be kept, and come with the next connection
            self._client.publish(topic, json.dumps(value), qos=0)

    async def close(self) -> None:
        await self._client.disconnect()

    def _take(self, _: object, topic: str, payload: bytes, *__: object) -> int:
        if payload:
            self.got.append(Got(topic, json.loads(payload)))
        return 0


class NatsClient:
    """Speaks core NATS."""

    def __init__(self, broker: WithUrl) -> None:
        self.got: list[Got] = []
        self._broker = broker

    async def open(self, topics: str) -> None:
        self._client = await nats.connect(
            self._broker.url,
            reconnect_time_wait=0.2,
            max_reconnect_attempts=-1,
            pending_size=0,
            error_cb=_ignore,
        )
        await self._client.subscribe(topics, cb=self._take)
        await self._client.flush()

    async def publish(self, topic: str, value: Any) -> None:
        with suppress(nats.errors.Error):  # the server is away: nothing is kept for it
            await self._client.publish(topic, json.dumps(value).encode())
            await self._client.flush(1)

    async def close(self) -> None:
        await self._client.close()

    async def _take(self, message: Msg) -> None:
        self.got.append(Got(message.subject, json.loads(message.data)))


class KafkaClient:
    """Produces, and consumes a topic of one partition from its beginning."""

    def __init__(self, broker: WithPort) -> None:
        self.got: list[Got] = []
        self._servers = {"bootstrap.servers": f"127.0.0.1:{broker.port}"}
        self._ends = False

    async def open(self, topics: str) -> None:
        self._producer = Producer(self._servers)
        self._consumer = Consumer({**self._servers, "group.id": "native"})
        self._consumer.assign([TopicPartition(topics, 0, 0)])
        self._consuming = asyncio.create_task(self._consume())

    async def publish(self, topic: str, value: Any) -> None:
        self._producer.produce(topic, json.dumps(value))
        await asyncio.to_thread(self._producer.flush, 1)

    async def close(self) -> None:
        self._ends = True
        await self._consuming
        self._consumer.close()

    async def _consume(self) -> None:
        while not self._ends:
            for message in await asyncio.to_thread(self._consumer.consume, 500, 0.1):
                if message.error() is None:
                    self.got.append(_record(message))


async def _ignore(error: Exception) -> None:
    """Leave it: the server comes back."""
    del error


def _record(message: Message) -> Got:
    key = (message.key() or b"").decode()
    return Got(str(message.topic()), json.loads(message.value() or b""), key)
