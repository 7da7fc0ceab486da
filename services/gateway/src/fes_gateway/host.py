"""A gateway at work: the sans-IO core with its journal, its links and its log.

What the core decides is committed before it is performed. Commits run in a thread of their own;
what needs no commit does not wait for one.
"""

import asyncio
import contextlib
import logging
from collections.abc import Callable, Sequence
from concurrent.futures import Executor

import msgspec
from eventservices.stamp import Stamper
from fes.control import ControlEvent
from fes.eventlog import Decision, Record
from fes.eventlog.schema import VERSION
from fes.eventlog.writer import Log
from fes.federation.clock import FederationClock
from fes.gateway import GatewayCore, GatewaySettings
from fes.gateway.inputs import Inject, Input, LinkDown, LinkUp, Tick
from fes.gateway.outcomes import Step
from fes.gateway.outputs import Decided, DropRow, Mutation, Output, PutRow
from fes.link.end import LinkEnd, Message
from fes.link.lanes import is_event
from fes.link.messages import Counted, Done, Heard, HeardControl
from fes.model import Stamp

from fes_gateway.clock import instant, wall_us
from fes_gateway.counters import Counters
from fes_gateway.store import Entry, Journal, fold

STATIC = "static"
"""Requester of the requests that stand in the federation's file."""

_log = logging.getLogger(__name__)

_CHANGING = (Inject, HeardControl, Tick)
"""What may change the request table."""

_DECIDED = (Heard, HeardControl, Done)
"""What the core decides about."""

REASON = 500
"""Most characters of a reason that another process gave cause for."""

COMMITS = 10_000
"""Most requests that wait for the journal; above it requests are refused."""


class AdapterState(msgspec.Struct):
    """What a gateway knows of one of its adapters."""

    id: str
    service: str
    linked: bool = False
    ready: bool = False
    reason: str = "never linked"
    proved_us: int = 0
    counters: dict[str, int] = {}
    links: int = 0


class GatewayHost:
    """Runs one gateway.

    Args:
        settings: What the federation's file says of it.
        journal: Its journal.
        executor: One thread that the journal is used from.
        log: The event log.
        clock: The federation clock.
    """

    def __init__(
        self,
        settings: GatewaySettings,
        journal: Journal,
        executor: Executor,
        log: Log,
        clock: FederationClock,
    ) -> None:
        self.settings = settings
        self.clock = clock
        self.counters = Counters()
        self.adapters = {
            name: AdapterState(adapter.id, name) for name, adapter in settings.adapters.items()
        }
        self.core = GatewayCore(settings)
        self.store_error = ""
        self._journal = journal
        self._executor = executor
        self._log = log
        self._ends: dict[str, LinkEnd] = {}
        self._behind: dict[str, None] = {}
        self._uncommitted = 0
        self._sequence = 0
        self._stamper = Stamper(f"{settings.id}/api", settings.id)
        self._commits: asyncio.Queue[tuple[list[Mutation], list[Output]]] = asyncio.Queue(COMMITS)
        self._committer: asyncio.Task[None] | None = None

    async def start(self) -> None:
        """Restore the request table from the journal."""
        loop = asyncio.get_running_loop()
        rows, self._sequence = await loop.run_in_executor(self._executor, self._restore)
        self.core = GatewayCore(self.settings, rows, after=wall_us())
        self._committer = asyncio.create_task(self._commit(), name=f"{self.settings.id} commit")
        self._write(Decided(Decision.STARTED))

    async def stop(self) -> None:
        """Finish what waits for the journal and close it; harmless twice."""
        if self._committer is None:
            return
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(5):
                await self._commits.join()
        self._committer.cancel()
        await asyncio.gather(self._committer, return_exceptions=True)
        self._committer = None
        await asyncio.get_running_loop().run_in_executor(self._executor, self._journal.close)
        self._write(Decided(Decision.STOPPED))

    def attach(self, service: str, end: LinkEnd) -> None:
        """Use a link to the adapter of an event service; it gets the whole desired state."""
        state = self.adapters[service]
        self._ends[service] = end
        state.linked, state.ready, state.reason = True, False, "no round trip yet"
        state.links += 1
        _, outputs = self._decide(LinkUp(), service)
        if self._uncommitted:
            self._behind[service] = None
        else:
            self._perform(outputs)

    def detach(self, service: str, reason: str) -> None:
        """Forget the link to the adapter of an event service."""
        state = self.adapters[service]
        self._ends.pop(service, None)
        self._behind.pop(service, None)
        state.linked, state.ready, state.reason = False, False, reason
        self.handle(LinkDown(), service)

    def receiver(self, service: str) -> Callable[[Message], None]:
        """Return what takes the messages of the adapter of an event service."""

        def receive(message: Message) -> None:
            if isinstance(message, _DECIDED):
                self.handle(message, service)
            elif isinstance(message, Counted):
                state = self.adapters[service]
                state.ready, state.reason = message.ready, message.reason
                state.counters = message.counters
                state.proved_us = wall_us() if message.ready else state.proved_us

        return receive

    def inject(self, request: ControlEvent) -> str:
        """Take a request from the API, the command line or the file.

        Args:
            request: Its stamp is replaced by one of the gateway's own.

        Returns:
            The request id.
        """
        native = self._stamper.next(instant(self.clock).time_us)
        stamp = Stamp(
            native.origin, native.epoch, native.sequence, native.time_us, request.source or "?"
        )
        stamped = msgspec.structs.replace(request, stamp=stamp)
        self.handle(Inject(stamped))
        return stamped.id

    def refuse(self, service: str, reason: str) -> None:
        """Count and log what the adapter of an event service may not say."""
        self._write(Decided("refused", from_=service, reason=reason[:REASON]))

    def refuse_link(self, reason: str) -> None:
        """Count and log a link that was refused, or ended for what it said."""
        self._write(Decided("refused", reason="link", what=reason[:REASON]))

    def tick(self) -> None:
        """Let time pass: leases are checked, forgotten rows are purged."""
        self.handle(Tick())
        self._tell_whole()

    def handle(self, message: Input, service: str = "") -> None:
        """Have the core decide, commit what it changed, then perform what it ordered."""
        if self._commits.full() and isinstance(message, _CHANGING):
            self._refuse_change(message, service)
            return
        mutations, outputs = self._decide(message, service)
        if mutations:
            self._uncommitted += 1
            self._commits.put_nowait((mutations, outputs))
        else:
            self._perform(outputs)

    @property
    def ready(self) -> bool:
        """Whether every adapter proved a round trip lately and the journal can be written."""
        return not self.store_error and all(state.ready for state in self.adapters.values())

    @property
    def faults(self) -> dict[str, str]:
        """What keeps the gateway from being ready: part to reason."""
        faults = {
            state.id: state.reason or "not ready"
            for state in self.adapters.values()
            if not state.ready
        }
        return {**faults, "journal": self.store_error} if self.store_error else faults

    def link_counters(self) -> dict[str, dict[str, int]]:
        """Return the counters of each link that is up, by event service."""
        return {service: end.counters for service, end in self._ends.items()}

    def _decide(self, message: Input, service: str) -> tuple[list[Mutation], list[Output]]:
        return self.core.handle(message, instant(self.clock), service)

    def _refuse_change(self, message: Input, service: str) -> None:
        """Refuse what the journal cannot take, before the core knows of it."""
        self.store_error = "too many requests wait for the journal"
        self._write(Decided("refused", from_=service, reason="journal queue full"))
        if isinstance(message, Inject):
            step = Step("refused", "", self.store_error, wall_us())
            self.core.outcomes.add(message.request.id, step)

    def _tell_whole(self) -> None:
        """Give adapters that miss orders the whole desired state, once it is committed."""
        if self._uncommitted:
            return
        behind, self._behind = self._behind, {}
        for service in behind:
            self._perform(self._decide(LinkUp(), service)[1])

    def _restore(self) -> tuple[list[bytes], int]:
        state = fold(entry for _, entry in self._journal.read())
        return list(state.values()), self._journal.sequence()

    async def _commit(self) -> None:
        loop = asyncio.get_running_loop()
        while True:
            waiting = [await self._commits.get()]
            while not self._commits.empty():
                waiting.append(self._commits.get_nowait())
            batch = [_entry(mutation) for mutations, _ in waiting for mutation in mutations]
            await self._append(loop, batch)
            for _, outputs in waiting:
                self._perform_committed(outputs)
            self._tell_whole()

    def _perform_committed(self, outputs: list[Output]) -> None:
        try:
            self._perform(outputs)
        except Exception:  # noqa: BLE001 - what was committed behind it is to be performed
            _log.exception("performing_failed", extra={"gateway": self.settings.id})
            self.counters.add("perform_failed")
        self._uncommitted -= 1
        self._commits.task_done()

    async def _append(self, loop: asyncio.AbstractEventLoop, batch: Sequence[Entry]) -> None:
        delay_s = 0.1
        while True:
            try:
                self._sequence = await loop.run_in_executor(
                    self._executor, self._journal.append, batch, self._sequence
                )
            except Exception as error:  # noqa: BLE001 - nothing is performed uncommitted
                _log.warning("journal_failed", extra={"gateway": self.settings.id}, exc_info=error)
                self.store_error = str(error) or repr(error)
                self.counters.add("store_failed")
                await asyncio.sleep(delay_s)
                delay_s = min(5.0, delay_s * 2)
            else:
                self.store_error = ""
                return

    def _perform(self, outputs: list[Output]) -> None:
        for output in outputs:
            if isinstance(output, Decided):
                self._write(output)
                continue
            end = self._ends.get(output.service)
            if end is None or not end.send(output.order):
                self.counters.add("dropped", "link queue full" if end else "link down")
                if end is not None and not is_event(output.order):
                    self._behind[output.service] = None

    def _write(self, decided: Decided) -> None:
        self.counters.add(decided.decision, decided.reason, decided.type)
        if not self._log.wants(decided.id):
            return
        now_us = wall_us()
        self._log.write(
            Record(
                decision=Decision(decided.decision),
                wall_us=now_us,
                time_us=self.clock.time_us(now_us),
                system=self.settings.system,
                component="gateway",
                name=self.settings.id,
                id=decided.id,
                event_time_us=decided.event_time_us,
                subject=decided.subject,
                home=decided.home,
                from_=decided.from_,
                to=decided.to,
                path=decided.path,
                request=decided.request,
                type=decided.type,
                reason=decided.reason,
                what=decided.what,
                v=VERSION,
            )
        )


def _entry(mutation: Mutation) -> Entry:
    match mutation:
        case PutRow(key, value):
            return Entry(key, value)
        case DropRow(key):
            return Entry(key, None)
