"""The gateway core: decides what becomes of every request and event; sans-IO.

No sockets, no clock, no tasks, no randomness: time comes as an argument, and equal inputs produce
equal outputs. The caller commits the mutations and then performs the outputs.

Source:
    FES thesis, section 5.9.3 (`forward`), made exact in design, section 6.
"""

from collections.abc import Mapping
from dataclasses import replace
from types import MappingProxyType

import msgspec

from fes.control import ControlEvent, RequestType, Signal
from fes.control.signal import Acknowledgement, Ask, Hello, Rollout, Table
from fes.errors import ControlEventError, EventError, FesError
from fes.gateway.admission import Admission
from fes.gateway.delivery import Delivery
from fes.gateway.guidance.guidance import Guidance
from fes.gateway.guidance.guiding import Guiding
from fes.gateway.inputs import (
    ChangeScopes,
    Guided,
    Inject,
    Input,
    LinkDown,
    LinkUp,
    Ready,
    Tick,
    read_control,
)
from fes.gateway.numbering import Numbering
from fes.gateway.outputs import Decided, DropRow, ForLeader, Mutation, Output, PutRow
from fes.gateway.own_clock import CLOCK, NOTES, OwnClock
from fes.gateway.peers.gossip import Gossip
from fes.gateway.replication import Forwarded, Inbox, Role, Tail, is_request, read_forwarded
from fes.gateway.requests.confinement import Confinement
from fes.gateway.requests.desired import Applied, DesiredState
from fes.gateway.requests.outcomes import Step
from fes.gateway.requests.registry import RequestRegistry
from fes.gateway.requests.validation import as_observed
from fes.gateway.restore import Sound, sound, within
from fes.gateway.scopes.administration import ScopeAdministration
from fes.gateway.scopes.changes import ScopeChanges
from fes.gateway.scopes.managed import ManagedScopes
from fes.gateway.settings import GatewaySettings, Instant
from fes.gateway.turn import Turn
from fes.link.messages import Confirmed, Done, Heard, HeardControl, Taken
from fes.recent import Recent

NOTHING: Mapping[str, bytes] = MappingProxyType({})
"""The state of a gateway that starts for the first time."""

_recent: Recent[ControlEvent | Signal] = Recent()
"""Control events decoded last: every gateway at an event service receives the same ones, so that in
one process only the first decodes them."""

Result = tuple[list[Mutation], list[Output]]
"""Mutations to commit, then outputs to perform."""


class GatewayCore:
    """Routes requests and events between the adapters of one gateway.

    Args:
        settings: What the federation file specifies for this gateway.
        state: What the journal kept, by key.
        after: Numbers of subscriptions and announcements begin above it, and above those that the
            journal reserved. It is not a time.
        role: Whether it is the only process of its gateway, the replica that leads, or one that
            follows.
    """

    def __init__(
        self,
        settings: GatewaySettings,
        state: Mapping[str, bytes] = NOTHING,
        after: int = 0,
        role: Role = Role.ALONE,
    ) -> None:
        settings = replace(settings, scopes=settings.scopes.copy())  # it changes while this runs
        self.settings = settings
        self.role = role
        self._inbox = Inbox()
        self._numbers = Numbering(after)
        self._clock = OwnClock()
        self._up: dict[str, None] = {}
        self._desired = {name: DesiredState(self._numbers.next) for name in settings.adapters}
        confinement = Confinement(settings.scopes)
        guidance = Guidance(settings.guidance, confinement.row)
        confine = guidance.row if settings.guidance.on else confinement.row
        self._registry = RequestRegistry(settings, self._desired, self._up, confinement, confine)
        self.gossip = Gossip(settings, self._registry, self._up, after, speaks=self.leads)
        self._scopes = ScopeChanges(settings, self._registry, self.gossip)
        scopes = ManagedScopes(
            settings,
            self._registry.confinement,
            self._registry.table.asked,
            self._scopes,
            lambda: self.leads,
        )
        self.delivery = Delivery(
            settings, self._desired, self.gossip, self._up, self._numbers.next, scopes
        )
        self.guiding = Guiding(guidance, self._registry, self.delivery.withdraw)
        self._scopes.on_ending = self.delivery.end_scope
        self._admission = Admission(settings, self._registry, self.delivery)
        self.table = self._registry.table
        self.outcomes = self._registry.outcomes
        self._unrepaired: Sound | None = None
        self._restore(state)

    def handle(self, message: Input, now: Instant, service: str = "") -> Result:
        """Process one input.

        Args:
            message: The input.
            now: The moment.
            service: Event service whose adapter it comes from; "" for the API and the clock.

        Returns:
            Mutations to commit, then outputs to perform, both in order.
        """
        turn = self._turn(now)
        self._repair(turn)
        self._take(message, service, turn)
        if self.role is Role.ALONE and self._numbers.last > self._numbers.reserved:
            turn.mutations.append(self._numbers.reserve())
        self.outcomes.note(turn.outputs, now.wall_us)
        return turn.mutations, turn.outputs

    def follow(self, tail: Tail, now: Instant) -> Result:
        """Process what other replicas committed.

        Args:
            tail: What they committed since the journal was read last.
            now: The moment.

        Returns:
            As `handle`.
        """
        turn = self._turn(now)
        read = sound(tail.changes)
        turn.outputs += read.aside
        tail = Tail(tail.whole, read.rows)
        for key, value in tail.reserved.items():
            self.delivery.reserved_elsewhere(key, value)
        if self.leads:
            self._open(tail.changes, turn)
        else:
            self._registry.follow(tail.rows, None if tail.whole else tail.gone, turn)
            self._scopes.restore(tail.changes)
            self.gossip.adopt(tail.roster())
            self.gossip.presence.review()
        return turn.mutations, turn.outputs

    def lead(self, state: Mapping[str, bytes], now: Instant, after: int) -> Result:
        """Lead from now on: decide about requests, keep custody, send hellos for the gateway.

        Args:
            state: The content of the journal; no other replica appends to it as leader any more.
            now: The moment.
            after: Larger than any number that a leader before this one assigned.

        Returns:
            As `handle`.
        """
        self._clock.restore(state.get(CLOCK))
        turn = Turn(now, self._clock.read(now))
        self._clock.behind_us = 0  # another replica's wall clock noted it, and this one ran
        self.role = Role.LEADING
        read = self._unrepaired = within(sound(state), self.settings)
        self._repair(turn)
        state = read.state
        self._registry.versions.recall(state)
        self._registry.follow({key: state[key] for key in state if is_request(key)}, None, turn)
        self._scopes.restore(state)
        self.delivery.restore(state)
        self._numbers.restore(state)
        self._numbers.begin_above(max(after, self.delivery.custody.highest()))
        self.gossip.speak(after, state)
        self.gossip.touch.pass_time(turn.own_us)
        self._open(state, turn)
        self._attend(turn)
        for service in self._up:
            self.gossip.say_at(service, turn)
        self.delivery.transfer.resume(turn)
        return turn.mutations, turn.outputs

    def step_down(self) -> None:
        """Stop leading: what was accepted and is not committed yet is void."""
        self.role = Role.FOLLOWING
        self.delivery.succession.clear()

    def links(self) -> tuple[str, ...]:
        """Return the event services whose link is up."""
        return tuple(self._up)

    def applied(self, service: str) -> tuple[Applied, ...]:
        """Return what is applied at an attached event service, oldest first."""
        return tuple(self._desired[service])

    def find(self, service: str, kind: RequestType, what: str) -> Applied | None:
        """Return what is applied at an attached event service for a filter or a subject."""
        return self._desired[service].find(kind, what)

    @property
    def scopes(self) -> ScopeAdministration:
        """Who changed the scopes, and which gateway manages them."""
        return self._scopes.administration

    @property
    def leads(self) -> bool:
        """Whether it decides about requests: it is alone, or the replica that leads."""
        return self.role is not Role.FOLLOWING

    def _turn(self, now: Instant) -> Turn:
        turn = Turn(now, self._clock.read(now))
        self.gossip.touch.pass_time(turn.own_us)
        if self._clock.behind_us > self.settings.horizon_us // NOTES:
            self.gossip.touch.doubt()
        self._clock.behind_us = 0
        return turn

    def _take(self, message: Input, service: str, turn: Turn) -> None:
        match message:
            case Heard():
                self._heard(message, service, turn)
            case HeardControl():
                self._heard_control(message, service, turn)
            case Confirmed():
                self.delivery.confirmed(message, service, turn)
            case Inject():
                self._inject(message.request, turn)
            case ChangeScopes():
                self._scopes.order(message.change, turn)
            case _:
                self._happened(message, service, turn)

    def _happened(self, message: Input, service: str, turn: Turn) -> None:
        match message:
            case Done():
                self._registry.done(message, service, turn)
                if message.error and not message.withdrawn:
                    self.delivery.announcements.failed(service, message.number, turn)
            case Tick():
                self._tick(turn)
            case Guided():
                self.guiding.accept(message, turn)
            case LinkUp():
                self._link_up(service, message, turn)
            case LinkDown():
                self._up.pop(service, None)
                self.delivery.succession.forget(service)
                self.gossip.presence.link(service)
                self._attend(turn)
            case Ready():
                self.gossip.presence.ready(service, ready=message.ready)
                self._attend(turn)

    def _restore(self, state: Mapping[str, bytes]) -> None:
        read = within(sound(state), self.settings)
        if self.leads and (read.repairs or read.aside):
            self._unrepaired = read
        state = read.state
        self._numbers.restore(state)
        self._scopes.restore(state)
        self._registry.restore(state)
        self._clock.restore(state.get(CLOCK))
        self.gossip.restore(state)
        if self.leads:
            self.delivery.restore(state)
        self._numbers.begin_above(self.delivery.custody.highest())

    def _repair(self, turn: Turn) -> None:
        """Write into the journal what was corrected in it, and report what was set aside."""
        if self._unrepaired is not None:
            turn.mutations += self._unrepaired.repairs
            turn.outputs += self._unrepaired.aside
            self._unrepaired = None

    def _tick(self, turn: Turn) -> None:
        if self.leads:
            self._expire(turn)
            noted = self._clock.note(self.settings.horizon_us // NOTES)
            if noted is not None:
                turn.mutations.append(PutRow(CLOCK, noted))
        self._scopes.tick(turn)
        self.gossip.tick(turn)
        if self.role is Role.LEADING:
            self.gossip.keep(turn)
        self.guiding.tick(turn)
        self.delivery.tick(turn)

    def _expire(self, turn: Turn) -> None:
        self._registry.expire(turn, doubtful=self.gossip.touch.doubtful)

    def _heard(self, heard: Heard, service: str, turn: Turn) -> None:
        if self.leads or not (heard.persistent or heard.token):
            self.delivery.heard(heard, service, turn)
        elif heard.token:
            turn.order(service, Taken(heard.token, taken=False))
        else:
            reason = "is for the replica that leads"
            name = str(heard.stamp.identity)
            turn.decide(Decided("dropped", name, subject=heard.subject, reason=reason))

    def _inject(self, request: ControlEvent, turn: Turn) -> None:
        if self.leads:
            self._admission.take(request, "", turn)
        elif self._admission.is_sound(request, "", turn):
            self.outcomes.add(request.id, Step("forwarded", "", "to the leader", turn.now.wall_us))
            turn.outputs.append(ForLeader(Forwarded.of(request)))

    def _open(self, changes: Mapping[str, bytes | None], turn: Turn) -> None:
        """Process the forwarded requests among what other replicas committed."""
        for key, value in self._inbox.opened(changes):
            turn.mutations.append(DropRow(key))
            try:
                forwarded = read_forwarded(value)
                read = forwarded.read()
                if forwarded.matched and isinstance(read, Inject):
                    self.delivery.forwarded(read.request, forwarded.matched, turn)
                else:
                    self._take(read, forwarded.service, turn)
            except (msgspec.DecodeError, FesError) as error:
                turn.decide(Decided("refused", reason=f"forwarded request of a replica: {error}"))

    def _heard_control(self, heard: HeardControl, service: str, turn: Turn) -> None:
        try:
            control = _recent.of(
                heard.body,
                (heard.stamp, self.settings.system),
                lambda: read_control(heard, self.settings.system),
            )
            if not isinstance(control, ControlEvent):
                self._signal(control, service, turn)
                return
            if heard.observed:
                control = as_observed(control, service, self.settings.adapters[service].id)
            mine = self.leads or self._admission.is_shared(control)
        except (ControlEventError, EventError) as error:
            name = str(heard.stamp.identity) if heard.stamp else ""
            turn.decide(Decided("refused", request=name, from_=service, reason=str(error)))
            return
        if control.next_gateway not in ("", self.settings.id):
            return
        if mine:
            self._admission.take(control, "" if heard.observed else service, turn)
        elif not control.row:  # the gateway that transfers custody sends its row again
            turn.outputs.append(ForLeader(Forwarded(service, heard)))

    def _signal(self, signal: Signal, service: str, turn: Turn) -> None:
        if not self.settings.adapters[service].accept or signal.gateway == self.settings.id:
            return
        self.gossip.received(signal.gateway, turn)
        match signal:
            case Hello():
                newcomer = self.gossip.hear(signal, service, turn)
                if self.leads:
                    self._scopes.compare(signal, service, turn)
                if newcomer:
                    self.delivery.transfer.rewind(service)
                self._attend(turn)
                if newcomer:
                    self.delivery.transfer.resume(turn)
            case Acknowledgement():
                self.delivery.transfer.acknowledged(signal, turn)
            case Ask() if self.leads:
                self.gossip.table_sync.asked(signal, service, turn)
            case Table():
                self.gossip.told(signal, service, turn)
                self._attend(turn)
            case Rollout() if self.leads:
                self._scopes.received(signal, service, turn)

    def _link_up(self, service: str, link: LinkUp, turn: Turn) -> None:
        if self.leads:
            self._expire(turn)  # a lease may have ended while this gateway was away
        self._up[service] = None
        whole = self._desired[service].whole()
        fabricated = self.delivery.announcements.live(service)
        announcements = whole.announcements + fabricated
        turn.order(service, msgspec.structs.replace(whole, announcements=announcements))
        self.gossip.presence.link(service)
        self.gossip.review(turn)
        self.delivery.link_up(service, link, turn)

    def _attend(self, turn: Turn) -> None:
        """Publish where this gateway is; where routes changed, send what is in custody."""
        if self.gossip.review(turn):
            self.delivery.transfer.resume(turn)
