"""Unlike plain systems through one gateway that is killed: nothing is lost, nothing comes twice.

`FES_STREAM` tells how many events are sent; CI sends few.
"""

import json
import os
from collections.abc import Iterator
from contextlib import asynccontextmanager
from pathlib import Path

import nats
import pytest
from confluent_kafka import Consumer, Producer, TopicPartition
from eventservices.servers import NatsServer, ServerSpec
from fes.testing.eventually import eventually
from nats.aio.client import Client
from support.processes.foreign import Kafka
from support.processes.running import Run

pytestmark = [pytest.mark.broker, pytest.mark.timeout(0 if "FES_STREAM" in os.environ else 240)]

EVENTS = int(os.environ.get("FES_STREAM", "200"))
KILLS = 1 if EVENTS < 1000 else 10
KEYS = 5

FILE = """
version: 1
system: stream
brokers:
  log: {{kind: kafka, url: "{kafka}"}}
  bus: {{kind: nats, url: "{nats}"}}
event_services:
  log: {{kind: kafka, brokers: [log], settings: {{start: earliest}}}}
  bus: {{kind: nats, brokers: [bus], settings: {{stream: BUS}}}}
gateways:
  gate: {{adapters: {{log: {{}}, bus: {{}}}}}}
requests:
  - {{gateway: gate, type: subscription, source: bus, dist_list: log,
      filter: "subject = 'orders'"}}
  - {{gateway: gate, type: subscription, source: log, dist_list: bus,
      filter: "subject = 'replies'"}}
http: {{port: 0}}
"""


@pytest.fixture
def brokers(tmp_path: Path) -> Iterator[tuple[Kafka, NatsServer]]:
    kafka = Kafka(tmp_path)
    kafka.start()
    kafka.create("orders", "replies", partitions=2)
    with NatsServer(ServerSpec("bus", tmp_path / "bus", jetstream=True)) as bus:
        yield kafka, bus
    kafka.stop()


@asynccontextmanager
async def connected(bus: NatsServer):  # type: ignore[no-untyped-def] # noqa: ANN201
    client = await nats.connect(bus.url)
    try:
        yield client
    finally:
        await client.close()


async def stored(client: Client) -> list[tuple[str, int]]:
    """Return key and number of each order that the stream keeps."""
    context = client.jetstream()
    info = await context.stream_info("BUS")
    found = []
    for number in range(1, info.state.last_seq + 1):
        message = await context.get_msg("BUS", number)
        if message.subject == "orders":
            headers = message.headers or {}
            found.append((headers.get("Key", ""), json.loads(message.data or b"")["n"]))
    return found


def replies(kafka: Kafka) -> list[int]:
    """Return the numbers of the replies that Kafka keeps, each partition in its order."""
    settings = {"bootstrap.servers": f"127.0.0.1:{kafka.port}", "group.id": "test"}
    consumer = Consumer(settings)
    consumer.assign([TopicPartition("replies", at, 0) for at in range(2)])
    found, silent = [], 0
    while silent < 20:
        message = consumer.poll(0.1)
        silent = silent + 1 if message is None else 0
        if message is not None and message.error() is None:
            found.append(json.loads(message.value() or b"")["n"])
    consumer.close()
    return found


async def test_a_stream_from_kafka_to_jetstream_and_back_over_kills(
    tmp_path: Path, brokers: tuple[Kafka, NatsServer]
) -> None:
    kafka, bus = brokers
    path = tmp_path / "federation.yaml"
    path.write_text(FILE.format(kafka=kafka.url, nats=bus.url), "utf-8")
    run = Run(tmp_path, path)
    producer = Producer({"bootstrap.servers": f"127.0.0.1:{kafka.port}"})
    async with connected(bus) as client:
        context = client.jetstream()
        await context.add_stream(name="BUS", subjects=["orders", "replies"])
        run.start()
        try:
            killed = 0
            for number in range(EVENTS):
                key = f"k{number % KEYS}"
                producer.produce("orders", json.dumps({"n": number}), key)
                if number % 500 == 499:
                    producer.flush(10)
                if number and number % (EVENTS // (KILLS + 1)) == 0:
                    assert producer.flush(10) == 0
                    wanted = number // 2

                    async def arrived(wanted: int = wanted) -> bool:
                        info = await context.stream_info("BUS")
                        return info.state.messages >= wanted

                    await eventually(arrived, 90.0, f"{wanted} orders")
                    killed += run.kill_gateways()
            assert producer.flush(10) == 0
            assert killed >= KILLS

            async def all_arrived() -> bool:
                info = await context.stream_info("BUS")
                return info.state.messages >= EVENTS

            await eventually(all_arrived, 120.0 + EVENTS / 50, "all orders")
            for number in range(EVENTS // 10):
                await context.publish("replies", json.dumps({"n": number}).encode())
            await eventually(lambda: len(set(replies(kafka))) >= EVENTS // 10, 90.0, "all replies")
        finally:
            run.stop()
        orders = [each for each in await stored(client) if each[0]]
        assert sorted(n for _, n in orders) == list(range(EVENTS)), "none lost, none doubled"
        for key in range(KEYS):
            mine = [n for each, n in orders if each == f"k{key}"]
            assert mine == sorted(mine), "the order of a key is kept"
        assert sorted(replies(kafka)) == list(range(EVENTS // 10))
