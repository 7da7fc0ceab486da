"""The pairs in `examples/pairs` join real brokers: what is requested crosses, and nothing else."""

import asyncio
import itertools
import json
import os
import shutil
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import nats
import pytest
import yaml
from eventservices.ports import free_port
from eventservices.servers import NatsServer, ServerSpec
from fes.cli.validate import examine_file
from fes.federation import Severity
from fes.testing.eventually import eventually
from support.processes.foreign import Kafka, Mosquitto
from support.processes.plain_clients import Got, KafkaClient, MqttClient, NatsClient, PlainClient
from support.processes.running import Run
from support.webhooks.peers import Headers, Hub

pytestmark = [pytest.mark.broker, pytest.mark.timeout(240)]

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


@asynccontextmanager
async def systems(folder: Path, names: set[str]) -> AsyncIterator[dict[str, PlainClient]]:
    """Start the brokers that an example needs, where its variables name them."""
    found: dict[str, PlainClient] = {}
    with pytest.MonkeyPatch.context() as patched:
        async with AsyncExitStack() as stack:
            if "mqtt" in names:
                mosquitto = Mosquitto(folder)
                mosquitto.start()
                stack.callback(mosquitto.stop)
                patched.setenv("MQTT", mosquitto.mqtt_url)
                found["mqtt"] = MqttClient(mosquitto)
            if "nats" in names:
                server = NatsServer(ServerSpec("yard", folder / "yard", jetstream=True))
                stack.enter_context(server)
                patched.setenv("NATS", server.url)
                await _make_stream(server)
                found["nats"] = NatsClient(server)
            if "kafka" in names:
                kafka = Kafka(folder)
                kafka.start()
                stack.callback(kafka.stop)
                kafka.create("orders", "prices", "plant.states", "plant.setpoints")
                patched.setenv("KAFKA", kafka.url)
                found["kafka"] = KafkaClient(kafka)
            if "http" in names:
                hook = HookClient()
                await hook.hub.start()
                port = urlsplit(hook.webhook).port
                patched.setenv("FES__EVENT_SERVICES__HOOKS__SETTINGS__PORT", str(port))
                patched.setenv("HOOK", hook.hub.url)
                found["http"] = hook
            yield found


async def _make_stream(server: NatsServer) -> None:
    client = await nats.connect(server.url)
    await client.jetstream().add_stream(name="JOBS", subjects=["jobs.>", "done.>"])
    await client.close()


@pytest.mark.parametrize("name", sorted(CROSSINGS))
async def test_what_is_requested_crosses_and_nothing_else(name: str, tmp_path: Path) -> None:
    folder = Path(shutil.copytree(PAIRS / name, tmp_path / name))
    (folder / "secret").write_text(SECRET)
    crossings = CROSSINGS[name]
    async with systems(tmp_path, {each.source for each in crossings}) as clients:
        run = Run(tmp_path, folder / "federation.yaml")
        run.start()
        for each in crossings:
            await clients[each.target].open(each.listens)
        try:
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
        finally:
            run.stop()
            for client in clients.values():
                await client.close()


async def test_the_example_of_the_page_on_bridges_does_what_it_states(tmp_path: Path) -> None:
    page = PAIRS.parents[1] / "docs/peers.md"
    text = page.read_text("utf-8").partition("```yaml\n")[2].partition("```")[0]
    each = Crossing(
        "mqtt",
        "nats",
        ("sensors/hall", {"celsius": 30}),
        ("sensors/hall", {"celsius": 30.5}),
        "sensors.>",
        Got("sensors.hall", {"celsius": 30.5}),
    )
    async with systems(tmp_path, {"mqtt", "nats"}) as clients:
        for name, url in (("MQTT", "mqtt://127.0.0.1:1883"), ("NATS", "nats://127.0.0.1:4222")):
            assert text.count(url) == 1
            text = text.replace(url, os.environ[name])
        (tmp_path / "federation.yaml").write_text(text + "http: {port: 0}\n", "utf-8")
        run = Run(tmp_path, tmp_path / "federation.yaml")
        run.start()
        for name, topics in (("nats", each.listens), ("mqtt", "other")):
            await clients[name].open(topics)
        try:

            async def crosses() -> bool:
                await clients["mqtt"].publish(*each.refused)
                await clients["mqtt"].publish(*each.sent)
                await asyncio.sleep(0.1)
                return bool(clients["nats"].got)

            await eventually(crosses, 90.0, "a reading above 30 degrees")
            assert {repr(got) for got in clients["nats"].got} == {repr(each.comes)}
        finally:
            run.stop()
            for client in clients.values():
                await client.close()


def test_there_is_a_test_of_each_pair() -> None:
    assert {path.parent.name for path in PAIRS.glob("*/federation.yaml")} == CROSSINGS.keys()


@pytest.mark.parametrize("name", sorted(CROSSINGS))
def test_each_has_a_page_a_compose_file_and_a_federation_without_faults(
    name: str, tmp_path: Path
) -> None:
    folder = Path(shutil.copytree(PAIRS / name, tmp_path / name))
    (folder / "secret").write_text(SECRET)
    found = examine_file(folder / "federation.yaml", {})
    assert [str(each) for each in found if each.severity is Severity.ERROR] == []
    page = (PAIRS / name / "README.md").read_text("utf-8")
    assert "docker compose up" in page
    assert "fes run federation.yaml" in page


@pytest.mark.parametrize("name", sorted(CROSSINGS))
def test_compose_publishes_the_brokers_where_the_federation_has_them(name: str) -> None:
    composed = yaml.safe_load((PAIRS / name / "compose.yml").read_text("utf-8"))["services"]
    shared = yaml.safe_load((PAIRS / "brokers.yml").read_text("utf-8"))["services"]
    published = set()
    for service, each in composed.items():
        assert each == {"extends": {"file": "../brokers.yml", "service": service}}
        published |= {int(port.split(":")[1]) for port in shared[service]["ports"]}
        for volume in shared[service].get("volumes", ()):
            assert (PAIRS / volume.split(":")[0]).is_file()
    federation = yaml.safe_load((PAIRS / name / "federation.yaml").read_text("utf-8"))
    urls = [each["url"].partition(":-")[2].rstrip("}") for each in federation["brokers"].values()]
    assert {urlsplit(url).port for url in urls} == published


def test_brokers_listen_on_the_loopback_interface_alone() -> None:
    shared = yaml.safe_load((PAIRS / "brokers.yml").read_text("utf-8"))["services"]
    for each in shared.values():
        assert all(port.startswith("127.0.0.1:") for port in each["ports"])
