"""Plain NATS on a real server passes the adapter suite; its client is `nats-py` alone."""

import contextlib
import itertools
import json
from collections.abc import AsyncIterator, Iterator

import nats
import nats.errors
import pytest
from adapter_nats import NatsAdapter
from eventservices.servers import NatsServer, ServerSpec
from eventservices.stamp import HEADER, Stamp, Stamper, pack, unpack
from fes.adapter.base import AnyAdapter
from fes.adapter.pool import ConnectionPool
from fes.model import Event
from fes.testing.conformance.adapter import AdapterConformance
from fes.testing.conformance.bench import AdapterBench, NativeEvent
from fes.testing.eventually import eventually
from nats.aio.client import Client
from nats.aio.msg import Msg
from support.processes.contexts import adapter_context

pytestmark = pytest.mark.broker

_numbers = itertools.count()


class NatsBench(AdapterBench):
    """Adapters, and a client that stamps what it publishes."""

    def __init__(self, server: NatsServer, client: Client) -> None:
        self.server = server
        self.client = client
        self.pool = ConnectionPool()
        self.service = f"nats-{next(_numbers)}"
        self.stamper = Stamper("native", self.service)

    async def adapter(self, name: str) -> AnyAdapter:
        urls = (self.server.url,)
        return NatsAdapter(
            adapter_context(name, self.service, NatsAdapter, self.pool, brokers=urls)
        )

    async def publish_natively(self, event: Event, time_us: int) -> Stamp:
        stamp = self.stamper.next(time_us)
        values = {field.id: field.value for field in event.parameters}
        payload = json.dumps(values).encode()
        await eventually(lambda: self.client.is_connected, 30.0, "the native connection")
        await self.client.publish(event.subject, payload, headers={HEADER: pack(stamp)})
        with contextlib.suppress(nats.errors.Error):  # of a server that was restarted meanwhile
            await self.client.flush(1)
        return stamp

    async def listen_natively(self, subject: str) -> list[NativeEvent]:
        found: list[NativeEvent] = []

        async def take(message: Msg) -> None:
            text = (message.headers or {}).get(HEADER)
            event = Event.of(message.subject, json.loads(message.data))
            found.append(NativeEvent(event, unpack(text) if text else None))

        await self.client.subscribe(subject, cb=take)
        await self.client.flush()
        return found

    async def publish_garbage(self) -> None:
        await self.client.publish("Speed", b'{"Time":"2022-12-27T15\xf4\x02\x00')
        await self.client.flush()

    async def restart_broker(self) -> None:
        self.server.kill()
        self.server.start()


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[NatsServer]:
    with NatsServer(ServerSpec("plain", tmp_path_factory.mktemp("plain"))) as running:
        yield running


class TestNatsAdapter(AdapterConformance):
    @pytest.fixture
    async def bench(self, server: NatsServer) -> AsyncIterator[NatsBench]:
        client = await nats.connect(
            server.url, reconnect_time_wait=0.2, max_reconnect_attempts=-1, error_cb=_ignore
        )
        yield NatsBench(server, client)
        await client.close()


async def _ignore(error: Exception) -> None:
    del error
