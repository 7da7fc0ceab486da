"""A cluster of two nats-servers, SIENA adapters at one of them, native clients at the other."""

import json
import time
import urllib.request
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from typing import Any

from adapter_siena import SienaAdapter
from adapter_siena.codec import SUBJECT, Codec
from adapter_siena.names import Names
from eventservices.servers import NatsServer, ServerSpec
from eventservices.siena import Client, Connection, Notification, where
from eventservices.stamp import Stamp
from fes.adapter.pool import ConnectionPool
from fes.mapping import Native
from fes.model import Event
from fes.testing.conformance.bench import AdapterBench, NativeEvent
from support.processes.contexts import adapter_context

NUMBERS = count()


@dataclass(frozen=True)
class Cluster:
    """Two servers that are one service."""

    a: NatsServer
    b: NatsServer

    @property
    def urls(self) -> tuple[str, str]:
        return (self.a.url, self.b.url)

    def stop(self) -> None:
        self.a.stop()
        self.b.stop()


def start_cluster(folder: Path) -> Cluster:
    """Start two servers and wait for their route."""
    name = f"adapters{next(NUMBERS)}"
    a = NatsServer(ServerSpec(f"{name}-a", folder, cluster=name)).start()
    b = NatsServer(ServerSpec(f"{name}-b", folder, cluster=name, routes=(a.route,))).start()
    deadline = time.monotonic() + 10
    while not (_routed(a) and _routed(b)):
        assert time.monotonic() < deadline, "the servers did not find each other"
        time.sleep(0.02)
    return Cluster(a, b)


def _routed(server: NatsServer) -> bool:
    address = f"http://{server.host}:{server.http_port}/routez"
    with urllib.request.urlopen(address, timeout=5) as answer:
        return bool(json.load(answer)["num_routes"])


@dataclass
class SienaBench(AdapterBench):
    """Adapters and a native client of one service."""

    cluster: Cluster
    stack: AsyncExitStack
    service: str = field(default_factory=lambda: f"siena-{next(NUMBERS)}")
    settings: dict[str, Any] = field(default_factory=lambda: {"index": SUBJECT})
    pool: ConnectionPool = field(default_factory=ConnectionPool)

    async def adapter(self, name: str) -> SienaAdapter:
        return SienaAdapter(
            adapter_context(
                name,
                self.service,
                SienaAdapter,
                self.pool,
                settings=self.settings,
                brokers=self.cluster.urls,
            )
        )

    async def native(self, name: str = "native") -> Client:
        """Return a native client at the other server."""
        if not hasattr(self, "connection"):
            index = self.settings.get("index")
            connection = Connection([self.cluster.b.url], self.service, index=index)
            self.connection = await self.stack.enter_async_context(connection)
            self.codec = Codec(Names({}))
            self.clients: dict[str, Client] = {}
        if name not in self.clients:
            self.clients[name] = self.connection.client(name)
        return self.clients[name]

    async def publish_natively(self, event: Event, time_us: int) -> Stamp:
        client = await self.native()
        native = Native(event.subject, event.parameters, event.attributes)
        return await client.publish(self.codec.to_notification(native), time_us=time_us)

    async def listen_natively(self, subject: str) -> list[NativeEvent]:
        found: list[NativeEvent] = []
        client = await self.native("listener")

        def take(notification: Notification, stamp: Stamp | None) -> None:
            native = self.codec.to_native(notification)
            event = Event(str(native.subject), native.parameters, native.attributes)
            found.append(NativeEvent(event, stamp))

        await client.subscribe(where((SUBJECT, "=", subject)), take)
        return found

    async def publish_garbage(self) -> None:
        await self.native()
        subject = self.connection.subjects.publish_to({SUBJECT: "Speed"})
        await self.connection.link.publish(subject, b"\xc1 no notification")

    async def restart_broker(self) -> None:
        self.cluster.a.kill()
        self.cluster.a.start()
