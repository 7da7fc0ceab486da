"""A running gateway: the sans-IO core with its journal, its links and its log.

A decision of the core is committed before it is performed. Commits run in a thread of their own;
what needs no commit does not wait for one.
"""

import asyncio
import logging
from collections.abc import Callable, Mapping
from concurrent.futures import Executor
from types import MappingProxyType

import msgspec
from eventservices.stamp import Stamper
from fes.control import ControlEvent
from fes.errors import StoreError
from fes.eventlog import Decision
from fes.eventlog.writer import Log
from fes.federation.clock import TimeTeller
from fes.federation.scopes.change import Change
from fes.gateway import GatewayCore, GatewaySettings
from fes.gateway.inputs import ChangeScopes, Inject, LinkDown, Ready, Tick
from fes.gateway.outputs import Decided, ToAdapter
from fes.gateway.replication import Tail
from fes.link.end import LinkEnd, Message
from fes.link.messages import Confirmed, Counted, Done, Heard, HeardControl, Taken
from fes.link.messages import View as ToldView
from fes.model import Stamp

from fes_gateway.adapters import Adapters
from fes_gateway.clock import instant
from fes_gateway.committing import Committing
from fes_gateway.deciding.decider import Decider
from fes_gateway.deciding.performing import Performing
from fes_gateway.deciding.refusals import refused_requests
from fes_gateway.decisions import Others
from fes_gateway.recording import Counters, Recorder
from fes_gateway.replicas.replica import Replica
from fes_gateway.store import Journal

_log = logging.getLogger(__name__)

_DECIDED = (Heard, HeardControl, Done, Confirmed)
"""Messages that are inputs of the core."""

STOPPING_S = 5.0
"""How long a stopping gateway waits for its journal."""

NO_CAPABILITIES: Mapping[str, object] = MappingProxyType({})
"""Capabilities of an adapter that reports none."""


class GatewayHost:
    """Runs one gateway.

    Args:
        settings: What the federation file specifies for it.
        journal: Its journal.
        executor: One thread that the journal is used from.
        log: The event log.
        clock: The federation clock.
        replica: Name of this replica, where the gateway has several; "" where it has none.

    Attributes:
        failure: Why it no longer works: a task that it needs has ended, and its process has to be
            started again; empty while it works.
        on_failed: Called when it fails.
        tick_error: Why the last tick failed; empty where it did not.
    """

    def __init__(
        self,
        settings: GatewaySettings,
        journal: Journal,
        executor: Executor,
        log: Log,
        clock: TimeTeller,
        replica: str = "",
    ) -> None:
        self.settings = settings
        self.clock = clock
        self.counters = Counters()
        self.failure = ""
        self.tick_error = ""
        self._linked = Adapters(settings)
        self.adapters = self._linked.states
        self._recorder = Recorder(settings, log, clock, self.counters, replica)
        origin = f"{settings.id}/{replica}/api" if replica else f"{settings.id}/api"
        self._stamper = Stamper(origin, settings.id)
        self._performing = Performing(self._linked, self._recorder, self.counters)
        self.committing = Committing(
            settings.id,
            journal,
            executor,
            self._performing.perform,
            self._tell_whole,
            self.counters,
        )
        self._decider = Decider(settings, clock, self.committing, self._performing, self._recorder)
        self.handle = self._decider.handle
        self.committing.on_failed = self.fail
        self.replica: Replica | None = None
        self.on_lead: Callable[[], None] = lambda: None
        self.on_failed: Callable[[], None] = lambda: None
        if replica:
            self.replica = Replica(replica, self, self.committing, journal)
            self._decider.replica = self.replica
            self._performing.forward = self.replica.forward
            self.committing.others = Others(
                self.replica.follow, self._performing.abandon, self.replica.rested
            )

    async def start(self) -> None:
        """Restore what the journal kept."""
        state = await self.committing.start()
        if self.replica is None:
            self._decider.begin(state)
        else:
            self.follow(state)
            await self.replica.start(state)
        self._recorder.write(Decided(Decision.STARTED))

    async def stop(self) -> None:
        """Finish what waits for the journal and close it; idempotent."""
        if self.replica is not None:
            await self.replica.stop()
        if await self.committing.stop(STOPPING_S):
            self._recorder.write(Decided(Decision.STOPPED))

    def fail(self, reason: str) -> None:
        """Stop working: send no heartbeat to other replicas, and end the process.

        Args:
            reason: Why.
        """
        self.failure = self.failure or reason
        self.counters.add("task_failed")
        self._performing.refuse("gateway failed", what=reason)
        if self.replica is not None:
            self.replica.kill()
        self.committing.kill()
        self.on_failed()

    @property
    def core(self) -> GatewayCore:
        """The core; a new one where the gateway begins again."""
        return self._decider.core

    @property
    def store_error(self) -> str:
        """Why the journal cannot be written; empty where it can."""
        return self.committing.error

    def attach(
        self, service: str, end: LinkEnd, capabilities: Mapping[str, object] = NO_CAPABILITIES
    ) -> None:
        """Use a link to the adapter of an event service, and send it the whole desired state.

        Args:
            service: Event service identifier.
            end: The gateway's end of the link.
            capabilities: What the adapter declares about its event service, as in `Hello`.
        """
        up = self._linked.attach(service, end, capabilities)
        view = self._view()
        if view is not None:
            end.send(view)
        mutations, outputs = self._decider.decide(up, service)
        if mutations:
            self._decider.put(mutations, outputs)
        elif self.committing.uncommitted:
            self._linked.fall_behind(service)
        else:
            self._performing.perform(outputs)

    def detach(self, service: str, reason: str) -> None:
        """Forget the link to the adapter of an event service."""
        self._linked.detach(service, reason)
        self.handle(LinkDown(), service)

    def receiver(self, service: str) -> Callable[[Message], None]:
        """Return the function that accepts the messages of an event service's adapter."""

        def receive(message: Message) -> None:
            if isinstance(message, _DECIDED):
                self.handle(message, service)
            elif isinstance(message, Counted) and self._linked.count(message, service):
                self.handle(Ready(message.ready), service)

        return receive

    def displaced(self, message: Message) -> None:
        """Count a message to an adapter that was dropped for a more urgent one.

        A row in custody is sent again, since it is not confirmed.
        """
        del message
        self.counters.add("dropped", "link queue full")

    def inject(self, request: ControlEvent) -> str:
        """Accept a request from the API, the command line or the file.

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

    def change_scopes(self, change: Change) -> int:
        """Change the scopes of the federation; return the number of the change.

        Raises:
            ScopeError: The scopes do not admit it.
        """
        self.core.scopes.check(change)
        self.handle(ChangeScopes(change))
        return self.core.scopes.generation

    async def is_settled(self, within_s: float) -> bool:
        """Return whether all that was injected so far is committed, or void.

        Args:
            within_s: Longest wait for the journal.
        """
        if not self.committing.uncommitted:
            return True
        try:
            async with asyncio.timeout(within_s):
                await self.committing.settled()
        except (TimeoutError, StoreError):
            return False
        return True

    def refuse(self, service: str, reason: str, token: int = 0) -> None:
        """Count and log a message that the adapter of an event service may not send.

        Args:
            service: Event service identifier.
            reason: Why it is refused.
            token: Identifies an event that its service keeps, and that will never be valid; 0 for
                none.
        """
        self._performing.refuse(reason, service=service)
        if token:
            self._performing.perform([ToAdapter(service, Taken(token))])

    def refuse_link(self, reason: str) -> None:
        """Count and log a link that was refused, or ended for a message."""
        self._performing.refuse("link", what=reason)

    def tick(self) -> None:
        """Process a tick: leases end, and withdrawals past their time are deleted."""
        self.handle(Tick())
        self.committing.pass_time()
        self._tell_whole()

    @property
    def is_behind(self) -> bool:
        """Whether another tick has to follow at once, since one delivers only so many events."""
        return self.core.delivery.is_behind(instant(self.clock).time_us)

    def followed(self, tail: Tail) -> None:
        """Process what other replicas committed."""
        self._decider.followed(tail)

    def viewed(self) -> None:
        """Send the adapters the view of the replicas."""
        view = self._view()
        if view is not None:
            self._linked.tell(view)

    def lead(self, state: dict[str, bytes], after: int) -> None:
        """Lead from now on.

        Args:
            state: The content of the journal.
            after: Numbers begin above it.
        """
        self._decider.lead(state, after)
        self.on_lead()

    def step_down(self) -> None:
        """Stop deciding what is for the leader; `follow` comes next."""
        self.core.step_down()

    def follow(self, state: dict[str, bytes]) -> None:
        """Begin again as a follower.

        Args:
            state: The content of the journal.
        """
        self._decider.begin_following(state)
        for adapter in self._linked.linked():
            self.handle(adapter.up, adapter.service)

    @property
    def bytes(self) -> dict[str, int]:
        """Bytes that this gateway's tables account for, by name; see `memory`."""
        delivery = self.core.delivery
        return {
            "requests": self.core.table.bytes,
            "custody": delivery.custody.bytes,
            "waiting": delivery.waiting_bytes,
            "announced": delivery.announcements.bytes,
            "journal": self.committing.waiting_bytes,
        }

    @property
    def ready(self) -> bool:
        """Whether every adapter proved a round trip recently and the journal can be written."""
        works = not (self.failure or self.store_error or self.tick_error)
        return works and all(state.ready for state in self.adapters.values())

    @property
    def linked(self) -> bool:
        """Whether every adapter is linked."""
        return all(state.linked for state in self.adapters.values())

    def is_everywhere(self, row: str) -> bool:
        """Return whether every replica that lives has a row of the request table, by its name."""
        return self.replica is None or self.replica.is_everywhere(row)

    @property
    def faults(self) -> dict[str, str]:
        """Reasons by part that keep the gateway from being ready."""
        faults = {
            state.id: state.reason or "not ready"
            for state in self.adapters.values()
            if not state.ready
        }
        faults |= refused_requests(self.core)
        told = {"journal": self.store_error, "gateway": self.failure, "time": self.tick_error}
        return {**faults, **{part: reason for part, reason in told.items() if reason}}

    def link_counters(self) -> dict[str, dict[str, int]]:
        """Return the counters of each link that is up, by event service."""
        return self._linked.counters()

    def _view(self) -> ToldView | None:
        if self.replica is None or self.replica.membership.view is None:
            return None
        view = self.replica.membership.view
        return ToldView(view.number, self.replica.name, view.leader, view.members)

    def _tell_whole(self) -> None:
        """Send adapters that miss orders the whole desired state, once it is committed."""
        if self.committing.uncommitted:
            return
        for adapter in self._linked.catch_up():
            self.handle(adapter.up, adapter.service)
