"""Two gateways between one Mosquitto and one NATS, over kills: each event once."""

import asyncio
import json
from functools import partial
from pathlib import Path
from typing import Any

import gmqtt
import nats
import pytest
from eventservices.servers import NatsServer, ServerSpec
from fes.testing.eventually import eventually
from nats.aio.msg import Msg
from support.processes.foreign import Mosquitto
from support.processes.running import Run

pytestmark = [pytest.mark.broker, pytest.mark.timeout(240)]

FILE = """
version: 1
system: twice
brokers:
  house: {{kind: mqtt, url: "{house}"}}
  yard: {{kind: nats, url: "{yard}"}}
event_services:
  house:
    kind: mqtt
    brokers: [house]
    settings: {{protocol: "5"}}
  yard: {{kind: nats, brokers: [yard], settings: {{separator: "/"}}}}
gateways:
  one: {{adapters: {{house: {{}}, yard: {{}}}}}}
  two:
    adapters:
      house: {{settings: {{stamped: true}}}}
      yard: {{settings: {{stamped: true}}}}
requests:
{requests}
http: {{port: 0}}
"""
REQUEST = (
    "  - {{gateway: {at}, type: subscription, source: {to}, dist_list: {of},"
    " filter: \"subject STARTS WITH 'sensors/'\"}}\n"
)


def federation(folder: Path, house: Mosquitto, yard: NatsServer) -> Path:
    requests = "".join(
        REQUEST.format(at=at, to=to, of=of)
        for at in ("one", "two")
        for to, of in (("house", "yard"), ("yard", "house"))
    )
    path = folder / "federation.yaml"
    path.write_text(FILE.format(house=house.mqtt_url, yard=yard.url, requests=requests), "utf-8")
    return path


async def test_everybody_gets_everything_once_over_kills(tmp_path: Path) -> None:
    """D14 and D16."""
    house = Mosquitto(tmp_path)
    house.start()
    got: dict[str, list[int]] = {"house": [], "yard": []}
    with NatsServer(ServerSpec("yard", tmp_path / "yard")) as yard:
        path = federation(tmp_path, house, yard)
        run = Run(tmp_path, path)
        run.start()
        mqtt = gmqtt.Client("native", clean_session=True)

        def take(_: object, topic: str, payload: bytes, *__: Any) -> int:
            del topic
            got["house"].append(json.loads(payload)["n"])
            return 0

        async def take_nats(message: Msg) -> None:
            got["yard"].append(json.loads(message.data)["n"])

        mqtt.on_message = take
        await mqtt.connect(house.host, house.mqtt_port, version=5)
        mqtt.subscribe("sensors/#", qos=0)
        client = await nats.connect(yard.url)
        await client.subscribe("sensors.>", cb=take_nats)
        await client.flush()
        numbers = iter(range(1_000_000))
        sent: list[int] = []

        async def publish() -> int:
            number = next(numbers)
            sent.append(number)
            payload = json.dumps({"n": number}).encode()
            if number % 2:
                mqtt.publish("sensors/a", payload, qos=0)
            else:
                await client.publish("sensors.b", payload)
            return number

        async def crosses_both_ways() -> bool:
            pair = {await publish(), await publish()}
            await asyncio.sleep(0.05)
            return pair <= set(got["house"]) and pair <= set(got["yard"])

        def have(wanted: set[int]) -> bool:
            return wanted <= set(got["house"]) & set(got["yard"])

        try:
            await eventually(crosses_both_ways, 90.0, "an event each way")
            for _ in range(2):
                first = len(sent)
                for _ in range(100):
                    await publish()
                await eventually(partial(have, set(sent[first:])), 30.0)
                assert run.kill_gateways() >= 1
                await eventually(crosses_both_ways, 90.0, "an event each way after a kill")
            for name, numbers_got in got.items():
                doubled = {n for n in numbers_got if numbers_got.count(n) > 1}
                assert not doubled, f"{name} got some twice"
        finally:
            run.stop()
            await client.close()
            await mqtt.disconnect()
            house.stop()
