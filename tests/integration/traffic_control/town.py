"""A run folder, the gateways of two monitors whose air is in memory, and the city's process."""

import asyncio
import json
import signal
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from typing import Any

import httpx
from eventservices.stamp import Stamp
from fes.federation.load import load
from fes.model import Event
from fes.testing.eventually import eventually
from fes.testing.memory import MemoryBus, buses
from fes_gateway.http.server import server_of
from fes_gateway.pack import Pack, PackSettings
from integration.adapter_siena.bench import Cluster

NUMBERS = count()
FEDERATION = """
version: 1
system: traffic
brokers:
  siena-1: {{kind: nats, cluster: siena, url: "{a}"}}
  siena-2: {{kind: nats, cluster: siena, url: "{b}"}}
event_services:
  steam-m-M01: {{kind: memory, settings: {{bus: "{tag} M01"}}}}
  steam-m-M02: {{kind: memory, settings: {{bus: "{tag} M02"}}}}
  siena-{tag}: {{kind: siena, brokers: [siena-1, siena-2], settings: {{index: FES_Subject}}}}
gateways:
  g-m-M01: {{adapters: {{steam-m-M01: {{}}, siena-{tag}: {{}}}}}}
  g-m-M02: {{adapters: {{steam-m-M02: {{}}, siena-{tag}: {{}}}}}}
"""
MONITORS = """monitor,lat,lon,radius_m,limit_kmh
M01,50.02,11.49,150,70
M02,50.03,11.49,150,50
"""


@dataclass
class Town:
    """One run."""

    folder: Path
    tag: str

    @staticmethod
    def plan(folder: Path, cluster: Cluster) -> "Town":
        """Write a run folder."""
        tag = f"town{next(NUMBERS)}"
        text = FEDERATION.format(a=cluster.a.url, b=cluster.b.url, tag=tag)
        (folder / "federation.yaml").write_text(text)
        (folder / "monitors.csv").write_text(MONITORS)
        return Town(folder, tag)

    def bus(self, monitor: str) -> MemoryBus:
        """Return a monitor's air."""
        return buses[f"{self.tag} {monitor}"]

    def limits(self, monitor: str) -> set[str]:
        """Return the limits in force at a monitor."""
        prefix = "subject = 'Speed' AND rate > "
        filters = self.bus(monitor).subscribed
        assert all(text.startswith(prefix) for text in filters)
        return {text.removeprefix(prefix) for text in filters}

    def drive(self, monitor: str, rate: float, sequence: int) -> None:
        """Have a vehicle pass a monitor."""
        stamp = Stamp("FES0001", 1, sequence, 1_000_000 * sequence, "cns-v-1", ("cns-v-1", "s-v"))
        self.bus(monitor).publish(Event.of("Speed", license_no="FES0001", rate=rate), stamp)

    def lines(self, name: str) -> list[dict[str, Any]]:
        """Return what a log of the run says now."""
        path = self.folder / name
        return [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []

    @asynccontextmanager
    async def gateways(self) -> AsyncIterator[Pack]:
        """Host the monitors' gateways, and tell where they are."""
        federation = load(self.folder / "federation.yaml", {})
        names = tuple(federation.gateways)
        pack = Pack(federation, PackSettings("test", names, frozenset(), self.folder), self.folder)
        server = server_of(pack, "127.0.0.1", 0)
        async with pack:
            await server.start()
            try:
                await eventually(lambda: pack.ready, 20.0, "gateways ready")
                known = {name: {"url": f"{server.url}/gateways/{name}"} for name in names}
                (self.folder / "endpoints.json").write_text(json.dumps({"gateways": known}))
                yield pack
            finally:
                await server.stop()


@dataclass
class CityProcess:
    """The running `traffic-control serve`."""

    process: asyncio.subprocess.Process
    url: str

    async def get(self, path: str) -> httpx.Response:
        async with httpx.AsyncClient(trust_env=False) as http:
            return await http.get(f"{self.url}{path}", timeout=5)

    async def set(self, monitor: str, limit_kmh: float) -> list[str]:
        """Change a limit; return the request ids."""
        async with httpx.AsyncClient(trust_env=False) as http:
            body = {"limit_kmh": limit_kmh}
            answer = await http.put(f"{self.url}/v1/limits/{monitor}", json=body, timeout=5)
        assert answer.status_code == 202, answer.text
        requests: list[str] = answer.json()["requests"]
        return requests

    async def is_ready(self) -> bool:
        return (await self.get("/readyz")).status_code == 200

    async def stop(self, number: signal.Signals = signal.SIGTERM) -> int:
        """End the process; return its status."""
        if self.process.returncode is None:
            self.process.send_signal(number)
        async with asyncio.timeout(15):
            return await self.process.wait()


@asynccontextmanager
async def city(town: Town, *options: str) -> AsyncIterator[CityProcess]:
    """Run `traffic-control serve`, and end it at the end."""
    where = town.folder / "traffic-control.json"
    where.unlink(missing_ok=True)
    with (town.folder / "city.log").open("ab") as log:
        process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-m", "traffic_control", "serve", "--run", str(town.folder)),
            *("--port", "0", *options),
            stdout=log,
            stderr=log,
        )
    running = CityProcess(process, "")
    try:
        await eventually(where.exists, 20.0, "the city says where it listens")
        running.url = json.loads(where.read_text())["url"]
        yield running
    finally:
        await running.stop(signal.SIGKILL)
