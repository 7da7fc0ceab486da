"""A stranger's first minutes: `fes init`, `run`, `listen` and `publish` with brokers that run."""

import asyncio
import json
import re
import sys
from collections.abc import Iterator
from pathlib import Path

import gmqtt
import pytest
from eventservices.servers import NatsServer, ServerSpec
from fes.cli.init import text_of
from fes.cli.native import EXAMPLE
from fes.cli.validate import examine_file
from fes.errors import FesError
from fes.federation import Severity, load
from fes.testing.eventually import eventually
from support.processes.foreign import Mosquitto
from support.processes.running import Run

pytestmark = [pytest.mark.broker, pytest.mark.timeout(180)]


@pytest.fixture
def brokers(tmp_path: Path) -> Iterator[tuple[Mosquitto, NatsServer]]:
    house = Mosquitto(tmp_path)
    house.start()
    with NatsServer(ServerSpec("yard", tmp_path / "yard")) as yard:
        yield house, yard
    house.stop()


async def fes(folder: Path, *words: str) -> asyncio.subprocess.Process:
    return await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "fes.cli.main", *words),
        cwd=folder,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )


async def printed(folder: Path, *words: str) -> str:
    process = await fes(folder, *words)
    out, error = await process.communicate()
    assert process.returncode == 0, error.decode()
    return out.decode()


async def test_two_systems_are_joined_by_a_file_that_init_wrote(
    tmp_path: Path, brokers: tuple[Mosquitto, NatsServer]
) -> None:
    house, yard = brokers
    said = await printed(tmp_path, "init", house.mqtt_url, yard.url)
    assert said == "wrote federation.yaml; now: fes run federation.yaml\n"
    assert "no errors" in await printed(tmp_path, "validate", "federation.yaml")
    run = Run(tmp_path, tmp_path / "federation.yaml")
    run.start()
    listening = await fes(
        tmp_path, "listen", "federation.yaml", "nats", "--filter", "celsius > 30", "--number", "1"
    )
    mqtt = gmqtt.Client("sensor", clean_session=True)
    await mqtt.connect(house.host, house.mqtt_port, version=5)
    try:

        async def arrives() -> bool:
            for celsius in (21.0, 35.5):
                mqtt.publish("sensors/hall", json.dumps({"celsius": celsius}), qos=0)
            await asyncio.sleep(0.2)
            return listening.returncode is not None

        await eventually(arrives, 90.0, "an event at the other end")
        out, _ = await listening.communicate()
        line = out.decode().splitlines()[-1]
        told = json.loads(line)
        assert (told["subject"], told["parameters"]) == ("sensors/hall", {"celsius": 35.5})

        (tmp_path / "captured.jsonl").write_bytes(out)
        words = ("filter", "test", "celsius > 30", "captured.jsonl")
        assert "true sensors/hall\n1 accepted\n" in await printed(tmp_path, *words)
        said = await printed(tmp_path, "publish", "federation.yaml", "nats", line)
        assert said == "published 1 at nats\n"
        for text, reason in (('{"subject"', "not JSON"), ('{"celsius": 1}', "event: ")):
            process = await fes(tmp_path, "publish", "federation.yaml", "nats", line, text)
            _, error = await process.communicate()
            assert process.returncode == 2
            assert error.decode().startswith(f"fes publish: event 2: {reason}")
            assert error.decode().endswith(f"; one is {EXAMPLE}\n")
    finally:
        run.stop()
        await mqtt.disconnect()


async def test_init_leaves_a_file_alone(tmp_path: Path) -> None:
    (tmp_path / "federation.yaml").write_text("mine", "utf-8")
    process = await fes(tmp_path, "init", "mqtt://h:1883", "nats://h:4222")
    _, error = await process.communicate()
    assert process.returncode == 2
    assert error == b"fes init: federation.yaml is there already; name another with --out\n"


def test_init_names_each_system_and_refuses_what_it_does_not_know(tmp_path: Path) -> None:
    path = tmp_path / "f.yaml"
    urls = ["mqtt://a:1", "mqtt://b:2", "nats://c:3", "kafka://d:4", "stomp://e:5"]
    path.write_text(text_of(urls, "town", "f.yaml"), "utf-8")
    assert [each for each in examine_file(path, {}) if each.severity is Severity.ERROR] == []
    for bad in (
        ["mqtt://a:1"],
        ["mqtt://a:1", "amqp://b:2"],
        ["mqtt://a:1", "nats:"],
        ["mqtt://a:99999", "nats://b"],
        ["localhost:1883", "nats://b"],
    ):
        with pytest.raises(FesError):
            text_of(bad, "town", "f.yaml")


@pytest.mark.parametrize("system", ["a: b", "#1", "yes", "{x}", "it's", 'a "b"'])
def test_init_writes_a_name_as_it_is_whatever_yaml_makes_of_it(system: str, tmp_path: Path) -> None:
    path = tmp_path / "f.yaml"
    path.write_text(text_of(["mqtt://a:1", 'nats://u:"p"@b'], system, "f.yaml"), "utf-8")
    assert [each for each in examine_file(path, {}) if each.severity is Severity.ERROR] == []
    assert load(path, {}).system == system


@pytest.mark.parametrize("system", ["", "a,b", "*"])
def test_init_refuses_a_name_that_no_system_may_have(system: str) -> None:
    with pytest.raises(FesError, match="name"):
        text_of(["mqtt://a:1", "nats://b:2"], system, "f.yaml")


def test_what_init_offers_as_a_comment_is_good_without_the_sign(tmp_path: Path) -> None:
    """Whoever removes the sign of a comment gets what the comment states."""
    path = tmp_path / "f.yaml"
    text = text_of(["mqtt://a:1", "nats://b:2", "kafka://c:3"], "town", "f.yaml")
    settings = re.sub(r"^ {6}# ", " " * 6, text, flags=re.MULTILINE)
    assert settings.count("value: value") == 3
    path.write_text(settings, "utf-8")
    assert [each for each in examine_file(path, {}) if each.severity is Severity.ERROR] == []
