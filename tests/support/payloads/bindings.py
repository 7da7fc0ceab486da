"""One plain system each, with a foreign client: what it publishes, and what it receives.

A message is (content type, headers, payload), in the names that the protocol itself has.
"""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import Any, NamedTuple, Protocol

import gmqtt
import nats
from adapter_kafka import KafkaAdapter
from adapter_mqtt import MqttAdapter
from adapter_nats import NatsAdapter
from confluent_kafka import Consumer, Producer, TopicPartition
from eventservices.servers import NatsServer, ServerSpec
from eventservices.stamp import Stamp
from fes.adapter.base import AnyAdapter
from fes.adapter.context import Subscription
from fes.adapter.pool import ConnectionPool
from fes.filter import Filter
from fes.mapping import Native
from fes.testing.eventually import eventually
from support.processes.contexts import adapter_context
from support.processes.foreign import Kafka, Mosquitto
from support.sinks import NotingSink

TOPIC = "Reading"


class Message(NamedTuple):
    """A message of a foreign client.

    Attributes:
        content_type: "" for none.
        headers: By name.
        payload: Its octets.
    """

    content_type: str
    headers: dict[str, str]
    payload: bytes


class Foreign(Protocol):
    """A client that knows its broker alone."""

    async def send(self, message: Message, topic: str = TOPIC) -> None:
        """Publish a message."""

    async def got(self) -> Message:
        """Return the next message that comes."""


class Noting(NotingSink):
    """Notes whole events, and keeps them."""

    def __init__(self) -> None:
        super().__init__()
        self.natives: list[Native] = []

    def heard(self, native: Native, stamp: Stamp | None, answer: Any = None) -> None:
        """Note an event."""
        super().heard(native, stamp, answer)
        self.natives.append(native)
        if answer is not None:
            answer(True)


class System(NamedTuple):
    """A system that joins by mapping alone.

    Attributes:
        client: Its own.
        adapter: Connected and subscribed.
        gateway: Notes what the adapter receives.
    """

    client: Foreign
    adapter: AnyAdapter
    gateway: "Noting"


class _Mqtt:
    def __init__(self, server: Mosquitto, version: int) -> None:
        self.server, self.version = server, version
        self.client = gmqtt.Client(f"foreign{version}", clean_session=True)
        self.queue: asyncio.Queue[Message] = asyncio.Queue()
        self.granted = 0
        self.client.on_message = self._take
        self.client.on_subscribe = self._subscribed

    async def open(self) -> None:
        await self.client.connect(self.server.host, self.server.mqtt_port, version=self.version)
        self.client.subscribe("#", qos=0)
        await eventually(lambda: self.granted > 0)

    def _subscribed(self, *_: object) -> None:
        self.granted += 1

    def _take(self, _: object, topic: str, payload: bytes, __: int, told: dict[str, Any]) -> int:
        del topic
        kind = told.get("content_type", [""])[0]
        self.queue.put_nowait(Message(kind, dict(told.get("user_property", [])), payload))
        return 0

    async def send(self, message: Message, topic: str = TOPIC) -> None:
        more: dict[str, Any] = {}
        if self.version == 5:
            if message.headers:
                more["user_property"] = list(message.headers.items())
            if message.content_type:
                more["content_type"] = message.content_type
        self.client.publish(topic, message.payload, qos=0, **more)

    async def got(self) -> Message:
        return await asyncio.wait_for(self.queue.get(), 30)


class _Nats:
    def __init__(self, client: Any) -> None:
        self.client = client
        self.queue: asyncio.Queue[Message] = asyncio.Queue()

    async def open(self) -> None:
        await self.client.subscribe(TOPIC, cb=self._take)
        await self.client.flush()

    async def _take(self, message: Any) -> None:
        headers = dict(message.headers or {})
        self.queue.put_nowait(Message(headers.pop("Content-Type", ""), headers, message.data))

    async def send(self, message: Message, topic: str = TOPIC) -> None:
        kind = {"content-type": message.content_type} if message.content_type else {}
        await self.client.publish(topic, message.payload, headers={**message.headers, **kind})

    async def got(self) -> Message:
        return await asyncio.wait_for(self.queue.get(), 30)


class _Kafka:
    def __init__(self, broker: Kafka) -> None:
        self.address = {"bootstrap.servers": f"127.0.0.1:{broker.port}"}
        self.next = 0

    async def send(self, message: Message, topic: str = TOPIC) -> None:
        kind = {"content-type": message.content_type} if message.content_type else {}
        producer = Producer(self.address)
        producer.produce(topic, message.payload, headers={**message.headers, **kind}, partition=0)
        assert await asyncio.to_thread(producer.flush, 10) == 0
        self.next += 1

    async def got(self) -> Message:
        return await asyncio.to_thread(self._poll)

    def _poll(self) -> Message:
        consumer = Consumer({**self.address, "group.id": "foreign"})
        consumer.assign([TopicPartition(TOPIC, 0, self.next)])
        for _ in range(300):
            found = consumer.poll(0.1)
            if found is not None and found.error() is None:
                self.next += 1
                given: Any = found.headers() or ()
                headers = {name: value.decode() for name, value in given}
                consumer.close()
                return Message(headers.pop("content-type", ""), headers, found.value() or b"")
        raise TimeoutError("no record came")


@asynccontextmanager
async def mqtt5(folder: Path, **settings: Any) -> AsyncIterator[System]:
    """Yield a Mosquitto whose clients speak MQTT 5."""
    async with _mosquitto(folder, 5, {"protocol": "5", **settings}) as system:
        yield system


@asynccontextmanager
async def mqtt311(folder: Path, **settings: Any) -> AsyncIterator[System]:
    """Yield a Mosquitto whose clients speak MQTT 3.1.1."""
    async with _mosquitto(folder, 4, settings) as system:
        yield system


@asynccontextmanager
async def nats_(folder: Path, **settings: Any) -> AsyncIterator[System]:
    """Yield a NATS server."""
    async with AsyncExitStack() as stack:
        server = stack.enter_context(NatsServer(ServerSpec("plain", folder)))
        client = await nats.connect(server.url)
        stack.push_async_callback(client.close)
        foreign = _Nats(client)
        await foreign.open()
        yield await stack.enter_async_context(
            _joined(foreign, NatsAdapter, server.url, folder, settings)
        )


@asynccontextmanager
async def kafka(folder: Path, **settings: Any) -> AsyncIterator[System]:
    """Yield a Kafka broker."""
    broker = Kafka(folder)
    broker.start()
    try:
        broker.create(TOPIC)
        async with _joined(_Kafka(broker), KafkaAdapter, broker.url, folder, settings) as system:
            yield system
    finally:
        broker.stop()


@asynccontextmanager
async def _mosquitto(folder: Path, version: int, settings: dict[str, Any]) -> AsyncIterator[System]:
    server = Mosquitto(folder)
    server.start()
    foreign = _Mqtt(server, version)
    try:
        await foreign.open()
        async with _joined(foreign, MqttAdapter, server.mqtt_url, folder, settings) as system:
            yield system
    finally:
        await foreign.client.disconnect()
        server.stop()


@asynccontextmanager
async def _joined(
    foreign: Foreign,
    kind: Callable[..., AnyAdapter],
    url: str,
    folder: Path,
    settings: dict[str, Any],
) -> AsyncIterator[System]:
    filter_ = settings.pop("filter_", f"subject = '{TOPIC}'")
    context = adapter_context(
        "g",
        "plain",
        kind,  # type: ignore[arg-type] # one of the forms
        ConnectionPool(),
        settings=settings,
        brokers=(url,),
        base=str(folder),
    )
    adapter, gateway = kind(context), Noting()
    await adapter.connect(gateway)
    try:
        await adapter.subscribe(Subscription(1, Filter.of(filter_)))
        yield System(foreign, adapter, gateway)
    finally:
        await adapter.disconnect()
