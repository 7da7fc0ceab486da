"""JMS on a real ActiveMQ passes the adapter suite; its client is `stomp.py` alone."""

import itertools
import json
from collections.abc import AsyncIterator, Iterator
from typing import Any

import pytest
from adapter_jms import JmsAdapter
from adapter_jms.names import OWN
from eventservices.stamp import HEADER, Stamp, Stamper, pack, unpack
from fes.adapter.base import AnyAdapter
from fes.adapter.pool import ConnectionPool
from fes.model import Event
from fes.testing.conformance.adapter import AdapterConformance
from fes.testing.conformance.bench import AdapterBench, NativeEvent
from support.processes.activemq import ActiveMq
from support.processes.contexts import adapter_context
from support.processes.stomping import JmsClient

pytestmark = pytest.mark.broker

_numbers = itertools.count()

PROPERTIES = {"rate": "double", "axles": "int", "braking": "boolean", "license_no": "string"}


class Listener(JmsClient):
    """Notes the events that it receives."""

    def __init__(self, port: int) -> None:
        self.found: list[NativeEvent] = []
        super().__init__(port)

    def on_message(self, frame: Any) -> None:
        """Note an event."""
        text = frame.headers.get(OWN[HEADER])
        subject = frame.headers["destination"].removeprefix("/topic/")
        event = Event.of(subject, json.loads(frame.body))
        self.found.append(NativeEvent(event, unpack(text) if text else None))


class JmsBench(AdapterBench):
    """Adapters, and a client that stamps what it publishes."""

    def __init__(self, broker: ActiveMq, settings: dict[str, Any]) -> None:
        self.broker = broker
        self.pool = ConnectionPool()
        self.service = f"jms-{next(_numbers)}"
        self.settings = settings
        self.stamper = Stamper("native", self.service)
        self.clients: list[JmsClient] = []

    async def adapter(self, name: str) -> AnyAdapter:
        return JmsAdapter(
            adapter_context(
                name,
                self.service,
                JmsAdapter,
                self.pool,
                settings=self.settings,
                brokers=(self.broker.url,),
            )
        )

    async def publish_natively(self, event: Event, time_us: int) -> Stamp:
        stamp = self.stamper.next(time_us)
        values = {field.id: field.value for field in event.parameters}
        own = {name: str(value) for name, value in values.items() if name in PROPERTIES}
        headers = {OWN[HEADER]: pack(stamp), **own}
        with JmsClient(self.broker.port) as client:
            client.send_as(f"/topic/{event.subject}", json.dumps(values).encode(), headers)
            client.flush()
        return stamp

    async def listen_natively(self, subject: str) -> list[NativeEvent]:
        listener = Listener(self.broker.port)
        self.clients.append(listener)
        listener.subscribe(f"/topic/{subject}")
        return listener.found

    async def publish_garbage(self) -> None:
        with JmsClient(self.broker.port) as client:
            client.send("/topic/Speed", b'{"Time":"2022-12-27T15\xf4\x02')
            client.flush()

    async def restart_broker(self) -> None:
        self.broker.kill()
        self.broker.start()


@pytest.fixture(scope="module")
def broker(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ActiveMq]:
    running = ActiveMq(tmp_path_factory.mktemp("jms"))
    running.start()
    yield running
    running.stop()


class TestJmsAdapter(AdapterConformance):
    @pytest.fixture
    async def bench(self, broker: ActiveMq) -> AsyncIterator[JmsBench]:
        bench = JmsBench(broker, {})
        yield bench
        for client in bench.clients:
            client.close()


class TestJmsAdapterWithProperties(AdapterConformance):
    """Filters run in the broker."""

    @pytest.fixture
    async def bench(self, broker: ActiveMq) -> AsyncIterator[JmsBench]:
        bench = JmsBench(broker, {"properties": PROPERTIES})
        yield bench
        for client in bench.clients:
            client.close()
