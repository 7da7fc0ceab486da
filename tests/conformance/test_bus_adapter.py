"""A building's event buses pass the adapter suite; its client is a bus of its own."""

import contextlib
import itertools
from collections.abc import AsyncIterator, Iterator

import pytest
from adapter_bus import BusAdapter
from eventservices.bus import BusClient, BusOptions, BusSettings, EventBus, LocalTransport, Source
from eventservices.bus import Event as BusEvent
from eventservices.errors import EventServiceError
from eventservices.servers import NatsServer, ServerSpec
from eventservices.stamp import Stamp, Stamper
from fes.adapter.base import AnyAdapter
from fes.adapter.pool import ConnectionPool
from fes.link.messages import Subscribe
from fes.model import Event
from fes.testing.conformance.adapter import AdapterConformance
from fes.testing.conformance.bench import AdapterBench, NativeEvent, captured
from fes.testing.conformance.events import TIME_US
from fes.testing.eventually import eventually
from support.processes.contexts import adapter_context

pytestmark = pytest.mark.broker

_numbers = itertools.count()


class BusBench(AdapterBench):
    """Adapters, and a client at a bus of its own."""

    def __init__(self, server: NatsServer, service: str, bus: EventBus, client: BusClient) -> None:
        self.server = server
        self.service = service
        self.bus = bus
        self.client = client
        self.pool = ConnectionPool()
        self.stamper = Stamper("native", service)
        self.sources: dict[str, Source] = {}

    async def adapter(self, name: str) -> AnyAdapter:
        urls = (self.server.url,)
        return BusAdapter(adapter_context(name, self.service, BusAdapter, self.pool, brokers=urls))

    async def publish_natively(self, event: Event, time_us: int) -> Stamp:
        source = self.sources.get(event.subject)
        if source is None:
            source = self.sources[event.subject] = await self.client.advertise(event.subject)
        stamp = self.stamper.next(time_us)
        values = {field.id: field.value for field in event.parameters}
        await source.notify(values, stamp=stamp)
        return stamp

    async def listen_natively(self, subject: str) -> list[NativeEvent]:
        found: list[NativeEvent] = []

        def take(event: BusEvent) -> None:
            found.append(NativeEvent(Event.of(event.name, event.values), event.stamp))

        await self.client.subscribe(subject, take)
        return found

    async def publish_garbage(self) -> None:
        await self.bus._link.publish(f"evbus.{self.service}.all.native", b"\xc1\x00")
        await self.bus._link.flush()

    async def restart_broker(self) -> None:
        self.server.kill()
        self.server.start()


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[NatsServer]:
    with NatsServer(ServerSpec("building", tmp_path_factory.mktemp("building"))) as running:
        yield running


class TestBusAdapter(AdapterConformance):
    @pytest.fixture
    async def bench(self, server: NatsServer) -> AsyncIterator[BusBench]:
        service = f"building_{next(_numbers)}"
        options = BusOptions(BusSettings(hello_us=200_000))
        async with EventBus([server.url], service, "native", options) as bus:
            client = await BusClient(LocalTransport(bus, "native")).open()
            yield BusBench(server, service, bus, client)
            with contextlib.suppress(EventServiceError):
                await client.close()

    async def test_an_event_published_as_soon_as_a_subscription_holds_arrives(
        self, bench: AdapterBench
    ) -> None:
        """Order holds for each name and bus: these ten have ten names (thesis, section 4.4.3)."""
        async with captured(await bench.adapter("a")) as gateway:
            for number in range(1, 11):
                subject = f"Subject{number}"
                await gateway.order(Subscribe(number, f"subject = '{subject}'", number))
                await bench.publish_natively(Event.of(subject, number=number), TIME_US)
            await eventually(lambda: len(gateway.heard) == 10, what="all ten events")
            numbers = sorted(event.parameter("number") for event in gateway.events())
            assert numbers == [*range(1, 11)]
