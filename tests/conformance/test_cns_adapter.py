"""CNS passes the adapter suite, on a real NATS server."""

import itertools
from collections.abc import AsyncIterator, Iterator

import pytest
from adapter_cns.adapter import CnsAdapter
from eventservices.cns import (
    ChannelOptions,
    ClientType,
    Connection,
    EventChannel,
    LongLong,
    StructuredEvent,
    Value,
    structured_event,
)
from eventservices.errors import NotConnectedError
from eventservices.natslink import LinkOptions
from eventservices.servers import NatsServer, ServerSpec
from eventservices.stamp import Stamp
from fes.adapter.base import AnyAdapter
from fes.adapter.pool import ConnectionPool
from fes.model import Event, Field, Type
from fes.testing.conformance.adapter import AdapterConformance
from fes.testing.conformance.bench import AdapterBench, NativeEvent
from fes.testing.eventually import eventually
from support.processes.contexts import adapter_context

pytestmark = pytest.mark.broker

_numbers = itertools.count(1)


class Listener:
    """Is a consumer that puts what it gets in a list."""

    def __init__(self) -> None:
        self.got: list[NativeEvent] = []

    def push_structured_event(self, event: StructuredEvent, stamp: Stamp | None) -> None:
        told = Event.of(event.event_name, event.filterable_data, event.header.variable_header)
        self.got.append(NativeEvent(told, stamp))


class CnsBench(AdapterBench):
    """Adapters, and a native client, of one channel."""

    def __init__(self, server: NatsServer, mode: str = "push") -> None:
        self.server = server
        self.mode = mode
        self.service = f"cns-{next(_numbers)}"
        self.pool = ConnectionPool()
        self.client = Connection(
            server.url, name="native", link=LinkOptions(probe_interval_s=0.5, probe_timeout_s=1.0)
        )
        self._channel: EventChannel | None = None

    async def adapter(self, name: str) -> AnyAdapter:
        settings, urls = {"mode": self.mode}, (self.server.url,)
        return CnsAdapter(
            adapter_context(
                name, self.service, CnsAdapter, self.pool, settings=settings, brokers=urls
            )
        )

    async def publish_natively(self, event: Event, time_us: int) -> Stamp:
        made = structured_event(
            ("Traffic", event.subject),
            event.subject,
            variable_header={field.id: field.value for field in event.attributes},
            filterable_data={field.id: _value(field) for field in event.parameters},
        )

        async def push() -> Stamp | None:
            try:
                return await self._supplier.push_structured_event(made, time_us=time_us)
            except NotConnectedError:
                return None

        stamp = await eventually(push, what="the native client took the event")
        assert isinstance(stamp, Stamp)
        return stamp

    async def listen_natively(self, subject: str) -> list[NativeEvent]:
        listener = Listener()
        proxy = self.channel.default_consumer_admin.obtain_notification_push_supplier(
            ClientType.STRUCTURED_EVENT
        )
        await proxy.subscription_change([("*", subject)], [])
        await proxy.connect_structured_push_consumer(listener)
        return listener.got

    async def publish_garbage(self) -> None:
        await self.client.link.publish(f"cns.event.{self.service}", b"\xc1 no event")

    async def restart_broker(self) -> None:
        self.server.kill()
        self.server.start()

    @property
    def channel(self) -> EventChannel:
        assert self._channel is not None
        return self._channel

    async def open(self) -> None:
        await self.client.open()
        self._channel = await self.client.open_channel(self.service, ChannelOptions())
        self._supplier = self.channel.default_supplier_admin.obtain_notification_push_consumer(
            ClientType.STRUCTURED_EVENT
        )
        await self._supplier.connect_structured_push_supplier(origin="native")


def _value(field: Field) -> Value:
    value: Value = LongLong(field.value) if field.type is Type.LONGLONG else field.value
    return value


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[NatsServer]:
    with NatsServer(ServerSpec("cns", tmp_path_factory.mktemp("nats"))) as started:
        yield started


@pytest.fixture(params=["push", "pull"])
def mode(request: pytest.FixtureRequest) -> str:
    return str(request.param)


class TestCnsAdapter(AdapterConformance):
    """Both ways of getting events; the channel's clients notice no difference."""

    @pytest.fixture
    async def bench(self, server: NatsServer, mode: str) -> AsyncIterator[CnsBench]:
        bench = CnsBench(server, mode)
        await bench.open()
        yield bench
        await bench.client.close()
