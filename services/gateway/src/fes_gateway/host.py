"""A gateway at work: the sans-IO core with its journal, its links and its log.

What the core decides is committed before it is performed. Commits run in a thread of their own;
what needs no commit does not wait for one.
"""

import logging
from collections.abc import Callable, Mapping
from concurrent.futures import Executor
from types import MappingProxyType

import msgspec
from eventservices.stamp import Stamper
from fes.control import ControlEvent
from fes.eventlog import Decision, Record
from fes.eventlog.schema import VERSION
from fes.eventlog.writer import Log
from fes.federation.clock import FederationClock
from fes.gateway import GatewayCore, GatewaySettings
from fes.gateway.inputs import Inject, Input, LinkDown, LinkUp, Ready, Tick
from fes.gateway.outcomes import Step
from fes.gateway.outputs import Decided, Mutation, Output, ToAdapter
from fes.link.end import LinkEnd, Message
from fes.link.lanes import is_event
from fes.link.messages import Confirmed, Counted, Done, Heard, HeardControl, Taken
from fes.model import Stamp

from fes_gateway.clock import instant, wall_us
from fes_gateway.committing import Committing
from fes_gateway.counters import Counters
from fes_gateway.store import Journal

STATIC = "static"
"""Requester of the requests that stand in the federation's file."""

_log = logging.getLogger(__name__)

_CHANGING = (Inject, HeardControl, Tick)
"""What may change the request table."""

_DECIDED = (Heard, HeardControl, Done, Confirmed)
"""What the core decides about."""

STOPPING_S = 5.0
"""How long a gateway that stops waits for its journal."""

REASON = 500
"""Most characters of a reason that another process gave cause for."""

NO_CAPABILITIES: Mapping[str, object] = MappingProxyType({})
"""Of an adapter that says nothing of its event service."""

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
    told_ready: bool = True
    up: LinkUp = LinkUp()


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
        self._log = log
        self._ends: dict[str, LinkEnd] = {}
        self._behind: dict[str, None] = {}
        self._stamper = Stamper(f"{settings.id}/api", settings.id)
        self.committing = Committing(
            settings.id, journal, executor, self._perform, self._tell_whole, self.counters
        )

    async def start(self) -> None:
        """Restore what the journal kept."""
        state = await self.committing.start()
        self.core = GatewayCore(self.settings, state, after=wall_us())
        self._write(Decided(Decision.STARTED))

    async def stop(self) -> None:
        """Finish what waits for the journal and close it; harmless twice."""
        if await self.committing.stop(STOPPING_S):
            self._write(Decided(Decision.STOPPED))

    @property
    def store_error(self) -> str:
        """Why the journal cannot be written; empty where it can."""
        return self.committing.error

    def attach(
        self, service: str, end: LinkEnd, capabilities: Mapping[str, object] = NO_CAPABILITIES
    ) -> None:
        """Use a link to the adapter of an event service; it gets the whole desired state.

        Args:
            service: Event service identifier.
            end: The gateway's end of the link.
            capabilities: What the adapter says of its event service, as in `Hello`.
        """
        state = self.adapters[service]
        self._ends[service] = end
        state.linked, state.ready, state.reason = True, False, "no round trip yet"
        state.links += 1
        state.told_ready = True
        state.up = LinkUp(
            persistent=capabilities.get("persistent") is True,
            suppresses=capabilities.get("suppresses") is not False,
        )
        mutations, outputs = self._decide(state.up, service)
        if mutations:
            self.committing.put(mutations, outputs)
        elif self.committing.uncommitted:
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
                self._count(message, service)

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
        if self.committing.behind() >= COMMITS and _may_wait(message):
            self._refuse_change(message, service)
            return
        mutations, outputs = self._decide(message, service)
        if mutations or self.committing.must_wait(outputs):
            self.committing.put(mutations, outputs)
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

    def _count(self, counted: Counted, service: str) -> None:
        state = self.adapters[service]
        state.ready, state.reason = counted.ready, counted.reason
        state.counters = counted.counters
        state.proved_us = wall_us() if counted.ready else state.proved_us
        if state.told_ready != counted.ready:
            state.told_ready = counted.ready
            self.handle(Ready(counted.ready), service)

    def _decide(self, message: Input, service: str) -> tuple[list[Mutation], list[Output]]:
        return self.core.handle(message, instant(self.clock), service)

    def _refuse_change(self, message: Input, service: str) -> None:
        """Refuse what the journal cannot take, before the core knows of it."""
        self.committing.error = "too many requests wait for the journal"
        self._write(Decided("refused", from_=service, reason="journal queue full"))
        if isinstance(message, Heard) and message.token:
            self._perform([ToAdapter(service, Taken(message.token, taken=False))])
        if isinstance(message, Inject):
            step = Step("refused", "", self.store_error, wall_us())
            self.core.outcomes.add(message.request.id, step)

    def _tell_whole(self) -> None:
        """Give adapters that miss orders the whole desired state, once it is committed."""
        if self.committing.uncommitted:
            return
        behind, self._behind = self._behind, {}
        for service in behind:
            self.handle(self.adapters[service].up, service)

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


def _may_wait(message: Input) -> bool:
    """Tell whether a message may change what is in the journal, and so would wait for it."""
    return isinstance(message, _CHANGING) or (isinstance(message, Heard) and message.persistent)
