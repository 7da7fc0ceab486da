"""Runs a federation on this machine: brokers, gateways, separate adapters, applications.

What can work is started and continues; what is not ready is reported and tried again. A part that
ends unexpectedly is started again, with growing pauses; its outages are noted in `outages.jsonl`.
The run ends when an application with `ends_run` ends, on Ctrl-C, SIGTERM or SIGHUP, and when nobody
reads its output any more; then everything stops in order: applications, adapters, gateways,
brokers.
"""

import asyncio
import json
import signal
from pathlib import Path
from typing import TextIO

from serving.clocks import wall_us
from serving.ending import on_ending
from serving.files import write_whole
from serving.output import CLOSED

from fes.errors import AdapterError
from fes.federation.file.dump import dump, resolved
from fes.federation.model import Federation, adapter_id
from fes.running.brokers import EmbeddedBrokers
from fes.running.faults import Faults, one_line
from fes.running.front import Front
from fes.running.outages import Outages
from fes.running.plan import (
    Apart,
    adapter_parts,
    application_parts,
    gateway_parts,
    placeholders,
)
from fes.running.readiness import POLL_S, until
from fes.running.supervision.applications import Applications
from fes.running.supervision.beginning import TraceStart
from fes.running.supervision.broker_watch import BrokerWatch
from fes.running.supervision.children import Children
from fes.running.supervision.console import Console
from fes.running.supervision.endpoints import Endpoints, links_of
from fes.running.supervision.getting_ready import GettingReady
from fes.running.supervision.options import RunOptions
from fes.running.supervision.tasks import Tasks, first_of

SETTLE_S = 2.0
"""How long observers continue once the applications have ended, to see what gateways withdraw."""
MOMENTS = "moments.jsonl"
"""File of the run with the moments at which its parts were stopped."""
INTERRUPTED = 130


class Supervisor:
    """Runs a federation until it ends.

    Args:
        federation: The file, checked.
        options: Options of the run.
        out: Receives the output.
    """

    def __init__(self, federation: Federation, options: RunOptions, out: TextIO) -> None:
        self._options = options
        self._apart = Apart.of(federation, options.own, options.replicas)
        self._brokers = EmbeddedBrokers(federation, options.run / "brokers")
        self.federation = resolved(federation, wall_us(), self._brokers.urls)
        self._console = console = Console(out, lambda: self._ask_to_end(signal.SIGPIPE))
        self._tasks = tasks = Tasks(self._fail)
        self._faults = Faults(console.say)
        self._endpoints = endpoints = Endpoints(options.run)
        self._outages = outages = Outages(options.run / "outages.jsonl")
        self._front = Front(self.federation, endpoints.gateways, self._faults)
        self._children = children = Children(
            self.federation, options, console, tasks, endpoints, outages
        )
        children.on_end = self._part_ended
        self._broker_watch = BrokerWatch(
            self.federation, self._brokers, console, tasks, endpoints, outages
        )
        self._ready = GettingReady(self.federation, options, console, children, self._faults)
        self._applications = Applications(
            self.federation, federation, options, console, children, self._ready, self._faults
        )
        self._applications.before = self._show_gateways
        self._stop, self._asked = asyncio.Event(), asyncio.Event()
        self._asked_by: signal.Signals | None = None
        self._shown = False
        self._failed = ""

    async def run(self) -> int:
        """Run until the run ends.

        Returns:
            0 where it ended normally; 1 where nothing can work, or an application that ends the run
            failed; 130 where it was interrupted; 141 where nobody reads its output any more.
        """
        on_ending(self._ask_to_end)
        try:
            if await self._started():
                await self._stop.wait()
            if self._asked_by is None and not self._failed:
                await first_of(asyncio.sleep(self._options.quiet_s), self._asked.wait())
        except AdapterError as error:
            self._failed = str(error)
        finally:
            await self._end()
        if self._asked_by is signal.SIGPIPE:
            return CLOSED
        if self._failed:
            self._console.say(f"failed: {one_line(self._failed, 1000)}")
            return 1
        return INTERRUPTED if self._asked_by is not None else 0

    def _ask_to_end(self, number: signal.Signals) -> None:
        self._asked_by = self._asked_by or number
        self._asked.set()
        self._stop.set()

    def _part_ended(self, why: str) -> None:
        self._failed = why or self._failed
        self._stop.set()

    def _fail(self, why: str) -> None:
        self._failed = why
        self._stop.set()

    async def _started(self) -> bool:
        """Start everything; return False where the run is to end meanwhile."""
        starting = asyncio.create_task(self._start(), name="start")
        await first_of(starting, self._stop.wait())
        if starting.done() and not starting.cancelled():
            starting.result()
            return True
        return False

    async def _start(self) -> None:
        run, base = self._options.run, self._options.base
        values = placeholders(self.federation, run, base)
        application_parts(self.federation, values)  # an invalid command is reported now
        file = run / "federation.yaml"
        write_whole(file, dump(self.federation))
        trace = TraceStart(self.federation, run)
        gateways = gateway_parts(self.federation, self._apart, file, base, run, trace.path)
        await self._open_front()
        await self._broker_watch.start()
        await asyncio.gather(*(self._children.begin(part) for part in gateways))
        self._tasks.begin(self._broker_watch.run(), "brokers")
        self._tasks.begin(self._begin_adapters(file, trace.path), "adapters")
        for name in self.federation.applications:
            self._tasks.begin(self._applications.run(name, values, trace), name)
        await self._ready.run(gateways)
        self._show_gateways()
        await until(lambda: self._applications.ready.issuperset(self.federation.applications))

    async def _open_front(self) -> None:
        try:
            await self._front.start()
        except OSError as error:
            where = f"{self._front.host}:{self._front.port}"
            raise AdapterError(
                f"http: cannot listen at {where}: {error.strerror or error};"
                " write another port under `http` in the file, 0 for a free one"
            ) from error
        self._endpoints.http = self._front.url
        self._console.say(f"interface: {self._front.url}/gateways/<gateway>/v1")

    async def _begin_adapters(self, file: Path, clock: Path) -> None:
        """Start the separate adapters, each when every process of its gateway listens."""
        base, run = self._options.base, self._options.run
        waiting = {
            name
            for name, gateway in self.federation.gateways.items()
            if any(adapter_id(name, service) in self._apart.own for service in gateway.adapters)
        }
        while waiting:
            listening = links_of(self._children.all.values())
            links = {name: link for name, link in listening.items() if name in waiting}
            for part in adapter_parts(self.federation, self._apart, links, file, base, run, clock):
                await self._children.begin(part)
            waiting -= links.keys()
            await asyncio.sleep(POLL_S)

    def _show_gateways(self) -> None:
        """Print where gateways listen, once."""
        if self._shown:
            return
        self._shown = True
        hosting = [child for child in self._children.all.values() if child.part.gateways]
        count = len(self.federation.gateways)
        self._console.say(f"gateways: {count} in {len(hosting)} processes")
        for child in hosting:
            if child.is_announced:
                url = f"{child.started['http']}/gateways/<gateway>/v1"
                self._console.say(f"  {child.part.name}: {url}, e.g. {child.part.gateways[0]}")

    async def _end(self) -> None:
        """Stop everything; a failure meanwhile does not keep the rest from ending."""
        self._children.stopping = True
        await self._tasks.stop()  # before the parts, so that none is started again
        await self._stop_children()
        await asyncio.gather(
            asyncio.to_thread(self._brokers.stop), self._front.stop(), return_exceptions=True
        )
        try:
            self._outages.close()
        except OSError as error:
            self._console.say(f"outages.jsonl is not whole: {error.strerror or error}")
        self._console.say("stopped")

    async def _stop_children(self) -> None:
        """Stop applications, then gateways, then observers of what gateways withdraw."""
        children = list(self._children.all.values())
        last = [child for child in children if child.part.ends_last]
        gateways = [child for child in children if child.part.gateways]
        applications = [each for each in children if each not in last and each not in gateways]
        await self._children.stop(applications)
        if last:
            await asyncio.sleep(SETTLE_S)
            self._note_moment("gateways stop")
        await self._children.stop(gateways)
        await self._children.stop(last)

    def _note_moment(self, moment: str) -> None:
        """Note when something was done to the run, for the judge."""
        line = {"v": 1, "wall_us": wall_us(), "moment": moment}
        try:
            with (self._options.run / MOMENTS).open("a", encoding="utf-8") as file:
                file.write(json.dumps(line) + "\n")
        except OSError as error:
            self._console.say(f"{MOMENTS} is not whole: {error.strerror or error}")
