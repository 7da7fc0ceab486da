"""Plain MQTT 3.1.1 on a real broker passes the adapter suite; its client is `gmqtt` alone."""

import itertools
import json
from collections.abc import AsyncIterator, Iterator
from typing import Any, ClassVar

import gmqtt
import pytest
from adapter_mqtt import MqttAdapter
from eventservices.servers import NatsServer, ServerSpec
from eventservices.stamp import Stamp, Stamper, pack, unpack
from fes.adapter.base import AnyAdapter
from fes.adapter.pool import ConnectionPool
from fes.model import Event
from fes.testing.conformance.adapter import AdapterConformance
from fes.testing.conformance.bench import AdapterBench, NativeEvent
from fes.testing.eventually import eventually
from support.processes.contexts import adapter_context

pytestmark = pytest.mark.broker

_numbers = itertools.count()


class MqttBench(AdapterBench):
    """Adapters that write CloudEvents, which have room for a stamp, and a client of them."""

    refused: ClassVar[tuple[str, ...]] = ("$SYS/x",)

    def __init__(self, server: NatsServer) -> None:
        self.server = server
        self.pool = ConnectionPool()
        self.service = f"mqtt-{next(_numbers)}"
        self.stamper = Stamper("native", self.service)
        self.client = gmqtt.Client(f"client-{self.service}", clean_session=True)
        self.found: list[NativeEvent] = []
        self.client.on_message = self._take

    async def open(self) -> None:
        self.client.set_config({"reconnect_retries": -1, "reconnect_delay": 1})
        await self.client.connect(self.server.host, self.server.mqtt_port, version=4)

    async def adapter(self, name: str) -> AnyAdapter:
        settings = {"payload": "cloudevents", "escape": " *>"}
        urls = (self.server.mqtt_url,)
        context = adapter_context(
            name, self.service, MqttAdapter, self.pool, brokers=urls, settings=settings
        )
        return MqttAdapter(context)

    async def publish_natively(self, event: Event, time_us: int) -> Stamp:
        stamp = self.stamper.next(time_us)
        data = {field.id: field.value for field in event.parameters}
        whole = {"specversion": "1.0", "id": str(stamp.sequence), "source": "/n", "type": "t"}
        payload = json.dumps({**whole, "fesstamp": pack(stamp), "data": data})
        await eventually(lambda: self.client.is_connected, 30.0, "the native connection")
        self.client.publish(event.subject, payload, qos=0)
        return stamp

    async def listen_natively(self, subject: str) -> list[NativeEvent]:
        ready: list[int] = []
        self.client.on_subscribe = lambda *_: ready.append(1)
        self.client.subscribe(subject, qos=0)
        await eventually(lambda: ready)
        return self.found

    def _take(self, _: object, topic: str, payload: bytes, *__: Any) -> int:
        whole = json.loads(payload)
        event = Event.of(topic, whole["data"])
        stamp = unpack(whole["fesstamp"]) if "fesstamp" in whole else None
        self.found.append(NativeEvent(event, stamp))
        return 0

    async def take_over(self, adapter: AnyAdapter) -> None:
        """Connect as a second process of the same client identifier would."""
        client = gmqtt.Client(adapter._link._client_id, clean_session=True)  # type: ignore[attr-defined] # of this adapter, not of any
        client.set_config({"reconnect_retries": -2})
        await client.connect(self.server.host, self.server.mqtt_port, version=4)
        await client.disconnect()

    async def publish_garbage(self) -> None:
        self.client.publish("Speed", b'{"Time":"2022-12-27T15\xf4\x02\x00', qos=0)

    async def restart_broker(self) -> None:
        self.server.kill()
        self.server.start()


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[NatsServer]:
    folder = tmp_path_factory.mktemp("plain")
    with NatsServer(ServerSpec("plain", folder, mqtt=True)) as running:
        yield running


class TestMqttAdapter(AdapterConformance):
    @pytest.fixture
    async def bench(self, server: NatsServer) -> AsyncIterator[MqttBench]:
        made = MqttBench(server)
        await made.open()
        yield made
        await made.client.disconnect()
