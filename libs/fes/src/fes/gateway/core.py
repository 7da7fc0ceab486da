"""The gateway core: decides what becomes of every request and event; sans-IO.

No sockets, no clock, no tasks, no randomness: time comes as an argument, and equal inputs give
equal outputs. The caller commits the mutations and then performs the outputs.

Source:
    FES thesis, section 5.9.3 (`forward`), made exact in design, section 6.
"""

from collections.abc import Mapping
from types import MappingProxyType

import msgspec

from fes.control import (
    ControlEvent,
    RequestType,
    Signal,
    from_event,
    is_signal,
    read_signal,
)
from fes.control.signal import Acknowledgement, Ask, Hello, Table
from fes.errors import ControlEventError, EventError
from fes.gateway.delivery import Delivery
from fes.gateway.desired import Applied, DesiredState
from fes.gateway.gossip import CONTACT, Gossip
from fes.gateway.inputs import Inject, Input, LinkDown, LinkUp, Ready, Tick
from fes.gateway.outcomes import Step
from fes.gateway.outputs import Decided, Mutation, Output
from fes.gateway.requests import as_observed, check_entry, patterns_of
from fes.gateway.settings import GatewaySettings, Instant
from fes.gateway.standing import Standing, of_request
from fes.gateway.turn import Turn
from fes.link.messages import Confirmed, Done, Heard, HeardControl
from fes.model import binary

NOTHING: Mapping[str, bytes] = MappingProxyType({})
"""The state of a gateway that starts for the first time."""

Result = tuple[list[Mutation], list[Output]]
"""Mutations to commit, then outputs to perform."""


class GatewayCore:
    """Routes requests and events between the adapters of one gateway.

    Args:
        settings: What the federation's file says of this gateway.
        state: What the journal gave back, by key.
        after: Start of this gateway, larger than that of any before. Numbers of subscriptions and
            announcements begin above it: an adapter that outlives its gateway still tells numbers
            of the gateway before, and they must mean nothing now.
    """

    def __init__(
        self, settings: GatewaySettings, state: Mapping[str, bytes] = NOTHING, after: int = 0
    ) -> None:
        self.settings = settings
        self._number = after
        self._up: dict[str, None] = {}
        self._desired = {name: DesiredState(self._next_number) for name in settings.adapters}
        self._standing = Standing(settings, self._desired, self._up)
        self.gossip = Gossip(settings, self._standing, self._up, after)
        self.delivery = Delivery(settings, self._desired, self.gossip, self._up, self._next_number)
        self.table = self._standing.table
        self.outcomes = self._standing.outcomes
        self._restore(state)

    def handle(self, message: Input, now: Instant, service: str = "") -> Result:
        """Take one input.

        Args:
            message: The input.
            now: The moment.
            service: Event service whose adapter it comes from; "" for the API and the clock.

        Returns:
            Mutations to commit, then outputs to perform, both in order.
        """
        turn = Turn(now)
        match message:
            case Heard():
                self.delivery.heard(message, service, turn)
            case HeardControl():
                self._heard_control(message, service, turn)
            case Confirmed():
                self.delivery.confirmed(message, service, turn)
            case Inject():
                self._enter(message.request, "", turn)
            case _:
                self._happened(message, service, turn)
        return turn.mutations, turn.outputs

    def links(self) -> tuple[str, ...]:
        """Return the event services whose link is up."""
        return tuple(self._up)

    def applied(self, service: str) -> tuple[Applied, ...]:
        """Return what is applied at an attached event service, oldest first."""
        return tuple(self._desired[service])

    def _happened(self, message: Input, service: str, turn: Turn) -> None:
        match message:
            case Done():
                self._standing.done(message, service, turn)
                if message.error and not message.withdrawn:
                    self.delivery.announcing.failed(service, message.number, turn)
            case Tick():
                self._standing.expire(turn)
                self.gossip.tick(turn)
                self.delivery.tick(turn)
            case LinkUp():
                self._link_up(service, message, turn)
            case LinkDown():
                self._up.pop(service, None)
                self.gossip.presence.link(service)
                self._attend(turn)
            case Ready():
                self.gossip.presence.ready(service, ready=message.ready)
                self._attend(turn)

    def _restore(self, state: Mapping[str, bytes]) -> None:
        self._standing.restore(state)
        self.gossip.restore(state.get(CONTACT))
        self.delivery.restore(state)
        self._number = max(self._number, self.delivery.custody.highest())

    def _next_number(self) -> int:
        self._number += 1
        return self._number

    def _heard_control(self, heard: HeardControl, service: str, turn: Turn) -> None:
        try:
            event = binary.decode(heard.body)
            if is_signal(event):
                self._signal(read_signal(event, self.settings.system), service, turn)
                return
            control = from_event(event, heard.stamp)
            if heard.observed:
                control = as_observed(control, service)
        except (ControlEventError, EventError) as error:
            name = str(heard.stamp.identity) if heard.stamp else ""
            turn.decide(Decided("refused", request=name, from_=service, reason=str(error)))
            return
        if control.next_gateway in ("", self.settings.id):
            self._enter(control, "" if heard.observed else service, turn)

    def _signal(self, signal: Signal, service: str, turn: Turn) -> None:
        if not self.settings.adapters[service].accept or signal.gateway == self.settings.id:
            return
        match signal:
            case Hello():
                newcomer = self.gossip.hear(signal, service, turn)
                self._attend(turn)
                if newcomer:
                    self.delivery.carrying.resume(turn, service)
            case Acknowledgement():
                self.delivery.carrying.acknowledged(signal, turn)
            case Ask():
                self.gossip.exchange.asked(signal, service, turn)
            case Table():
                self.gossip.told(signal, service, turn)
                self._attend(turn)

    def _enter(self, control: ControlEvent, arrived: str, turn: Turn) -> None:
        try:
            check_entry(control, self.settings, arrived)
            patterns = patterns_of(control, self.settings)
            if control.type is RequestType.PUBLICATION:
                self._publication(control, patterns, arrived, turn)
            else:
                self._standing.take(control, patterns, arrived, turn)
        except (ControlEventError, EventError) as error:
            self.outcomes.add(control.id, Step("refused", arrived, str(error), turn.now.wall_us))
            turn.decide(of_request("refused", control, arrived, reason=str(error)))

    def _publication(
        self, control: ControlEvent, patterns: tuple[str, ...], arrived: str, turn: Turn
    ) -> None:
        names = self.delivery.publication(control, patterns, arrived, turn)
        step = Step("accepted", arrived, ",".join(names), turn.now.wall_us)
        self.outcomes.add(control.id, step)

    def _link_up(self, service: str, link: LinkUp, turn: Turn) -> None:
        self._up[service] = None
        whole = self._desired[service].whole()
        fabricated = self.delivery.announcing.live(service)
        announcements = whole.announcements + fabricated
        turn.order(service, msgspec.structs.replace(whole, announcements=announcements))
        self.gossip.presence.link(service)
        self.gossip.review(turn)
        self.delivery.link_up(service, link, turn)

    def _attend(self, turn: Turn) -> None:
        """Say where this gateway is now; what is in custody goes on by the ways that follow."""
        if self.gossip.review(turn):
            self.delivery.carrying.resume(turn)
