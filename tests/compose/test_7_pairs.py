"""The Compose file of each pair in `examples/pairs`: started, crossed both ways, taken down.

All five are up at once, each a project of its own with ports of its own.
"""

import asyncio
import os
import shutil
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

import pytest
import yaml
from confluent_kafka.admin import AdminClient
from confluent_kafka.cimpl import NewTopic
from eventservices.ports import free_port
from fes.testing.eventually import eventually
from support.pairs.crossings import CROSSINGS, PAIRS, SECRET, TOPICS, HookClient, cross, make_stream
from support.processes.plain_clients import KafkaClient, MqttClient, NatsClient, PlainClient
from support.processes.running import Run
from support.processes.stack import call

BUILD_S, UP_S, DOWN_S = 300, 120, 60

pytestmark = pytest.mark.timeout(BUILD_S + UP_S)


@dataclass(frozen=True, slots=True)
class At:
    """A broker of a project, as clients of tests address it."""

    host: str
    port: int

    @property
    def mqtt_port(self) -> int:
        """Its port, where it speaks MQTT."""
        return self.port

    @property
    def url(self) -> str:
        """Its address, where it speaks NATS."""
        return f"nats://{self.host}:{self.port}"


class Project:
    """One pair's Compose file.

    Args:
        name: Of the pair.
    """

    def __init__(self, name: str) -> None:
        self.name = f"fes-pair-{name}"
        self.folder = PAIRS / name
        self.ports = {each: free_port() for each in ("MQTT_PORT", "NATS_PORT", "KAFKA_PORT")}
        self.services = yaml.safe_load((self.folder / "compose.yml").read_text("utf-8"))["services"]

    def compose(self, *words: str) -> "subprocess.Popen[str]":
        """Begin a command of Compose, as the page of the example has it."""
        return subprocess.Popen(
            ("docker", "compose", "--project-name", self.name, *words),
            cwd=self.folder,
            env={**os.environ, **{name: str(port) for name, port in self.ports.items()}},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )


@pytest.fixture(scope="module")
def projects(engine: None) -> Iterator[dict[str, Project]]:
    """All projects, up; nothing of them is left afterwards."""
    call("compose/base-images", "pairs", within_s=BUILD_S)
    found = {name: Project(name) for name in sorted(CROSSINGS)}
    try:
        _all(found, UP_S, "up", "--detach", "--wait")
        yield found
    finally:
        _all(found, DOWN_S, "down", "--volumes", "--remove-orphans", "--timeout", "5")
    left = call("docker", "ps", "--all", "--format", "{{.Names}}").stdout.split()
    assert not [each for each in left if each.startswith("fes-pair-")]


def _all(projects: dict[str, Project], within_s: float, *words: str) -> None:
    """Run a command in all projects at once."""
    begun = {name: project.compose(*words) for name, project in projects.items()}
    for name, process in begun.items():
        out, _ = process.communicate(timeout=within_s)
        assert process.returncode == 0, f"{name}: {out}"


async def clients_of(project: Project) -> dict[str, PlainClient]:
    """Return a client of each system of a pair, once its broker answers."""
    ports = project.ports
    found: dict[str, PlainClient] = {}
    if "mosquitto" in project.services:
        found["mqtt"] = MqttClient(At("127.0.0.1", ports["MQTT_PORT"]))
    if "nats" in project.services:
        at = At("127.0.0.1", ports["NATS_PORT"])
        found["nats"] = NatsClient(at)
        if project.folder.name.startswith("jetstream"):
            await make_stream(at.url)
    if "kafka" in project.services:
        at = At("127.0.0.1", ports["KAFKA_PORT"])
        await eventually(lambda: asyncio.to_thread(_topics, at), 60.0, "topics of Kafka")
        found["kafka"] = KafkaClient(at)
    return found


def _topics(at: At) -> bool:
    admin = AdminClient({"bootstrap.servers": f"{at.host}:{at.port}"})
    made = admin.create_topics([NewTopic(each, 1) for each in TOPICS])
    for each in made.values():
        each.result(10)
    return True


@pytest.mark.parametrize("name", sorted(CROSSINGS))
async def test_what_is_requested_crosses_between_the_containers_of_a_pair(
    name: str, projects: dict[str, Project], tmp_path: Path
) -> None:
    project = projects[name]
    folder = Path(shutil.copytree(PAIRS / name, tmp_path / name))
    (folder / "secret").write_text(SECRET)
    ports = project.ports
    with pytest.MonkeyPatch.context() as patched:
        patched.setenv("MQTT", f"mqtt://127.0.0.1:{ports['MQTT_PORT']}")
        patched.setenv("NATS", f"nats://127.0.0.1:{ports['NATS_PORT']}")
        patched.setenv("KAFKA", f"kafka://127.0.0.1:{ports['KAFKA_PORT']}")
        clients = await clients_of(project)
        if name == "http-mqtt":
            hook = HookClient()
            await hook.hub.start()
            port = urlsplit(hook.webhook).port
            patched.setenv("FES__EVENT_SERVICES__HOOKS__SETTINGS__PORT", str(port))
            patched.setenv("HOOK", hook.hub.url)
            clients["http"] = hook
        run = Run(tmp_path, folder / "federation.yaml")
        run.start()
        try:
            await cross(CROSSINGS[name], clients)
        finally:
            run.stop()
            for client in clients.values():
                await client.close()
