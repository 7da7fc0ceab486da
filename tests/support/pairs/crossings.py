"""What is published at one system of each pair in `examples/pairs`, and what comes at the other."""

import asyncio
import itertools
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import nats
from eventservices.ports import free_port
from fes.testing.eventually import eventually
from support.processes.plain_clients import Got, PlainClient
from support.webhooks.peers import Headers, Hub

PAIRS = Path(__file__).parents[3] / "examples/pairs"
SECRET = "of this test"  # noqa: S105 - nothing that is worth a secret


@dataclass(frozen=True, slots=True)
class Crossing:
    """What is published at one system, and what comes of it at the other.

    Attributes:
        source, target: `mqtt`, `nats`, `kafka` or `http`.
        refused: A topic and a payload that nobody requested.
        sent: A topic and a payload that is requested.
        listens: What the client of the target subscribes to.
        comes: What it gets.
    """

    source: str
    target: str
    refused: tuple[str, Any]
    sent: tuple[str, Any]
    listens: str
    comes: Got


CROSSINGS = {
    "mqtt-nats": (
        Crossing(
            "mqtt",
            "nats",
            ("sensors/hall/temperature", {"celsius": 21.0}),
            ("sensors/hall/temperature", {"celsius": 35.5}),
            "house.temperature.*",
            Got("house.temperature.hall", {"celsius": 35.5}),
        ),
        Crossing(
            "nats",
            "mqtt",
            ("house.light.hall", {"lux": 3}),
            ("house.command.fan%201.now", {"on": True}),
            "commands/+",
            Got("commands/fan 1", {"on": True}),
        ),
    ),
    "nats-kafka": (
        Crossing(
            "nats",
            "kafka",
            ("orders.north", {"total": 99}),
            ("orders.north", {"total": 100}),
            "orders",
            Got("orders", {"shop": "north", "total": 100}, "north"),
        ),
        Crossing(
            "kafka",
            "nats",
            ("orders", {"shop": "north", "total": 7}),
            ("prices", {"article": "tea", "cents": 250}),
            "prices.*",
            Got("prices.tea", {"cents": 250}),
        ),
    ),
    "mqtt-kafka": (
        Crossing(
            "mqtt",
            "kafka",
            ("plant/b/press/state", {"rpm": 10}),
            ("plant/a/press/state", {"rpm": 900}),
            "plant.states",
            Got("plant.states", {"line": "a", "machine": "press", "rpm": 900}, "press"),
        ),
        Crossing(
            "kafka",
            "mqtt",
            ("plant.setpoints", {"line": "a", "machine": "press", "rpm": 9000}),
            ("plant.setpoints", {"line": "a", "machine": "press", "rpm": 1200}),
            "plant/+/+/set",
            Got("plant/a/press/set", {"rpm": 1200}),
        ),
    ),
    "http-mqtt": (
        Crossing(
            "http",
            "mqtt",
            ("com.example.hall.lamp", {"percent": 200}),
            ("com.example.hall.lamp", {"percent": 40}),
            "lamps/+",
            Got("lamps/hall", {"percent": 40}),
        ),
        Crossing(
            "mqtt",
            "http",
            ("doors/attic", {"open": False}),
            ("doors/attic", {"open": True}),
            "",
            Got("com.example.attic.door", {"open": True}),
        ),
    ),
    "jetstream-mqtt": (
        Crossing(
            "nats",
            "mqtt",
            ("jobs.berlin", {"urgent": False}),
            ("jobs.berlin", {"urgent": True}),
            "sites/+/job",
            Got("sites/berlin/job", {"urgent": True}),
        ),
        Crossing(
            "mqtt",
            "nats",
            ("sites/berlin/other", {"ok": False}),
            ("sites/berlin/done", {"ok": True}),
            "done.*",
            Got("done.berlin", {"ok": True}),
        ),
    ),
}


class HookClient:
    """Posts CloudEvents to the webhook of the federation, and is the webhook that it posts to."""

    def __init__(self) -> None:
        self.got: list[Got] = []
        self.webhook = f"http://127.0.0.1:{free_port()}/events"
        self.hub = _Hub(self)
        self._ids = itertools.count()

    async def open(self, topics: str) -> None:
        assert not topics
        self.hub.webhooks.append(lambda: self.webhook)

    async def publish(self, topic: str, value: Any) -> None:
        whole = {"specversion": "1.0", "id": str(next(self._ids)), "source": "/n", "type": topic}
        headers = {"content-type": "application/cloudevents+json"}
        await self.hub.post(headers, json.dumps({**whole, "data": value}).encode())

    async def close(self) -> None:
        await self.hub.close()


class _Hub(Hub):
    def __init__(self, client: HookClient) -> None:
        super().__init__(SECRET)
        self._client_of = client

    async def posted_to(self, headers: Headers, body: bytes) -> None:
        whole = json.loads(body)
        self._client_of.got.append(Got(whole["type"], whole["data"]))


async def make_stream(url: str) -> None:
    """Make the stream that the pair `jetstream-mqtt` needs."""
    client = await nats.connect(url)
    await client.jetstream().add_stream(name="JOBS", subjects=["jobs.>", "done.>"])
    await client.close()


TOPICS = ("orders", "prices", "plant.states", "plant.setpoints")
"""Topics of Kafka that pairs need."""


async def cross(crossings: Sequence[Crossing], clients: Mapping[str, PlainClient]) -> None:
    """Publish both ways until what is requested has come, and nothing else has."""
    for each in crossings:
        await clients[each.target].open(each.listens)
    for each in crossings:
        source, got = clients[each.source], clients[each.target].got

        async def crosses(
            each: Crossing = each, source: PlainClient = source, got: list[Got] = got
        ) -> bool:
            await source.publish(*each.refused)
            await source.publish(*each.sent)
            await asyncio.sleep(0.1)
            return each.comes in got

        await eventually(crosses, 90.0, f"{each.comes} among {got}")
    for each in crossings:
        expected = {repr(each.comes)}
        if each.target == "kafka":  # what its own client produced is in the topic, too
            expected.add(repr(Got(*crossings[1].refused)))
        assert {repr(one) for one in clients[each.target].got} <= expected
