"""The processes of a run: each is started, watched, and started again where it ends."""

import asyncio
import time
from collections.abc import Callable, Iterable

from fes.errors import AdapterError
from fes.federation.model import Federation
from fes.running.outages import Outages
from fes.running.plan import Part
from fes.running.process import Child
from fes.running.readiness import POLL_S, answers, proved
from fes.running.supervision.console import Console
from fes.running.supervision.endpoints import Endpoints
from fes.running.supervision.options import RunOptions
from fes.running.supervision.tasks import Tasks

FIRST_PAUSE_S, MOST_PAUSE_S = 0.2, 5.0
STEADY_S = 10.0
ANNOUNCED_S = 60.0
"""How long to wait for a process of gateways to report where it listens, before waiting again."""

BAD_INPUT = 2
"""Exit status of a part for which another start would not help."""


class Children:
    """Keeps the processes of a run alive.

    Args:
        federation: The file, resolved.
        options: Options of the run.
        console: Prints lines for people.
        tasks: Run the watches over the processes.
        endpoints: Where gateways listen.
        outages: Records when a part was away.

    Attributes:
        all: Processes by the name of the part.
        hopeless: Parts for which another start would not help.
        slowest_s: The longest time that a process of gateways needed until it listened.
        stopping: Whether the run ends, so that no process is started again.
        on_end: Called when a part that ends the run ends, with the reason why the run failed, or
            "".
    """

    def __init__(
        self,
        federation: Federation,
        options: RunOptions,
        console: Console,
        tasks: Tasks,
        endpoints: Endpoints,
        outages: Outages,
    ) -> None:
        self.all: dict[str, Child] = {}
        self.hopeless: set[str] = set()
        self.slowest_s = 0.0
        self.stopping = False
        self.on_end: Callable[[str], None] = lambda _: None
        self._federation = federation
        self._logs = options.run / "logs"
        self._console = console
        self._tasks = tasks
        self._endpoints = endpoints
        self._outages = outages

    async def begin(self, part: Part) -> None:
        """Start a part.

        Raises:
            AdapterError: Its program cannot be started.
        """
        child = Child(part, self._logs)
        self.all[part.name] = child
        try:
            await child.start()
        except OSError as error:  # e.g. no such program
            raise AdapterError(
                f"{part.name} cannot be started: {part.command[0]}: {error.strerror or error}"
            ) from error
        self._publish(child)
        self._tasks.begin(self._watch(child), part.name)
        if part.gateways:
            self._tasks.begin(self._introduce(child), part.name)

    def readiness(self, part: Part) -> str:
        """Return the address that states whether a part is ready; "" where it has none."""
        if part.gateways:
            return f"{self.all[part.name].started['http']}/readyz"
        return part.ready

    async def stop(self, children: Iterable[Child]) -> None:
        """Stop some processes."""
        await asyncio.gather(*(child.stop() for child in children), return_exceptions=True)

    async def _introduce(self, child: Child) -> None:
        """Write down where a process of gateways listens, once it has reported that."""
        while not child.is_announced:
            await child.announced(ANNOUNCED_S)
            await asyncio.sleep(0 if child.is_announced else POLL_S)
        self.slowest_s = max(self.slowest_s, time.time() - child.started_us / 1e6)
        self._publish(child)

    def _publish(self, child: Child) -> None:
        self._endpoints.publish(child, self.all)

    async def _watch(self, child: Child) -> None:
        pause_s = FIRST_PAUSE_S
        while True:
            status = await child.wait()
            if self.stopping:
                return
            if child.part.ends_run:
                ended = f"{child.part.name} ended with status {status}; see {child.log}"
                self.on_end(ended if status != 0 else "")
                return
            if status == BAD_INPUT and not child.ever_announced:
                self.hopeless.add(child.part.name)
            pause_s = await self._restart(child, status, pause_s)

    async def _restart(self, child: Child, status: int, pause_s: float) -> float:
        part = child.part
        names = part.gateways or part.adapters or (part.name,)
        self._outages.began(names, status)
        steady = time.time() - child.started_us / 1e6 > STEADY_S
        text = f"{part.name} ended with status {status}; it is started again; see {child.log}"
        if steady or child.ever_announced:
            self._console.say(text)
            pause_s = FIRST_PAUSE_S if steady else pause_s
        else:
            self._console.say_once(part.name, text)
        await asyncio.sleep(pause_s)
        await child.start()
        if await self._is_back(child):
            self._outages.ended(names)
        return min(MOST_PAUSE_S, pause_s * 2)

    async def _is_back(self, child: Child) -> bool:
        """Wait until a part works again; return False where its process ended before."""
        part, since_us = child.part, child.started_us

        def lives() -> bool:
            return child.pid is not None

        if part.gateways and not await child.announced(ANNOUNCED_S):
            return False
        self._publish(child)
        if part.adapters:
            own = self._endpoints.services(self._federation, lambda name, _: name in part.adapters)
            return await proved(own, since_us, lives)
        url = self.readiness(part)
        return not url or not await answers(url, lives)
