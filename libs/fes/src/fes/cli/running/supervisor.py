"""Runs a federation on this machine: brokers, gateways, adapters set apart, applications.

What can work starts and stays; what is not ready is reported and tried again. A part that dies is
started again, with growing pauses; what it was away for is noted in `outages.jsonl`. The run ends
when an application that `ends_run` ends, on Ctrl-C, SIGTERM or SIGHUP, and when nobody reads its
output any more; then everything stops in order: applications, adapters, gateways, brokers.
"""

import asyncio
import json
import signal
import time
from collections.abc import Callable, Collection, Coroutine, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TextIO
from urllib.parse import quote

import httpx
from serving.ending import on_ending
from serving.loopback import async_client
from serving.output import CLOSED, OutputClosedError

from fes.cli.running.brokers import EmbeddedBrokers
from fes.cli.running.faults import Faults, one_line
from fes.cli.running.front import Front
from fes.cli.running.needs import Needs, needs_of, works
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
from fes.cli.running.readiness import (
    ANSWER_S,
    POLL_S,
    Patience,
    answers,
    faults_at,
    proved,
    until,
)
from fes.errors import AdapterError
from fes.federation.file.dump import dump, resolved
from fes.federation.model import Federation, adapter_id

READY_S = 60.0
SETTLE_S = 2.0
"""How long observers see what gateways withdraw once the applications have ended."""
MOMENTS = "moments.jsonl"
"""File of the run that tells when its parts were stopped."""
ALLOWANCE_S, ALLOWANCE_PER_GATEWAY_S = 7.0, 0.12
QUIET_S = 3.0
BROKER_CHECK_S = 0.5
FIRST_PAUSE_S, MOST_PAUSE_S = 0.2, 5.0
STEADY_S = 10.0
INTERRUPTED = 130
BAD_INPUT = 2
"""Exit status of a part that another start does not help."""


@dataclass(frozen=True, slots=True)
class RunOptions:
    """How a federation is run.

    Attributes:
        base: Folder that relative paths in the file start from.
        run: Folder of the run.
        own: Gateways and adapters that get a process of their own.
        replicas: Gateway to the number of its replicas, where it has several.
        quiet_s: How long events may be on their way after the application that ends the run.
        require_all: Whether the run fails where not every part gets ready in time.
        ready_s: How long parts may take to get ready.
    """

    base: Path
    run: Path
    own: Collection[str] = ()
    replicas: Mapping[str, int] = field(default_factory=dict)
    quiet_s: float = QUIET_S
    require_all: bool = False
    ready_s: float = READY_S


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
        self._needs = {name: needs_of(federation, name) for name in federation.applications}
        self._faults = Faults(self._say)
        self._front = Front(self.federation, self.endpoints, self._faults)
        self._outages = Outages(options.run / "outages.jsonl")
        self._stop, self._asked = asyncio.Event(), asyncio.Event()
        self._asked_by: signal.Signals | None = None
        self._stopping = self._looked = self._shown = False
        self._failed = ""
        self._early = Patience(options.ready_s)
        self._ready: set[str] = set()
        self._hopeless: set[str] = set()
        self._told: set[str] = set()
        self._watchers: set[asyncio.Task[None]] = set()

    async def run(self) -> int:
        """Run until the end.

        Returns:
            0 where it ended as it should; 1 where nothing can work, or an application that ends the
            run failed; 130 where it was interrupted; 141 where nobody reads its output any more.
        """
        on_ending(self._ask_to_end)
        try:
            if await self._started():
                await self._stop.wait()
            if self._asked_by is None and not self._failed:
                await _first_of(asyncio.sleep(self._options.quiet_s), self._asked.wait())
        except AdapterError as error:
            self._failed = str(error)
        finally:
            await self._end()
        if self._asked_by is signal.SIGPIPE:
            return CLOSED
        if self._failed:
            self._say(f"failed: {one_line(self._failed, 1000)}")
            return 1
        return INTERRUPTED if self._asked_by is not None else 0

    def _ask_to_end(self, number: signal.Signals) -> None:
        self._asked_by = self._asked_by or number
        self._asked.set()
        self._stop.set()

    async def _started(self) -> bool:
        """Start everything; False where the run is to end meanwhile."""
        starting = asyncio.create_task(self._start(), name="start")
        await _first_of(starting, self._stop.wait())
        if starting.done() and not starting.cancelled():
            starting.result()
            return True
        return False

    async def _start(self) -> None:
        run, base = self._options.run, self._options.base
        values = placeholders(self.federation, run, base)
        applications = application_parts(self.federation, values)
        file = run / "federation.yaml"
        file.write_text(dump(self.federation), "utf-8")
        gateways = gateway_parts(self.federation, self._apart, file, base, run)
        await self._open_front()
        away = await asyncio.to_thread(self._brokers.start)
        for name, why in away.items():
            self._say_once(name, f"broker {name} did not start: {one_line(why)}; it is tried again")
        self._say(f"brokers: {', '.join(self._brokers.servers) or 'none of our own'}")
        await asyncio.gather(*(self._begin(part) for part in gateways))
        self._watch_over(self._watch_brokers(), "brokers")
        self._watch_over(self._begin_adapters(file), "adapters")
        for part in applications:
            self._watch_over(self._application(part, self._needs[part.name]), part.name)
        await self._until_ready(gateways)
        self._show_gateways()
        await until(lambda: self._ready.issuperset(self.federation.applications))

    async def _open_front(self) -> None:
        try:
            await self._front.start()
        except OSError as error:
            where = f"{self._front.host}:{self._front.port}"
            raise AdapterError(
                f"http: cannot listen at {where}: {error.strerror or error};"
                " write another port under `http` in the file, 0 for a free one"
            ) from error
        self._say(f"interface: {self._front.url}/gateways/<gateway>/v1")

    async def _begin(self, part: Part) -> None:
        child = Child(part, self._options.run / "logs")
        self.children[part.name] = child
        try:
            await child.start()
        except OSError as error:  # no such program, say
            raise AdapterError(
                f"{part.name} cannot be started: {part.command[0]}: {error.strerror or error}"
            ) from error
        self._publish_endpoints(child)
        self._watch_over(self._watch(child), part.name)
        if part.gateways:
            self._watch_over(self._introduce(child), part.name)

    async def _introduce(self, child: Child) -> None:
        """Publish where a process of gateways listens, once it reported that."""
        while not child.is_announced:
            await child.announced(READY_S)
            await asyncio.sleep(0 if child.is_announced else POLL_S)
        self._publish_endpoints(child)

    async def _begin_adapters(self, file: Path) -> None:
        """Start the adapters that are set apart, each when every process of its gateway listens."""
        base, run = self._options.base, self._options.run
        waiting = {
            name
            for name, gateway in self.federation.gateways.items()
            if any(adapter_id(name, service) in self._apart.own for service in gateway.adapters)
        }
        while waiting:
            links = {name: link for name, link in self._links().items() if name in waiting}
            for part in adapter_parts(self.federation, self._apart, links, file, base, run):
                await self._begin(part)
            waiting -= links.keys()
            await asyncio.sleep(POLL_S)

    async def _until_ready(self, gateways: Collection[Part]) -> None:
        """Return when every part is ready.

        Raises:
            AdapterError: Nothing can work, or not all does where all must.
        """
        logs = self._logs()
        async with async_client(ANSWER_S) as client:
            while True:
                self._faults.put(await self._look(client, gateways), logs)
                self._looked = True
                if not self._faults.reasons:
                    return
                self._judge_start({part.name for part in gateways})
                await asyncio.sleep(POLL_S if self._early() else 10 * POLL_S)

    def _judge_start(self, gateways: Collection[str]) -> None:
        strict, faults = self._options.require_all, self._faults
        ended = self._hopeless.intersection(gateways)
        if ended and (strict or ended.issuperset(gateways)):
            name = min(ended)
            why = self.children[name].last_line() or "it ended"
            raise AdapterError(f"{name} did not start: {why}; see {self.children[name].log}")
        if self._early():
            return
        if strict:
            raise AdapterError(f"not ready after {self._options.ready_s:.0f} s: {faults.summary()}")
        if not self._told & {"works"} and not works(self.federation, faults.reasons):
            within_s = f"{self._options.ready_s:.0f} s"
            raise AdapterError(
                f"nothing can work, no part got ready in {within_s}: {faults.summary()}"
            )
        self._told.add("works")

    async def _look(self, client: httpx.AsyncClient, gateways: Collection[Part]) -> dict[str, str]:
        """Return what is not ready: an adapter, or a gateway as a whole, and why."""
        found: dict[str, str] = {}
        for part in gateways:
            child = self.children[part.name]
            faults: dict[str, str] | str = "its process has not started yet"
            if child.is_announced:
                faults = await faults_at(client, self._readiness(part))
            found |= faults if isinstance(faults, dict) else dict.fromkeys(part.gateways, faults)
        self._early.faults(len(found))  # as long as there are fewer, it gets on
        return found

    def _logs(self) -> dict[str, str]:
        """Return the log that tells more of each gateway and adapter."""
        hosting = self.children.values()
        logs = {name: str(child.log) for child in hosting for name in child.part.gateways}
        for name, gateway in self.federation.gateways.items():
            for service in gateway.adapters:
                adapter = adapter_id(name, service)
                own = self.children.get(adapter)
                logs[adapter] = str(own.log) if own else logs.get(name, "")
        return logs

    async def _application(self, part: Part, needs: Needs) -> None:
        """Start an application once what it needs is ready, and return when it is ready itself."""
        await until(lambda: self._may_begin(part.name, needs))
        self._show_gateways()
        await self._begin(part)
        patience = Patience(self._options.ready_s)
        if part.ready and (said := await answers(part.ready, patience, patience.faults)):
            if self._options.require_all:
                raise AdapterError(f"{part.name} is not ready: {said}")
            log = self.children[part.name].log
            self._say(f"not ready: {part.name}: {one_line(said)}; see {log}; it is waited for")
            await answers(part.ready, lambda: True)
        self._ready.add(part.name)
        where = f" at {part.ready}" if part.ready else ""
        self._say(f"application: {part.name}{where}")

    def _may_begin(self, name: str, needs: Needs) -> bool:
        if not self._looked or not self._ready.issuperset(needs.applications):
            return False
        missing = needs.parts & self._faults.reasons.keys()
        if not missing or (not needs.certain and not self._early()):
            return True
        if not self._early():
            self._say_once(name, f"application {name} waits for {', '.join(sorted(missing)[:3])}")
        return False

    def _show_gateways(self) -> None:
        """Report where gateways are, once."""
        if self._shown:
            return
        self._shown = True
        hosting = [child for child in self.children.values() if child.part.gateways]
        self._say(f"gateways: {len(self.federation.gateways)} in {len(hosting)} processes")
        for child in hosting:
            if child.is_announced:
                url, example = child.started["http"], child.part.gateways[0]
                self._say(f"  {child.part.name}: {url}/gateways/<gateway>/v1, e.g. {example}")

    def _links(self) -> dict[str, str]:
        """Return where the adapters of each gateway dial in: at every replica, once all listen."""
        found: dict[str, list[str]] = {}
        silent: set[str] = set()
        for child in self.children.values():
            for name in child.part.gateways:
                if child.is_announced:
                    found.setdefault(name, []).append(str(child.started["link"]))
                else:
                    silent.add(name)
        return {name: ",".join(links) for name, links in found.items() if name not in silent}

    def _publish_endpoints(self, child: Child) -> None:
        for name in child.part.gateways if child.is_announced else ():
            point = {
                "url": f"{child.started['http']}/gateways/{quote(name, safe='')}",
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
        content = {
            "http": self._front.url,
            "gateways": self.endpoints,
            "processes": processes,
        }
        fresh = path.with_suffix(".new")
        fresh.write_text(json.dumps(content, indent=1) + "\n", "utf-8")
        fresh.replace(path)

    async def _watch(self, child: Child) -> None:
        pause_s = FIRST_PAUSE_S
        while True:
            status = await child.wait()
            if self._stopping:
                return
            if child.part.ends_run:
                if status != 0:
                    self._failed = f"{child.part.name} ended with status {status}; see {child.log}"
                self._stop.set()
                return
            if status == BAD_INPUT and not child.ever_announced:
                self._hopeless.add(child.part.name)
            pause_s = await self._restart(child, status, pause_s)

    async def _restart(self, child: Child, status: int, pause_s: float) -> float:
        part = child.part
        names = part.gateways or part.adapters or (part.name,)
        self._outages.began(names, status)
        steady = time.time() - child.started_us / 1e6 > STEADY_S
        text = f"{part.name} ended with status {status}; it is started again; see {child.log}"
        if steady or child.ever_announced:
            self._say(text)
            pause_s = FIRST_PAUSE_S if steady else pause_s
        else:
            self._say_once(part.name, text)
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
                self._say_once(
                    name, f"broker {name} ended with status {status}; it is started again"
                )
                since_us = time.time_ns() // 1000
                if await asyncio.to_thread(self._brokers.revive, name):
                    self._told.discard(name)
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
            for service in gateway.adapters if name in self.endpoints else ():
                if meant(adapter_id(name, service), service):
                    found.setdefault(str(self.endpoints[name]["url"]), set()).add(service)
        return found

    def _watch_over(self, watching: Coroutine[Any, Any, None], name: str) -> None:
        task = asyncio.create_task(watching, name=name)
        self._watchers.add(task)
        task.add_done_callback(self._watched)

    def _watched(self, task: asyncio.Task[None]) -> None:
        self._watchers.discard(task)
        error = None if task.cancelled() else task.exception()
        if isinstance(error, AdapterError):
            self._failed = str(error)
        elif error is not None:
            self._failed = f"{task.get_name()} is watched no more: {error!r}"
        if error is not None:
            self._stop.set()

    def _readiness(self, part: Part) -> str:
        """Return the address that tells whether a part is ready; "" where it has none."""
        if part.gateways:
            return f"{self.children[part.name].started['http']}/readyz"
        return part.ready

    async def _end(self) -> None:
        """Stop everything; what fails on the way, or cannot be told, keeps nothing from ending."""
        self._stopping = True
        for watcher in self._watchers:  # before the parts, so that none is started again
            watcher.cancel()
        await asyncio.gather(*self._watchers, return_exceptions=True)
        await self._stop_children()
        await asyncio.gather(
            asyncio.to_thread(self._brokers.stop), self._front.stop(), return_exceptions=True
        )
        try:
            self._outages.close()
        except OSError as error:
            self._say(f"outages.jsonl is not whole: {error.strerror or error}")
        self._say("stopped")

    async def _stop_children(self) -> None:
        """Stop applications, then gateways, then those who observe what gateways withdraw."""
        children = list(self.children.values())
        last = [child for child in children if child.part.ends_last]
        gateways = [child for child in children if child.part.gateways]
        applications = [each for each in children if each not in last and each not in gateways]
        await _stop_all(applications)
        if last:
            await asyncio.sleep(SETTLE_S)
            self._note_moment("gateways stop")
        await _stop_all(gateways)
        await _stop_all(last)

    def _note_moment(self, moment: str) -> None:
        """Note when something was done to the run, for whoever judges what was seen then."""
        line = {"v": 1, "wall_us": time.time_ns() // 1000, "moment": moment}
        try:
            with (self._options.run / MOMENTS).open("a", encoding="utf-8") as file:
                file.write(json.dumps(line) + "\n")
        except OSError as error:
            self._say(f"{MOMENTS} is not whole: {error.strerror or error}")

    def _say_once(self, about: str, text: str) -> None:
        if about not in self._told:
            self._told.add(about)
            self._say(text)

    def _say(self, text: str) -> None:
        try:
            self._out.write(f"fes run: {text}\n")
            self._out.flush()
        except (OSError, ValueError, OutputClosedError):
            self._ask_to_end(signal.SIGPIPE)


async def _stop_all(children: Iterable[Child]) -> None:
    await asyncio.gather(*(child.stop() for child in children), return_exceptions=True)


async def _first_of(*works: Coroutine[Any, Any, Any] | asyncio.Task[Any]) -> None:
    """Return when the first is done; the others are cancelled, and have ended."""
    tasks = [asyncio.ensure_future(each) for each in works]
    try:
        await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
    finally:
        for task in tasks:
            if not task.done():
                task.cancel()
        await asyncio.gather(*(task for task in tasks if not task.done()), return_exceptions=True)
