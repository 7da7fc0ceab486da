"""The gateway core: decides what becomes of every request and event; sans-IO.

No sockets, no clock, no tasks, no randomness: time comes as an argument, and equal inputs give
equal outputs. The caller commits the mutations and then performs the outputs.

Source:
    FES thesis, section 5.9.3 (`forward`), made exact in design, section 6.
"""

from collections.abc import Iterable

import msgspec

from fes.control import ControlEvent, RequestType, from_event
from fes.distribution import matches
from fes.errors import ControlEventError, EventError
from fes.gateway.announcing import Announcing
from fes.gateway.desired import Applied, DesiredState
from fes.gateway.inputs import Inject, Input, LinkDown, LinkUp, Tick
from fes.gateway.outcomes import Step
from fes.gateway.outputs import Decided, Mutation, Output
from fes.gateway.publication import Passing, Router, of_event
from fes.gateway.requests import check_entry, patterns_of
from fes.gateway.settings import GatewaySettings, Instant
from fes.gateway.standing import Standing, of_request
from fes.gateway.turn import Turn
from fes.link.messages import Done, Heard, HeardControl
from fes.model import attributes, binary, is_reserved

Result = tuple[list[Mutation], list[Output]]
"""Mutations to commit, then outputs to perform."""


class GatewayCore:
    """Routes requests and events between the adapters of one gateway.

    Args:
        settings: What the federation's file says of this gateway.
        rows: Rows of the request table that the journal gave back, as MessagePack.
        after: Numbers of subscriptions and announcements begin above it. An adapter that outlives
            its gateway still tells numbers of the gateway before: they must mean nothing now.
    """

    def __init__(
        self, settings: GatewaySettings, rows: Iterable[bytes] = (), after: int = 0
    ) -> None:
        self.settings = settings
        self._number = after
        self._up: dict[str, None] = {}
        self._desired = {name: DesiredState(self._next_number) for name in settings.adapters}
        self._standing = Standing(settings, self._desired, self._up)
        self._announcing = Announcing(self._desired, self._next_number, settings.announcement_us)
        self._router = Router(settings, self._up, self._announcing)
        self.table = self._standing.table
        self.outcomes = self._standing.outcomes
        self._standing.restore(rows)

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
                self._heard(message, service, turn)
            case HeardControl():
                self._heard_control(message, service, turn)
            case Done():
                self._standing.done(message, service, turn)
                if message.error and not message.withdrawn:
                    self._announcing.failed(service, message.number, turn)
            case Inject():
                self._enter(message.request, "", turn)
            case Tick():
                self._standing.expire(turn)
                self._announcing.expire(now.wall_us, turn)
            case LinkUp():
                self._link_up(service, turn)
            case LinkDown():
                self._up.pop(service, None)
        return turn.mutations, turn.outputs

    def links(self) -> tuple[str, ...]:
        """Return the event services whose link is up."""
        return tuple(self._up)

    def applied(self, service: str) -> tuple[Applied, ...]:
        """Return what is applied at an attached event service, oldest first."""
        return tuple(self._desired[service])

    def _next_number(self) -> int:
        self._number += 1
        return self._number

    def _heard(self, heard: Heard, service: str, turn: Turn) -> None:
        sources = self._desired[service].sources(heard.matched)
        names = tuple([name for name in sources if name not in (service, heard.stamp.home)])
        event = Passing(
            str(heard.stamp.identity),
            heard.stamp,
            heard.subject,
            heard.body,
            heard.expires_us,
            heard.persistent,
            service,
            heard.via if heard.via[-1:] == (service,) else (*heard.via, service),
        )
        if not names:
            turn.decide(of_event("dropped", event, reason="no subscription"))
            return
        if is_reserved(heard.subject):
            turn.decide(of_event("refused", event, reason="reserved subject"))
            return
        turn.decide(of_event("matched", event, to=",".join(names)))
        try:
            self._router.route(event, names, turn)
        except EventError as error:
            turn.decide(of_event("refused", event, reason=f"body: {error}"))

    def _heard_control(self, heard: HeardControl, service: str, turn: Turn) -> None:
        try:
            control = from_event(binary.decode(heard.body), heard.stamp)
        except (ControlEventError, EventError) as error:
            name = str(heard.stamp.identity) if heard.stamp else ""
            turn.decide(Decided("refused", request=name, from_=service, reason=str(error)))
            return
        if control.next_gateway in ("", self.settings.id):
            self._enter(control, service, turn)

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
        if control.event is None:
            raise ControlEventError("parameter 'Event' is missing")
        names = tuple(
            name
            for name in self.settings.services
            if name != control.source and any(matches(pattern, name) for pattern in patterns)
        )
        if not names:
            raise ControlEventError("parameter 'DistList': names no event service")
        event = Passing(
            control.id,
            control.stamp,
            control.event.subject,
            binary.encode(control.event),
            attributes.expires_us(control.event, control.stamp.time_us),
            attributes.is_persistent(control.event),
            arrived or control.source,
            control.via or (control.source,),
            control.path,
        )
        step = Step("accepted", arrived, ",".join(names), turn.now.wall_us)
        self.outcomes.add(control.id, step)
        self._router.route(event, names, turn)

    def _link_up(self, service: str, turn: Turn) -> None:
        self._up[service] = None
        whole = self._desired[service].whole()
        fabricated = self._announcing.live(service)
        announcements = whole.announcements + fabricated
        turn.order(service, msgspec.structs.replace(whole, announcements=announcements))
