"""CloudEvents over HTTP pass the adapter suite; the client is an HTTP server of this process."""

import itertools
import json
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from adapter_http import HttpAdapter
from eventservices.stamp import Stamp, Stamper, pack, unpack
from fes.adapter.base import AnyAdapter
from fes.adapter.pool import ConnectionPool
from fes.model import Event
from fes.testing.conformance.adapter import AdapterConformance
from fes.testing.conformance.bench import AdapterBench, NativeEvent
from support.processes.contexts import adapter_context
from support.webhooks.peers import Headers, Hub

SECRET = "not for everybody"  # noqa: S105 - a secret of this test
STRUCTURED = {"content-type": "application/cloudevents+json"}

_numbers = itertools.count()


class ListeningHub(Hub):
    """Keeps the events of some types for its own clients.

    Attributes:
        found: What they got, by type.
    """

    def __init__(self) -> None:
        super().__init__(SECRET)
        self.found: dict[str, list[NativeEvent]] = {}

    async def posted_to(self, headers: Headers, body: bytes) -> None:
        whole = json.loads(body)
        if whole["type"] in self.found:
            event = Event.of(whole["type"], whole["data"])
            self.found[whole["type"]].append(NativeEvent(event, unpack(whole["fesstamp"])))
        await super().posted_to(headers, body)


class HttpBench(AdapterBench):
    """Adapters whose target is a hub, and a client of the hub that stamps."""

    def __init__(self, hub: ListeningHub, folder: Path) -> None:
        self.hub = hub
        self.folder = folder
        self.pool = ConnectionPool()
        self.service = f"http-{next(_numbers)}"
        self.stamper = Stamper("native", self.service)

    async def adapter(self, name: str) -> AnyAdapter:
        target = {"url": self.hub.url, "types": [">", "FES_ControlEvent"]}
        settings = {
            "secret_file": str(self.folder / "secret"),
            "port": 0,
            "targets": [target],
            "allow": ["127.0.0.0/8"],
        }
        context = adapter_context(name, self.service, HttpAdapter, self.pool, settings=settings)
        made = HttpAdapter(context)
        self.hub.webhooks.append(lambda: made.url if made.connected else None)
        return made

    async def publish_natively(self, event: Event, time_us: int) -> Stamp:
        stamp = self.stamper.next(time_us)
        whole = {
            "specversion": "1.0",
            "id": str(stamp.sequence),
            "source": "/native",
            "type": event.subject,
            "fesstamp": pack(stamp),
            "data": {field.id: field.value for field in event.parameters},
        }
        await self.hub.post(STRUCTURED, json.dumps(whole).encode())
        return stamp

    async def listen_natively(self, subject: str) -> list[NativeEvent]:
        return self.hub.found.setdefault(subject, [])

    async def publish_garbage(self) -> None:
        await self.hub.post(STRUCTURED, b'{"type":"Speed","time":"2022-12-27T15\xf4\x02\x00')

    async def restart_broker(self) -> None:
        await self.hub.stop()
        await self.hub.start()


class TestHttpAdapter(AdapterConformance):
    @pytest.fixture
    async def bench(self, tmp_path: Path) -> AsyncIterator[HttpBench]:
        (tmp_path / "secret").write_text(SECRET)
        hub = ListeningHub()
        await hub.start()
        yield HttpBench(hub, tmp_path)
        await hub.close()
