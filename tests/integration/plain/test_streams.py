"""A stream from Kafka to JetStream and back while parts are killed: none lost, none doubled.

`FES_STREAM` is how many events go each way; `make stream` sends 50,000, CI few.
"""

import asyncio
import itertools
import json
import os
from collections import defaultdict
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager
from pathlib import Path

import nats
import nats.errors
import pytest
from confluent_kafka import Consumer, Producer, TopicPartition
from eventservices.servers import NatsServer, ServerSpec
from fes.testing.eventually import eventually
from nats.aio.client import Client
from nats.js.errors import APIError
from support.processes.foreign import Kafka
from support.processes.halted import halt, resume
from support.processes.running import Run

pytestmark = [pytest.mark.broker, pytest.mark.timeout(0 if "FES_STREAM" in os.environ else 300)]

EVENTS = int(os.environ.get("FES_STREAM", "300"))
KILLS = 3 if EVENTS < 1000 else 9
"""In each direction: of the gateway, the NATS server, and of Kafka in turn."""

KEYS, PARTITIONS = 5, 2
PATIENCE_S = 120.0 + EVENTS / 50
AWAY_S = 1.0

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
limits: {{retry_s: 1}}
"""


@pytest.fixture
def brokers(tmp_path: Path) -> Iterator[tuple[Kafka, NatsServer]]:
    kafka = Kafka(tmp_path)
    kafka.start()
    kafka.create("orders", "replies", partitions=PARTITIONS)
    with NatsServer(ServerSpec("bus", tmp_path / "bus", jetstream=True)) as bus:
        yield kafka, bus
    kafka.stop()


@asynccontextmanager
async def connected(bus: NatsServer) -> AsyncIterator[Client]:
    client = await nats.connect(
        bus.url, reconnect_time_wait=0.2, max_reconnect_attempts=-1, error_cb=_ignore
    )
    try:
        yield client
    finally:
        await client.close()


class Trouble:
    """Kills one part after the other; what Tansu keeps would not outlive a kill, so it halts."""

    def __init__(self, run: Run, kafka: Kafka, bus: NatsServer) -> None:
        self._run, self._kafka, self._bus = run, kafka, bus
        self._parts = itertools.cycle((self._gateway, self._server, self._log))
        self.done = 0

    async def make(self) -> None:
        await next(self._parts)()
        self.done += 1

    async def _gateway(self) -> None:
        await eventually(self._run.kill_gateways, what="a gateway to kill")

    async def _server(self) -> None:
        self._bus.kill()
        await asyncio.sleep(AWAY_S)
        await asyncio.to_thread(self._bus.start)

    async def _log(self) -> None:
        halt(self._kafka)
        await asyncio.sleep(AWAY_S)
        resume(self._kafka)


class Records:
    """What Kafka keeps of a topic, as far as it was read: key and number, by partition."""

    def __init__(self, kafka: Kafka, topic: str) -> None:
        settings = {"bootstrap.servers": f"127.0.0.1:{kafka.port}", "group.id": "test"}
        self._consumer = Consumer(settings)
        self._consumer.assign([TopicPartition(topic, at, 0) for at in range(PARTITIONS)])
        self.found: list[tuple[str, int]] = []

    async def read(self) -> int:
        """Read what is new; return how many there are."""
        while messages := await asyncio.to_thread(self._consumer.consume, 1000, 0.5):
            for each in messages:
                if each.error() is None:
                    key, value = (each.key() or b"").decode(), each.value() or b""
                    self.found.append((key, json.loads(value)["n"]))
        return len(self.found)

    def close(self) -> None:
        self._consumer.close()


async def stored(client: Client) -> list[tuple[str, int]]:
    """Return key and number of each order that the stream keeps, in its order."""
    found: list[tuple[str, int]] = []
    subscription = await client.jetstream().subscribe("orders", ordered_consumer=True)
    try:
        while True:
            message = await subscription.next_msg(2.0)
            found.append(((message.headers or {}).get("Key", ""), json.loads(message.data)["n"]))
    except nats.errors.TimeoutError:
        return found


async def with_kills(
    publish: Callable[[int], Awaitable[None]],
    arrived: Callable[[], Awaitable[int]],
    trouble: Trouble,
) -> None:
    """Publish all events, with a kill whenever a part of them has gone and half of that arrived."""
    for number in range(EVENTS):
        if number and number % (EVENTS // (KILLS + 1)) == 0:
            wanted = number // 2

            async def come(wanted: int = wanted) -> bool:
                return await arrived() >= wanted

            await eventually(come, PATIENCE_S, f"{wanted} events before a kill")
            await trouble.make()
        await publish(number)

    async def all_came() -> bool:
        return await arrived() >= EVENTS

    await eventually(all_came, PATIENCE_S, "all events")


def judge(events: list[tuple[str, int]]) -> None:
    """Verify that each event is there once, and those of one key in their order."""
    assert sorted(n for _, n in events) == list(range(EVENTS)), "none lost, none doubled"
    by_key: dict[str, list[int]] = defaultdict(list)
    for key, n in events:
        by_key[key].append(n)
    assert by_key.keys() == {f"k{key}" for key in range(KEYS)}
    for key, numbers in by_key.items():
        late = [(one, next_) for one, next_ in itertools.pairwise(numbers) if next_ < one]
        assert late == [], f"the order of {key} is kept"


async def test_a_stream_from_kafka_to_jetstream_and_back_over_kills(
    tmp_path: Path, brokers: tuple[Kafka, NatsServer]
) -> None:
    kafka, bus = brokers
    path = tmp_path / "federation.yaml"
    path.write_text(FILE.format(kafka=kafka.url, nats=bus.url), "utf-8")
    run, producer = Run(tmp_path, path), Producer({"bootstrap.servers": f"127.0.0.1:{kafka.port}"})
    trouble, replies = Trouble(run, kafka, bus), Records(kafka, "replies")
    async with connected(bus) as client:
        context = client.jetstream()
        await context.add_stream(name="BUS", subjects=["orders", "replies"])

        async def produce(number: int) -> None:
            producer.produce("orders", json.dumps({"n": number}), f"k{number % KEYS}")
            if number % 500 == 499 or number == EVENTS - 1:
                assert await asyncio.to_thread(producer.flush, 30) == 0

        async def orders() -> int:
            try:
                info = await context.stream_info("BUS", subjects_filter="orders")
            except (nats.errors.Error, APIError):  # the server starts
                return 0
            return (info.state.subjects or {}).get("orders", 0)

        async def reply(number: int) -> None:
            headers = {"Key": f"k{number % KEYS}", "Nats-Msg-Id": f"reply {number}"}
            payload = json.dumps({"n": number}).encode()
            for _ in range(100):  # as long as the server is away
                try:
                    await context.publish("replies", payload, timeout=2.0, headers=headers)
                except (nats.errors.Error, APIError):
                    await asyncio.sleep(0.2)
                else:
                    return
            raise AssertionError("the server does not come back")

        run.start()
        try:
            await with_kills(produce, orders, trouble)
            await with_kills(reply, replies.read, trouble)
        finally:
            run.stop()
        assert trouble.done == 2 * KILLS
        judge(await stored(client))
        await replies.read()
        replies.close()
        judge(replies.found)


async def _ignore(error: Exception) -> None:
    del error
