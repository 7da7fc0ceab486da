"""A federation hosted as `fes run` hosts it, with what it counts and logs in reach."""

import json
import os
import re
from collections.abc import AsyncIterator, Collection
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
from fes.adapter import AdapterRuntime
from fes.federation.load import loads
from fes.testing.eventually import eventually
from fes.testing.memory import MemoryClient, buses
from fes_gateway.http.server import server_of
from fes_gateway.linkserver import LinkServer
from fes_gateway.pack import Pack, PackSettings

Record = dict[str, Any]


@dataclass
class Hosted:
    """A pack at work, its link server and its REST interface."""

    pack: Pack
    links: LinkServer
    url: str
    http: httpx.AsyncClient
    folder: Path
    old: int = 0

    def runtime(self, adapter: str) -> AdapterRuntime:
        """Return the runtime of an adapter of this process."""
        return next(one for one in self.pack.runtimes if one.adapter.id == adapter)

    def counted(self, adapter: str) -> dict[str, int]:
        """Return what an adapter counts."""
        return self.runtime(adapter).counted().counters

    def client(self, service: str, name: str) -> MemoryClient:
        """Return a native client of an event service in memory."""
        bus = buses[f"{self.folder} {service}"]
        bus.name = service
        return MemoryClient(bus, name)

    def records(self) -> list[Record]:
        """Return the event log so far."""
        files = sorted((self.folder / "logs").glob("eventlog-*.jsonl"))
        lines = [line for file in files for line in file.read_bytes().split(b"\n") if line]
        return [json.loads(line) for line in lines]

    def forget(self) -> None:
        """Let `told` look only at what the event log tells from now on."""
        self.old = len(self.records())

    async def told(self, reason: str, *decisions: str) -> Record:
        """Wait for a record of the event log whose reason has a text in it, and return it."""
        wanted = decisions or ("refused", "dropped")

        def find() -> Record | None:
            for record in self.records()[self.old :]:
                why = record.get("reason", "") + " " + record.get("what", "")
                if record["decision"] in wanted and reason in why:
                    return record
            return None

        found: Record = await eventually(find, what=f"{wanted} because of {reason!r}")
        return found

    async def decisions(self, gateway: str, decision: str, reason: str = "") -> float:
        """Return how often a gateway decided something, as its metrics tell."""
        text = (await self.http.get(f"{self.url}/gateways/{gateway}/metrics")).text
        pattern = rf'^fes_gateway_decisions_total{{decision="{decision}",.*}} ([0-9.e+]+)$'
        lines = re.finditer(pattern, text, re.MULTILINE)
        return sum(float(line[1]) for line in lines if f'reason="{reason}' in line[0])

    async def subscribe(self, gateway: str, source: str, dist_list: str, filter_: str) -> None:
        """Make a subscription, and wait until the direct service has it."""
        body = {
            "type": "subscription",
            "source": source,
            "dist_list": dist_list,
            "filter": filter_,
        }
        answer = await self.http.post(f"{self.url}/gateways/{gateway}/v1/requests", json=body)
        assert answer.status_code == 202, answer.text
        held = self.runtime(f"{gateway}.{dist_list}").outbound.subscriptions
        await eventually(lambda: filter_ in [one.filter.text for one in held.values()])


@asynccontextmanager
async def hosted(folder: Path, text: str, remote: Collection[str] = ()) -> AsyncIterator[Hosted]:
    """Host every gateway of a federation file, but for the adapters that live elsewhere.

    Args:
        folder: Of the run; `%(tag)s` in the file.
        text: The file.
        remote: Adapters that are expected to dial in.
    """
    federation = loads(text % {"tag": str(folder)}, {})
    settings = PackSettings("test", tuple(federation.gateways), frozenset(remote), folder)
    pack = Pack(federation, settings, folder)
    links, server = LinkServer(pack.hosts, "127.0.0.1", 0), server_of(pack, "127.0.0.1", 0)
    async with pack, httpx.AsyncClient(timeout=5) as http:
        await links.start()
        await server.start()
        try:
            await eventually(lambda: not _waiting(pack), what="adapters ready")
            yield Hosted(pack, links, server.url, http, folder)
        finally:
            await server.stop()
            await links.stop()


def _waiting(pack: Pack) -> bool:
    reasons = {one.adapter.id: one.reason for one in pack.runtimes if not one.ready}
    assert not reasons, reasons
    return False


def resident_mb() -> float:
    """Return what this process takes of memory, MiB."""
    pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 2**20
