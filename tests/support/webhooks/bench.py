"""An HTTP adapter that a test posts to."""

import json
from pathlib import Path
from typing import Any, Self

import httpx
from adapter_http import HttpAdapter
from eventservices.stamp import Stamp
from fes.adapter.pool import ConnectionPool
from fes.mapping import Native
from serving.loopback import async_client
from support.processes.contexts import adapter_context
from support.sinks import NotingSink

STRUCTURED = "application/cloudevents+json"
OPEN = {"Authorization": "Bearer quiet"}


class NativeSink(NotingSink):
    """Notes whole events, and their stamps."""

    def __init__(self) -> None:
        super().__init__()
        self.natives: list[Native] = []
        self.stamps: list[Stamp | None] = []

    def heard(self, native: Native, stamp: Stamp | None, answer: object = None) -> None:
        """Note an event."""
        super().heard(native, stamp, answer)
        self.natives.append(native)
        self.stamps.append(stamp)


class Bench:
    """An adapter, its gateway, and a client.

    Args:
        folder: Of the secret.
        name: Of the gateway.
        settings: Besides secret and port.
    """

    def __init__(self, folder: Path, *, name: str = "g", **settings: Any) -> None:
        (folder / "secret").write_text("quiet\n")
        given = {"secret_file": "secret", "port": 0, **settings}
        context = adapter_context(
            name, "hooks", HttpAdapter, ConnectionPool(), settings=given, base=str(folder)
        )
        self.adapter = HttpAdapter(context)
        self.gateway = NativeSink()
        self.client = async_client(5.0)

    async def __aenter__(self) -> Self:
        """Connect."""
        await self.adapter.connect(self.gateway)
        return self

    async def __aexit__(self, *_: object) -> None:
        """Disconnect."""
        await self.client.aclose()
        await self.adapter.disconnect()

    async def post(self, event: object, kind: str = STRUCTURED, **headers: str) -> httpx.Response:
        """Post an event, or bytes, with the secret."""
        body = event if isinstance(event, bytes) else json.dumps(event).encode()
        more = {**OPEN, "Content-Type": kind, **headers}
        return await self.client.post(self.adapter.url, content=body, headers=more)
