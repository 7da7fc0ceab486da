"""Publishes at one plain broker, receives at another and states what came: its own process.

`python plain_load.py SOURCE TARGET EVENTS WINDOW`, where a system is `mqtt://…`, `nats://…` or
`kafka://…`. So many events as the window is wide are in flight. One line of JSON.
"""

import asyncio
import json
import os
import sys
import time
from collections.abc import Callable
from typing import Protocol
from urllib.parse import SplitResult, urlsplit

import gmqtt
import nats
from confluent_kafka import Consumer, Producer, TopicPartition
from nats.aio.msg import Msg

TOPIC = "Reading"
RUN = os.getpid()
SILENT_S = 10.0
"""Nothing came for so long: what is missing is lost."""

SETTLE_S = 0.3
"""All has come: so long one waits for more of the same."""

WARM_TRIES = 300
Receive = Callable[[bytes], None]


class System(Protocol):
    """A client of one broker."""

    async def open(self, receive: Receive | None) -> None:
        """Connect; subscribe where there is something that receives."""

    async def publish(self, payload: bytes) -> None:
        """Publish; do not wait for anybody."""

    async def close(self) -> None:
        """Disconnect."""


class Mqtt:
    """MQTT 5, QoS 0."""

    def __init__(self, place: SplitResult) -> None:
        self._place = place
        self._client = gmqtt.Client(f"load-{id(self)}", clean_session=True)

    async def open(self, receive: Receive | None) -> None:
        """Connect; see `System`."""
        ready = asyncio.Event()
        self._client.on_subscribe = lambda *_: ready.set()
        if receive is not None:
            self._client.on_message = lambda _, __, payload, *___: receive(payload) or 0
        await self._client.connect(self._place.hostname, self._place.port, version=5)
        if receive is not None:
            self._client.subscribe(TOPIC, qos=0)
            await ready.wait()

    async def publish(self, payload: bytes) -> None:
        """Publish; see `System`."""
        self._client.publish(TOPIC, payload, qos=0)

    async def close(self) -> None:
        """Disconnect."""
        await self._client.disconnect()


class Nats:
    """Core NATS."""

    def __init__(self, place: SplitResult) -> None:
        self._url = place.geturl()

    async def open(self, receive: Receive | None) -> None:
        """Connect; see `System`."""
        self._client = await nats.connect(self._url)
        if receive is not None:

            async def take(message: Msg) -> None:
                receive(message.data)

            await self._client.subscribe(TOPIC, cb=take)
            await self._client.flush()

    async def publish(self, payload: bytes) -> None:
        """Publish; see `System`."""
        await self._client.publish(TOPIC, payload)

    async def close(self) -> None:
        """Disconnect."""
        await self._client.close()


class Kafka:
    """One partition, from its end."""

    def __init__(self, place: SplitResult) -> None:
        self._servers = {"bootstrap.servers": f"{place.hostname}:{place.port}"}
        self._consuming: asyncio.Task[None] | None = None
        self._ends = False

    async def open(self, receive: Receive | None) -> None:
        """Connect; see `System`."""
        self._producer = Producer({**self._servers, "linger.ms": 2, "enable.idempotence": True})
        if receive is not None:
            settings = {**self._servers, "group.id": "load", "fetch.wait.max.ms": 100}
            consumer = Consumer(settings)
            _, end = consumer.get_watermark_offsets(TopicPartition(TOPIC, 0), timeout=10)
            consumer.assign([TopicPartition(TOPIC, 0, end)])
            self._consuming = asyncio.create_task(self._consume(consumer, receive))

    async def publish(self, payload: bytes) -> None:
        """Publish; see `System`."""
        self._producer.produce(TOPIC, payload)
        self._producer.poll(0)

    async def close(self) -> None:
        """Disconnect."""
        self._ends = True
        if self._consuming is not None:
            await self._consuming
        await asyncio.to_thread(self._producer.flush, 5)

    async def _consume(self, consumer: Consumer, receive: Receive) -> None:
        while not self._ends:
            for message in await asyncio.to_thread(consumer.consume, 500, 0.02):
                if message.error() is None:
                    receive(message.value() or b"")
        consumer.close()


KINDS: dict[str, Callable[[SplitResult], System]] = {"mqtt": Mqtt, "nats": Nats, "kafka": Kafka}


class Load:
    """Publishes events, receives them, and knows which came how often.

    Args:
        events: How many.
        window: Most that are in flight.
    """

    def __init__(self, events: int, window: int) -> None:
        self._events = events
        self._window = window
        self._times = [0] * events
        self._altered = 0
        self._warm = asyncio.Event()
        self._came = 0
        self._moved = asyncio.Event()
        self._last_s = 0.0

    def receive(self, payload: bytes) -> None:
        """Note an event."""
        value = json.loads(payload)
        if value["run"] != RUN:  # of the process before, on a broker that keeps it
            return
        number = value["n"]
        if number < 0:
            self._warm.set()
            return
        self._altered += value != _value(number)
        self._times[number] += 1
        self._came += 1
        self._last_s = time.perf_counter()
        self._moved.set()

    async def warm(self, source: System) -> None:
        """Publish until something comes.

        Raises:
            TimeoutError: Nothing does.
        """
        for _ in range(WARM_TRIES):
            await source.publish(json.dumps(_value(-1)).encode())
            try:
                await asyncio.wait_for(self._warm.wait(), 0.2)
            except TimeoutError:
                continue
            await asyncio.sleep(SETTLE_S)
            return
        raise TimeoutError("nothing comes through")

    async def run(self, source: System) -> dict[str, float]:
        """Publish all, and return what became of it."""
        begun_s = time.perf_counter()
        sent = 0
        while self._came < self._events:
            while sent < self._events and sent - self._came < self._window:
                await source.publish(json.dumps(_value(sent)).encode())
                sent += 1
            self._moved.clear()
            try:
                await asyncio.wait_for(self._moved.wait(), SILENT_S)
            except TimeoutError:
                break
        await asyncio.sleep(SETTLE_S)
        return {
            "seconds": self._last_s - begun_s,
            "lost": sum(not times for times in self._times),
            "doubled": sum(times > 1 for times in self._times),
            "altered": self._altered,
        }


def _value(number: int) -> dict[str, object]:
    return {"n": number, "run": RUN, "celsius": number / 8, "room": f"room {number % 100}"}


async def main(source: str, target: str, events: int, window: int) -> dict[str, float]:
    """Return what became of events between two systems."""
    load = Load(events, window)
    near, far = (KINDS[each.scheme](each) for each in (urlsplit(source), urlsplit(target)))
    await far.open(load.receive)
    await near.open(None)
    try:
        await load.warm(near)
        print(json.dumps({"warm": 1}), flush=True)
        sys.stdin.readline()
        return await load.run(near)
    finally:
        await near.close()
        await far.close()


if __name__ == "__main__":
    where, to, number, width = sys.argv[1:]
    print(json.dumps(asyncio.run(main(where, to, int(number), int(width)))), flush=True)
