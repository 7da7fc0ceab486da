"""Runs a federation on this machine: brokers, gateways, adapters set apart, applications.

A part that dies is started again, with growing pauses; what it was away for is noted in
`outages.jsonl`. The run ends when an application that `ends_run` ends, on Ctrl-C or SIGTERM; then
everything stops in order: applications, adapters, gateways, brokers.
"""

import asyncio
import json
import signal
import time
from collections.abc import Callable, Collection, Coroutine, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TextIO

from fes.cli.running.brokers import EmbeddedBrokers
from fes.cli.running.outages import Outages
from fes.cli.running.plan import (
    Apart,
    Part,
    adapter_parts,
    application_parts,
    gateway_parts,
    placeholders,
)
from fes.cli.running.process import Child
from fes.cli.running.readiness import answers, proved, within
from fes.errors import AdapterError
from fes.federation.dump import dump, resolved
from fes.federation.model import Federation, adapter_id

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
        replicas: Gateway to the number of its replicas, where it has several.
        quiet_s: How long events may be on their way after the application that ends the run.
    """

    base: Path
    run: Path
    own: Collection[str] = ()
    replicas: Mapping[str, int] = field(default_factory=dict)
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
        self._apart = Apart.of(federation, options.own, options.replicas)
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
        self._watchers: set[asyncio.Task[None]] = set()

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
        apart, base = self._apart, self._options.base
        gateways = gateway_parts(self.federation, apart, file, base, run)
        await asyncio.gather(*(self._begin(part) for part in gateways))
        for part in adapter_parts(self.federation, apart, self._links(), file, base, run):
            await self._begin(part)
        for part in gateways:
            await self._until_answers(part.name, self._readiness(part))
        self._say(f"gateways: {len(self.federation.gateways)} in {len(gateways)} processes")
        for part in gateways:
            url = self.children[part.name].started["http"]
            self._say(f"  {part.name}: {url}/gateways/<gateway>/v1, e.g. {part.gateways[0]}")
        self._watch_over(self._watch_brokers(), "brokers")
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
        self._watch_over(self._watch(child), part.name)

    def _links(self) -> dict[str, str]:
        """Return where the adapters of each gateway dial in: at every replica."""
        found: dict[str, list[str]] = {}
        for child in self.children.values():
            for name in child.part.gateways:
                found.setdefault(name, []).append(str(child.started["link"]))
        return {name: ",".join(links) for name, links in found.items()}

    def _publish_endpoints(self, child: Child) -> None:
        for name in child.part.gateways:
            point = {
                "url": f"{child.started['http']}/gateways/{name}",
                "process": child.part.name,
                "pid": child.pid,
                "link": child.started["link"],
            }
            replicas = self.endpoints.get(name, {}).get("replicas", {})
            if child.part.replica:
                point["replicas"] = {**replicas, child.part.replica: dict(point)}
            self.endpoints[name] = point
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
        if await self._is_back(child):
            self._outages.ended(names)
        return min(MOST_PAUSE_S, pause_s * 2)

    async def _is_back(self, child: Child) -> bool:
        """Wait until a part does again what it did; False where its process ended before."""
        part, since_us = child.part, child.started_us

        def lives() -> bool:
            return child.pid is not None

        if part.gateways and not await child.announced(READY_S):
            return False
        self._publish_endpoints(child)
        if part.adapters:
            own = self._adapters(lambda name, _: name in part.adapters)
            return await proved(own, since_us, lives)
        url = self._readiness(part)
        return not url or not await answers(url, lives)

    async def _watch_brokers(self) -> None:
        while not self._stopping:
            await asyncio.sleep(BROKER_CHECK_S)
            for name, status in self._brokers.dead().items():
                self._outages.began((name,), status)
                self._say(f"broker {name} ended with status {status}; it is started again")
                since_us = time.time_ns() // 1000
                if await asyncio.to_thread(self._brokers.revive, name):
                    self._watch_over(self._broker_is_back(name, since_us), name)

    async def _broker_is_back(self, name: str, since_us: int) -> None:
        """Wait until all that use a broker have proved that they do again."""
        server = self._brokers.servers[name]
        services = self.federation.event_services
        users = self._adapters(lambda _, service: name in services[service].brokers)
        if await proved(users, since_us, lambda: server.pid is not None):
            self._outages.ended((name,))

    def _adapters(self, meant: Callable[[str, str], bool]) -> dict[str, set[str]]:
        """Return the event services of some adapters, by the address of their gateway.

        Args:
            meant: Tells of an adapter's id and its event service whether it is one of them.
        """
        found: dict[str, set[str]] = {}
        for name, gateway in self.federation.gateways.items():
            for service in gateway.adapters:
                if meant(adapter_id(name, service), service):
                    found.setdefault(str(self.endpoints[name]["url"]), set()).add(service)
        return found

    def _watch_over(self, watching: Coroutine[Any, Any, None], name: str) -> None:
        task = asyncio.create_task(watching, name=name)
        self._watchers.add(task)
        task.add_done_callback(self._watched)

    def _watched(self, task: asyncio.Task[None]) -> None:
        self._watchers.discard(task)
        if not task.cancelled() and task.exception() is not None:
            self._failed = f"{task.get_name()} is watched no more: {task.exception()!r}"
            self._stop.set()

    def _readiness(self, part: Part) -> str:
        """Return the address that tells whether a part is ready; "" where it has none."""
        if part.gateways:
            return f"{self.children[part.name].started['http']}/readyz"
        return part.ready

    async def _until_answers(self, name: str, url: str) -> None:
        said = await answers(url, within(READY_S))
        if said:
            raise AdapterError(f"{name} is not ready: {said}")

    async def _end(self) -> None:
        self._stopping = True
        self._say("stopping")
        for watcher in self._watchers:  # before the parts, so that none is started again
            watcher.cancel()
        await asyncio.gather(*self._watchers, return_exceptions=True)
        children = list(self.children.values())
        applications = [child for child in children if not child.part.gateways]
        gateways = [child for child in children if child.part.gateways]
        await asyncio.gather(*(child.stop() for child in applications))
        await asyncio.gather(*(child.stop() for child in gateways))
        await asyncio.to_thread(self._brokers.stop)
        self._outages.close()

    def _say(self, text: str) -> None:
        self._out.write(f"fes run: {text}\n")
        self._out.flush()
