"""MQTT 5 on Mosquitto passes the adapter suite; its client is `gmqtt` alone."""

import itertools
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any, ClassVar

import gmqtt
import msgspec
import pytest
from adapter_mqtt import MqttAdapter
from eventservices.stamp import HEADER, Stamp, Stamper, pack, unpack
from fes.adapter.base import AnyAdapter
from fes.adapter.pool import ConnectionPool
from fes.model import Event
from fes.testing.conformance.adapter import AdapterConformance
from fes.testing.conformance.bench import AdapterBench, NativeEvent
from fes.testing.eventually import eventually
from support.processes.contexts import adapter_context
from support.processes.foreign import Mosquitto

pytestmark = pytest.mark.broker

_numbers = itertools.count()


class Mqtt5Bench(AdapterBench):
    """Adapters that write JSON, and a client that puts a stamp into a user property."""

    refused: ClassVar[tuple[str, ...]] = ("$SYS/x",)

    def __init__(self, server: Mosquitto) -> None:
        self.server = server
        self.pool = ConnectionPool()
        self.service = f"mqtt5-{next(_numbers)}"
        self.stamper = Stamper("native", self.service)
        self.client = gmqtt.Client(f"client-{self.service}", clean_session=True)
        self.found: list[NativeEvent] = []
        self.client.on_message = self._take

    async def open(self) -> None:
        self.client.set_config({"reconnect_retries": -1, "reconnect_delay": 1})
        await self.client.connect(self.server.host, self.server.mqtt_port, version=5)

    async def adapter(self, name: str) -> AnyAdapter:
        settings = {"protocol": "5", "escape": " *>"}
        urls = (self.server.mqtt_url,)
        context = adapter_context(
            name, self.service, MqttAdapter, self.pool, brokers=urls, settings=settings
        )
        return MqttAdapter(context)

    async def publish_natively(self, event: Event, time_us: int) -> Stamp:
        stamp = self.stamper.next(time_us)
        payload = msgspec.json.encode({field.id: field.value for field in event.parameters})
        await eventually(lambda: self.client.is_connected, 30.0, "the native connection")
        self.client.publish(event.subject, payload, qos=0, user_property=(HEADER, pack(stamp)))
        return stamp

    async def listen_natively(self, subject: str) -> list[NativeEvent]:
        ready: list[int] = []
        self.client.on_subscribe = lambda *_: ready.append(1)
        self.client.subscribe(subject, qos=0)
        await eventually(lambda: ready)
        return self.found

    def _take(self, _: object, topic: str, payload: bytes, __: int, told: dict[str, Any]) -> int:
        user = dict(told.get("user_property", ()))
        event = Event.of(topic, msgspec.json.decode(payload))
        self.found.append(NativeEvent(event, unpack(user[HEADER]) if HEADER in user else None))
        return 0

    async def take_over(self, adapter: AnyAdapter) -> None:
        """Connect as a second process of the same client identifier would."""
        assert isinstance(adapter, MqttAdapter)
        client = gmqtt.Client(adapter._link._client_id, clean_session=True)
        client.set_config({"reconnect_retries": -2})
        await client.connect(self.server.host, self.server.mqtt_port, version=5)
        await client.disconnect()

    async def publish_garbage(self) -> None:
        self.client.publish("Speed", b'{"Time":"2022-12-27T15\xf4\x02\x00', qos=0)

    async def restart_broker(self) -> None:
        self.server.kill()
        self.server.start()


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Mosquitto]:
    made = Mosquitto(Path(tmp_path_factory.mktemp("mosquitto")))
    made.start()
    yield made
    made.stop()


class TestMqtt5Adapter(AdapterConformance):
    @pytest.fixture
    async def bench(self, server: Mosquitto) -> AsyncIterator[Mqtt5Bench]:
        made = Mqtt5Bench(server)
        await made.open()
        yield made
        await made.client.disconnect()
