"""Runs a federation on this machine: brokers, gateways, adapters set apart, applications.

A part that dies is started again, with growing pauses; what it was away for is noted in
`outages.jsonl`. The run ends when an application that `ends_run` ends, on Ctrl-C or SIGTERM; then
everything stops in order: applications, adapters, gateways, brokers.
"""

import asyncio
import json
import signal
import time
from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TextIO

import httpx

from fes.cli.running.brokers import EmbeddedBrokers
from fes.cli.running.outages import Outages
from fes.cli.running.plan import (
    Part,
    adapter_parts,
    application_parts,
    gateway_parts,
    placeholders,
)
from fes.cli.running.process import Child
from fes.errors import AdapterError
from fes.federation.dump import dump, resolved
from fes.federation.model import Federation

READY_S = 60.0
ALLOWANCE_S, ALLOWANCE_PER_GATEWAY_S = 7.0, 0.12
QUIET_S = 3.0
BROKER_CHECK_S = 0.5
FIRST_PAUSE_S, MOST_PAUSE_S = 0.2, 5.0
STEADY_S = 10.0


@dataclass(frozen=True, slots=True)
class RunOptions:
    """How a federation is run.

    Attributes:
        base: Folder that relative paths in the file start from.
        run: Folder of the run.
        own: Gateways and adapters that get a process of their own.
        quiet_s: How long events may be on their way after the application that ends the run.
    """

    base: Path
    run: Path
    own: Collection[str] = ()
    quiet_s: float = QUIET_S


class Supervisor:
    """Runs a federation.

    Args:
        federation: The file, checked.
        options: How.
        out: Takes what people see.
    """

    def __init__(self, federation: Federation, options: RunOptions, out: TextIO) -> None:
        self._options = options
        self._out = out
        self._brokers = EmbeddedBrokers(federation, options.run / "brokers")
        allowance_s = ALLOWANCE_S + ALLOWANCE_PER_GATEWAY_S * len(federation.gateways)
        start_us = time.time_ns() // 1000 + round(allowance_s * 1e6)
        self.federation = resolved(federation, start_us, self._brokers.urls)
        self.children: dict[str, Child] = {}
        self.endpoints: dict[str, dict[str, Any]] = {}
        self._outages = Outages(options.run / "outages.jsonl")
        self._stop = asyncio.Event()
        self._stopping = False
        self._failed = ""
        self._watchers: list[asyncio.Task[None]] = []

    async def run(self) -> int:
        """Run until the end.

        Returns:
            0 where it ended as it should, 1 where an application that ends the run failed, 130
            where it was interrupted.
        """
        loop = asyncio.get_running_loop()
        interrupted: list[int] = []
        for number in (signal.SIGINT, signal.SIGTERM):
            loop.add_signal_handler(number, self._interrupt, interrupted)
        try:
            if await self._started():
                await self._stop.wait()
            if not interrupted:
                await asyncio.sleep(self._options.quiet_s)
        except AdapterError as error:
            self._failed = str(error)
        finally:
            await self._end()
        if self._failed:
            self._say(f"failed: {self._failed}")
            return 1
        return 130 if interrupted else 0

    def _interrupt(self, interrupted: list[int]) -> None:
        interrupted.append(1)
        self._stop.set()

    async def _started(self) -> bool:
        """Start everything; False where the run was interrupted meanwhile."""
        starting = asyncio.create_task(self._start(), name="start")
        stopping = asyncio.create_task(self._stop.wait(), name="stop")
        await asyncio.wait((starting, stopping), return_when=asyncio.FIRST_COMPLETED)
        stopping.cancel()
        if starting.done():
            starting.result()
            return True
        starting.cancel()
        await asyncio.gather(starting, return_exceptions=True)
        return False

    async def _start(self) -> None:
        run = self._options.run
        file = run / "federation.yaml"
        file.write_text(dump(self.federation), "utf-8")
        await asyncio.to_thread(self._brokers.start)
        self._say(f"brokers: {', '.join(self._brokers.servers) or 'none of our own'}")
        own, base = self._options.own, self._options.base
        gateways = gateway_parts(self.federation, own, file, base, run)
        await asyncio.gather(*(self._begin(part) for part in gateways))
        links = {name: str(point["link"]) for name, point in self.endpoints.items()}
        for part in adapter_parts(self.federation, own, links, file, base, run):
            await self._begin(part)
        await self._until_ready([part.name for part in gateways])
        self._say(f"gateways: {len(self.federation.gateways)} in {len(gateways)} processes")
        for part in gateways:
            url = self.children[part.name].started["http"]
            self._say(f"  {part.name}: {url}/gateways/<gateway>/v1, e.g. {part.gateways[0]}")
        self._watchers.append(asyncio.create_task(self._watch_brokers()))
        await self._start_applications()

    async def _start_applications(self) -> None:
        values = placeholders(self.federation, self._options.run, self._options.base)
        waiting = application_parts(self.federation, values)
        begun: set[str] = set()
        while waiting:
            free = [part for part in waiting if begun.issuperset(part.after)]
            for part in free:
                await self._begin(part)
                if part.ready:
                    await self._until_answers(part.name, part.ready)
                begun.add(part.name)
                where = f" at {part.ready}" if part.ready else ""
                self._say(f"application: {part.name}{where}")
            waiting = [part for part in waiting if part not in free]

    async def _begin(self, part: Part) -> None:
        child = Child(part, self._options.run / "logs")
        self.children[part.name] = child
        await child.start()
        if part.gateways and not await child.announced(READY_S):
            raise AdapterError(f"{part.name} did not start; see logs/{part.name}.log")
        self._publish_endpoints(child)
        self._watchers.append(asyncio.create_task(self._watch(child), name=part.name))

    def _publish_endpoints(self, child: Child) -> None:
        for name in child.part.gateways:
            self.endpoints[name] = {
                "url": f"{child.started['http']}/gateways/{name}",
                "process": child.part.name,
                "pid": child.pid,
                "link": child.started["link"],
            }
        path = self._options.run / "endpoints.json"
        processes = {name: child.pid for name, child in self.children.items()}
        text = json.dumps({"gateways": self.endpoints, "processes": processes}, indent=1)
        fresh = path.with_suffix(".new")
        fresh.write_text(text + "\n", "utf-8")
        fresh.replace(path)

    async def _watch(self, child: Child) -> None:
        pause_s = FIRST_PAUSE_S
        while True:
            status = await child.wait()
            if self._stopping:
                return
            if child.part.ends_run:
                if status != 0:
                    self._failed = f"{child.part.name} ended with status {status}"
                self._stop.set()
                return
            pause_s = await self._restart(child, status, pause_s)

    async def _restart(self, child: Child, status: int, pause_s: float) -> float:
        part = child.part
        names = part.gateways or part.adapters or (part.name,)
        self._outages.began(names, status)
        self._say(f"{part.name} ended with status {status}; it is started again")
        lived_s = time.time() - child.started_us / 1e6
        if lived_s > STEADY_S:
            pause_s = FIRST_PAUSE_S
        await asyncio.sleep(pause_s)
        await child.start()
        if part.gateways:
            await child.announced(READY_S)
            if child.started:
                self._publish_endpoints(child)
                await self._until_ready([part.name], insist=False)
        self._outages.ended(names)
        return min(MOST_PAUSE_S, pause_s * 2)

    async def _watch_brokers(self) -> None:
        while not self._stopping:
            await asyncio.sleep(BROKER_CHECK_S)
            dead = [name for name, server in self._brokers.servers.items() if server.pid is None]
            if dead and not self._stopping:
                self._outages.began(tuple(dead), -9)
                await asyncio.to_thread(self._brokers.revive)
                self._outages.ended(tuple(dead))
                self._say(f"broker {', '.join(dead)} ended; it is started again")

    async def _until_ready(self, parts: list[str], *, insist: bool = True) -> None:
        for name in parts:
            url = f"{self.children[name].started['http']}/readyz"
            await self._until_answers(name, url, insist=insist)

    async def _until_answers(self, name: str, url: str, *, insist: bool = True) -> None:
        deadline = time.monotonic() + READY_S
        said = "no answer"
        async with httpx.AsyncClient(timeout=2.0) as client:
            while time.monotonic() < deadline:
                try:
                    answer = await client.get(url)
                    if answer.status_code == httpx.codes.OK:
                        return
                    said = answer.text[:300]
                except httpx.HTTPError as error:
                    said = repr(error)
                await asyncio.sleep(0.1)
        if insist:
            raise AdapterError(f"{name} is not ready: {said}")

    async def _end(self) -> None:
        self._stopping = True
        self._say("stopping")
        children = list(self.children.values())
        applications = [child for child in children if not child.part.gateways]
        gateways = [child for child in children if child.part.gateways]
        await asyncio.gather(*(child.stop() for child in applications))
        await asyncio.gather(*(child.stop() for child in gateways))
        for watcher in self._watchers:
            watcher.cancel()
        await asyncio.gather(*self._watchers, return_exceptions=True)
        await asyncio.to_thread(self._brokers.stop)
        self._outages.close()

    def _say(self, text: str) -> None:
        self._out.write(f"fes run: {text}\n")
        self._out.flush()
