"""Runs the core: what it changed is committed, and then what it ordered is performed."""

from collections.abc import Callable
from functools import partial
from typing import Protocol

from fes.federation.clock import TimeTeller
from fes.gateway import GatewayCore, GatewaySettings
from fes.gateway.inputs import Inject, Input, Tick
from fes.gateway.outputs import Decided, Mutation, Output, PutRow
from fes.gateway.replication import Role, Tail
from fes.gateway.requests.outcomes import Step
from fes.link.messages import Heard, HeardControl
from serving.clocks import wall_us

from fes_gateway.clock import instant
from fes_gateway.committing import Committing
from fes_gateway.deciding.performing import Performing
from fes_gateway.recording import Recorder

_CHANGING = (Inject, HeardControl, Tick)
"""Inputs that may change the request table."""

VOID = "void: another replica led before it was committed"
"""Why a request is void that was accepted by a replica that no longer leads."""

COMMITS = 10_000
COMMITS_BYTES = 4 * 1024 * 1024
"""Most requests that wait for the journal, and their most bytes; further ones are refused."""


class Member(Protocol):
    """One of several replicas of a gateway, as far as commits concern it."""

    def holder(self) -> Callable[[], bool]:
        """Return a function that returns whether a decision made now may still be committed."""

    def committed(self, mutations: list[Mutation]) -> None:
        """Note what this replica committed."""


class Decider:
    """Sends inputs to the core, and has what it decides committed and performed.

    Args:
        settings: Of the gateway.
        clock: The federation clock.
        committing: Commits what the core changed.
        performing: Performs what the core ordered.
        recorder: Counts and logs decisions.

    Attributes:
        core: The core; a new one where the gateway begins again.
        replica: This replica, where there are several; None where the gateway is alone.
    """

    def __init__(
        self,
        settings: GatewaySettings,
        clock: TimeTeller,
        committing: Committing,
        performing: Performing,
        recorder: Recorder,
    ) -> None:
        self.core = GatewayCore(settings)
        self.replica: Member | None = None
        self._settings = settings
        self._clock = clock
        self._committing = committing
        self._performing = performing
        self._recorder = recorder

    def begin(self, state: dict[str, bytes]) -> None:
        """Begin with what the journal kept, as a gateway without replicas."""
        self.core = GatewayCore(self._settings, state, after=wall_us())

    def begin_following(self, state: dict[str, bytes]) -> None:
        """Begin again as a follower: what was decided and not committed is void."""
        outcomes = self.core.outcomes
        self.core = GatewayCore(self._settings, state, wall_us(), Role.FOLLOWING)
        for request, step in outcomes:  # this replica still reports their outcomes
            self.core.outcomes.add(request, step)

    def handle(self, message: Input, service: str = "") -> None:
        """Process an input.

        Let the core decide, commit what it changed, then perform its orders.
        """
        if self._is_behind and _may_wait(message):
            self._refuse_change(message, service)
            return
        request = message.request.id if isinstance(message, Inject) else ""
        self._do(*self.decide(message, service), request)

    def decide(self, message: Input, service: str) -> tuple[list[Mutation], list[Output]]:
        """Let the core decide; return what is to be committed, and then performed."""
        return self.core.handle(message, instant(self._clock), service)

    def followed(self, tail: Tail) -> None:
        """Accept what other replicas committed."""
        self._do(*self.core.follow(tail, instant(self._clock)))

    def lead(self, state: dict[str, bytes], after: int) -> None:
        """Lead from now on; see `GatewayCore.lead`."""
        self._do(*self.core.lead(state, instant(self._clock), after))

    def put(self, mutations: list[Mutation], outputs: list[Output], request: str = "") -> None:
        """Queue a decision to be committed, and then performed."""
        replica = self.replica
        if replica is None:
            self._committing.put(mutations, outputs)
            return
        then = partial(replica.committed, mutations)
        void = partial(self._void, request)
        self._committing.put(mutations, outputs, replica.holder(), then, void)

    def _do(self, mutations: list[Mutation], outputs: list[Output], request: str = "") -> None:
        if self.replica is None and mutations and all(map(_may_come_later, mutations)):
            self._committing.later(mutations)
            mutations = []
        if mutations or self._committing.must_wait(outputs):
            self.put(mutations, outputs, request)
        else:
            self._performing.perform(outputs)

    def _void(self, request: str) -> None:
        """Record as the outcome of a request that it was not committed."""
        if request:
            self.core.outcomes.add(request, Step("refused", "", VOID, wall_us()))
            self._recorder.write(Decided("refused", request=request, reason=VOID))

    @property
    def _is_behind(self) -> bool:
        committing = self._committing
        return committing.behind() >= COMMITS or committing.waiting_bytes >= COMMITS_BYTES

    def _refuse_change(self, message: Input, service: str) -> None:
        """Refuse what the journal has no room for, before the core processes it."""
        committing = self._committing
        committing.error = "too many requests wait for the journal"
        self._performing.refuse("journal queue full", service=service)
        if isinstance(message, Heard) and message.token:
            self._performing.give_back(service, message.token)
        if isinstance(message, Inject):
            step = Step("refused", "", committing.error, wall_us())
            self.core.outcomes.add(message.request.id, step)


def _may_come_later(mutation: Mutation) -> bool:
    return isinstance(mutation, PutRow) and not mutation.soon


def _may_wait(message: Input) -> bool:
    """Return whether a message may change the journal, and so would wait for it."""
    return isinstance(message, _CHANGING) or (isinstance(message, Heard) and message.persistent)
