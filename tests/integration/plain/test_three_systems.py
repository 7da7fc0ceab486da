"""MQTT, NATS and Kafka, by one gateway or by three: every event once at each, also over a kill."""

import asyncio
import json
from collections import Counter
from functools import partial
from pathlib import Path
from typing import Any

import gmqtt
import nats
import pytest
from confluent_kafka import Consumer, Producer, TopicPartition
from eventservices.servers import NatsServer, ServerSpec
from fes.testing.eventually import eventually
from nats.aio.msg import Msg
from support.processes.foreign import Kafka, Mosquitto
from support.processes.running import Run

pytestmark = [pytest.mark.broker, pytest.mark.timeout(240)]

FILE = """
version: 1
system: three
brokers:
  house: {{kind: mqtt, url: "{house}"}}
  yard: {{kind: nats, url: "{yard}"}}
  log: {{kind: kafka, url: "{log}"}}
event_services:
  house: {{kind: mqtt, brokers: [house], settings: {{protocol: "5"}}}}
  yard: {{kind: nats, brokers: [yard]}}
  log: {{kind: kafka, brokers: [log]}}
gateways: {gateways}
requests:
  - {{gateway: {gate}, type: subscription, source: house, dist_list: "yard, log", filter: Reading}}
  - {{gateway: {gate}, type: subscription, source: yard, dist_list: "house, log", filter: Reading}}
  - {{gateway: {gate}, type: subscription, source: log, dist_list: "house, yard", filter: Reading}}
http: {{port: 0}}
"""

ONE = "{gate: {adapters: {house: {}, yard: {}, log: {}}}}"
TRIANGLE = """
  one: {adapters: {house: {}, yard: {}}}
  two: {adapters: {yard: {settings: {stamped: true}}, log: {}}}
  three: {adapters: {log: {}, house: {settings: {stamped: true}}}}
"""


class Natives:
    """A plain client of each of the three systems."""

    def __init__(self, house: Mosquitto, yard: NatsServer, log: Kafka) -> None:
        self.house, self.yard = house, yard
        self.got: dict[str, list[int]] = {"house": [], "yard": [], "log": []}
        self.sent = 0
        self.mqtt = gmqtt.Client("native", clean_session=True)
        self.mqtt.on_message = self._take_mqtt
        servers = {"bootstrap.servers": f"127.0.0.1:{log.port}"}
        self.producer = Producer(servers)
        self.consumer = Consumer({**servers, "group.id": "native"})

    async def open(self) -> None:
        await self.mqtt.connect(self.house.host, self.house.mqtt_port, version=5)
        self.mqtt.subscribe("Reading", qos=0)
        self.client = await nats.connect(self.yard.url)
        await self.client.subscribe("Reading", cb=self._take_nats)
        await self.client.flush()
        self.consumer.assign([TopicPartition("Reading", 0, 0)])

    async def close(self) -> None:
        await self.mqtt.disconnect()
        await self.client.close()
        self.consumer.close()

    def _take_mqtt(self, _: object, __: str, payload: bytes, *___: Any) -> int:
        self.got["house"].append(json.loads(payload)["n"])
        return 0

    async def _take_nats(self, message: Msg) -> None:
        self.got["yard"].append(json.loads(message.data)["n"])

    async def publish(self) -> int:
        number = self.sent
        self.sent += 1
        payload = json.dumps({"n": number}).encode()
        if number % 3 == 0:
            self.mqtt.publish("Reading", payload, qos=0)
        elif number % 3 == 1:
            await self.client.publish("Reading", payload)
        else:
            self.producer.produce("Reading", payload)
            self.producer.flush(5)
        return number

    def have(self, numbers: set[int]) -> bool:
        for message in self.consumer.consume(500, 0.05):
            if message.error() is None:
                self.got["log"].append(json.loads(message.value() or b"")["n"])
        return all(numbers <= set(each) for each in self.got.values())

    async def everywhere(self) -> bool:
        """Publish events at each, and return whether all have come to all, and none twice.

        While a gateway starts, the others do not know yet that it is back: an event may get a copy.
        """
        sent = {await self.publish() for _ in range(9)}
        for _ in range(10):
            await asyncio.sleep(0.05)
            if self.have(sent):
                await asyncio.sleep(0.2)  # a copy would follow
                self.have(sent)
                return not any(self.repeated(sent).values())
        return False

    def missing(self, numbers: set[int]) -> dict[str, list[int]]:
        return {name: sorted(numbers - set(each)) for name, each in self.got.items()}

    def all_came(self, numbers: set[int]) -> bool:
        assert self.have(numbers), self.missing(numbers)
        return True

    def repeated(self, among: set[int]) -> dict[str, list[int]]:
        return {
            name: [each for each, count in Counter(numbers).items() if count > 1 and each in among]
            for name, numbers in self.got.items()
        }


@pytest.mark.parametrize(
    ("gateways", "gate"), [(ONE, "gate"), (TRIANGLE, "one")], ids=["one gateway", "triangle"]
)
async def test_every_event_comes_once_to_every_system(
    tmp_path: Path, gateways: str, gate: str
) -> None:
    """D14."""
    house, log = Mosquitto(tmp_path), Kafka(tmp_path)
    house.start()
    log.start()
    log.create("Reading", "FES_ControlEvent")
    with NatsServer(ServerSpec("yard", tmp_path / "yard")) as yard:
        path = tmp_path / "federation.yaml"
        urls = {"house": house.mqtt_url, "yard": yard.url, "log": log.url}
        path.write_text(FILE.format(**urls, gateways=gateways, gate=gate), "utf-8")
        natives, run = Natives(house, yard, log), Run(tmp_path, path)
        run.start()
        await natives.open()
        try:
            judged: set[int] = set()
            for again in range(2):
                await eventually(natives.everywhere, 90.0, "an event of each everywhere")
                sent = {await natives.publish() for _ in range(90)}
                judged |= sent
                await eventually(partial(natives.all_came, sent), 60.0, "all everywhere")
                if not again:
                    assert run.kill_gateways() >= 1
            if gateways == ONE:  # of several that start, each may route an event in between
                judged |= set(range(natives.sent))
            assert natives.repeated(judged) == {"house": [], "yard": [], "log": []}
        finally:
            run.stop()
            await natives.close()
            house.stop()
            log.stop()
