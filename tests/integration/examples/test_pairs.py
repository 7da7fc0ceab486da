"""The pairs in `examples/pairs` join real brokers: what is requested crosses, and nothing else."""

import asyncio
import os
import re
import shutil
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from urllib.parse import urlsplit

import pytest
import yaml
from eventservices.servers import NatsServer, ServerSpec
from fes.cli.validate import examine_file
from fes.federation import Severity
from fes.testing.eventually import eventually
from support.pairs.crossings import (
    CROSSINGS,
    PAIRS,
    SECRET,
    TOPICS,
    Crossing,
    HookClient,
    cross,
    make_stream,
)
from support.processes.foreign import Kafka, Mosquitto
from support.processes.plain_clients import Got, KafkaClient, MqttClient, NatsClient, PlainClient
from support.processes.running import Run

pytestmark = [pytest.mark.broker, pytest.mark.timeout(240)]


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
                await make_stream(server.url)
                found["nats"] = NatsClient(server)
            if "kafka" in names:
                kafka = Kafka(folder)
                kafka.start()
                stack.callback(kafka.stop)
                kafka.create(*TOPICS)
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


@pytest.mark.parametrize("name", sorted(CROSSINGS))
async def test_what_is_requested_crosses_and_nothing_else(name: str, tmp_path: Path) -> None:
    folder = Path(shutil.copytree(PAIRS / name, tmp_path / name))
    (folder / "secret").write_text(SECRET)
    crossings = CROSSINGS[name]
    async with systems(tmp_path, {each.source for each in crossings}) as clients:
        run = Run(tmp_path, folder / "federation.yaml")
        run.start()
        try:
            await cross(crossings, clients)
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
        ports = "".join(shared[service]["ports"])
        published |= {int(each) for each in re.findall(r":-(\d+)}:", ports)}
        for volume in shared[service].get("volumes", ()):
            assert (PAIRS / volume.split(":")[0]).is_file()
    federation = yaml.safe_load((PAIRS / name / "federation.yaml").read_text("utf-8"))
    urls = [each["url"].partition(":-")[2].rstrip("}") for each in federation["brokers"].values()]
    assert {urlsplit(url).port for url in urls} == published


def test_brokers_listen_on_the_loopback_interface_alone() -> None:
    shared = yaml.safe_load((PAIRS / "brokers.yml").read_text("utf-8"))["services"]
    for each in shared.values():
        assert all(port.startswith("127.0.0.1:") for port in each["ports"])
