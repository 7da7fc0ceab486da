"""The gateway core: decides what becomes of every request and event; sans-IO.

No sockets, no clock, no tasks, no randomness: time comes as an argument, and equal inputs give
equal outputs. The caller commits the mutations and then performs the outputs.

Source:
    FES thesis, section 5.9.3 (`forward`), made exact in design, section 6.
"""

from collections.abc import Iterable

import msgspec

from fes.control import ControlEvent, RequestType, from_event, to_event
from fes.distribution import matches
from fes.errors import ControlEventError, EventError
from fes.gateway.announcing import Announcing
from fes.gateway.desired import Applied, DesiredState
from fes.gateway.inputs import Inject, Input, LinkDown, LinkUp, Tick
from fes.gateway.outcomes import Outcomes, Step
from fes.gateway.outputs import Decided, DropRow, Mutation, Output, PutRow, ToAdapter
from fes.gateway.publication import Passing, Router
from fes.gateway.requests import check_entry, patterns_of, rows_of
from fes.gateway.settings import GatewaySettings, Instant
from fes.gateway.table import Changes, RequestTable, Row
from fes.link.messages import Done, Heard, HeardControl, PublishControl
from fes.model import attributes, binary

Result = tuple[list[Mutation], list[Output]]
"""Mutations to commit, then outputs to perform."""

_row_encoder = msgspec.msgpack.Encoder()
_row_decoder = msgspec.msgpack.Decoder(Row)


class GatewayCore:
    """Routes requests and events between the adapters of one gateway.

    Args:
        settings: What the federation's file says of this gateway.
        rows: Rows of the request table that the journal gave back, as MessagePack.
    """

    def __init__(self, settings: GatewaySettings, rows: Iterable[bytes] = ()) -> None:
        self.settings = settings
        self.table = RequestTable(settings.horizon_us)
        self.outcomes = Outcomes()
        self.desired = {name: DesiredState(self._next_number) for name in settings.adapters}
        self._number = 0
        self._up: dict[str, None] = {}
        self._announcing = Announcing(self.desired, self._next_number, settings.announcement_us)
        self._router = Router(settings, self._up, self._announcing)
        self.table.take([_row_decoder.decode(row) for row in rows], 0)
        for name, state in self.desired.items():
            state.update(self.table.wanted(name))

    def handle(self, message: Input, now: Instant, service: str = "") -> Result:
        """Take one input.

        Args:
            message: The input.
            now: The moment.
            service: Event service whose adapter it comes from; "" for the API and the clock.

        Returns:
            Mutations to commit, then outputs to perform, both in order.
        """
        mutations: list[Mutation] = []
        outputs: list[Output] = []
        match message:
            case Heard():
                self._heard(message, service, now, outputs)
            case HeardControl():
                self._heard_control(message, service, now, mutations, outputs)
            case Done():
                self._done(message, service, now)
            case Inject():
                self._enter(message.request, "", now, mutations, outputs)
            case Tick():
                self._tick(now, mutations, outputs)
            case LinkUp():
                self._link_up(service, outputs)
            case LinkDown():
                self._up.pop(service, None)
        return mutations, outputs

    def links(self) -> tuple[str, ...]:
        """Return the event services whose link is up."""
        return tuple(self._up)

    def _next_number(self) -> int:
        self._number += 1
        return self._number

    def _heard(self, heard: Heard, service: str, now: Instant, out: list[Output]) -> None:
        sources = self.desired[service].sources(heard.matched)
        names = tuple(name for name in sources if name not in (service, heard.stamp.home))
        event = Passing(
            heard.stamp,
            heard.subject,
            heard.body,
            heard.expires_us,
            heard.persistent,
            service,
            (*heard.via, service),
        )
        decision = "matched" if names else "dropped"
        out.append(_of_event(decision, event, ",".join(names), "" if names else "no subscription"))
        if names:
            self._router.route(event, names, now, out)

    def _heard_control(
        self,
        heard: HeardControl,
        service: str,
        now: Instant,
        mutations: list[Mutation],
        out: list[Output],
    ) -> None:
        try:
            control = from_event(binary.decode(heard.body), heard.stamp)
        except (ControlEventError, EventError) as error:
            name = str(heard.stamp.identity) if heard.stamp else ""
            out.append(Decided("refused", request=name, from_=service, reason=str(error)))
            return
        if control.next_gateway not in ("", self.settings.id):
            return
        self._enter(control, service, now, mutations, out)

    def _enter(
        self,
        control: ControlEvent,
        arrived: str,
        now: Instant,
        mutations: list[Mutation],
        out: list[Output],
    ) -> None:
        try:
            check_entry(control, self.settings, arrived)
            patterns = patterns_of(control, self.settings)
            if control.type is RequestType.PUBLICATION:
                self._publication(control, patterns, arrived, now, out)
            else:
                self._request(control, patterns, arrived, now, mutations, out)
        except ControlEventError as error:
            self.outcomes.add(control.id, Step("refused", arrived, str(error), now.wall_us))
            out.append(_of_request("refused", control, arrived, reason=str(error)))

    def _publication(
        self,
        control: ControlEvent,
        patterns: tuple[str, ...],
        arrived: str,
        now: Instant,
        out: list[Output],
    ) -> None:
        if control.event is None:
            raise ControlEventError("parameter 'Event' is missing")
        names = tuple(
            name
            for name in self.settings.services
            if name != control.source
            and any(matches(pattern, name) for pattern in patterns)
        )
        if not names:
            raise ControlEventError("parameter 'DistList': names no event service")
        event = Passing(
            control.stamp,
            control.event.subject,
            binary.encode(control.event),
            attributes.expires_us(control.event, control.stamp.time_us),
            attributes.is_persistent(control.event),
            arrived or control.source,
            control.via or (control.source,),
            control.path,
        )
        self.outcomes.add(control.id, Step("accepted", arrived, ",".join(names), now.wall_us))
        self._router.route(event, names, now, out)

    def _request(
        self,
        control: ControlEvent,
        patterns: tuple[str, ...],
        arrived: str,
        now: Instant,
        mutations: list[Mutation],
        out: list[Output],
    ) -> None:
        if len(self.table) + len(patterns) > self.settings.max_requests:
            raise ControlEventError(
                f"the request table is full ({self.settings.max_requests} rows)"
            )
        control = self._versioned(control, arrived, now)
        changes = self.table.take(rows_of(control, patterns, now.wall_us), now.wall_us)
        if not changes.new:
            self.outcomes.add(control.id, Step("known", arrived, "not newer", now.wall_us))
            out.append(_of_request("suppressed", control, arrived, reason="not newer"))
            return
        self.outcomes.add(control.id, Step("accepted", arrived, control.dist_list, now.wall_us))
        mutations.extend(_journal(changes))
        out.append(_of_request("received", control, arrived))
        self._reapply(out)
        self._note_destinations(control, now, out)
        self._pass_on(control, arrived, now, out)

    def _versioned(self, control: ControlEvent, arrived: str, now: Instant) -> ControlEvent:
        if control.version:
            return control
        if arrived:
            version = control.stamp.time_us
        else:
            key = rows_of(control, ("*",), now.wall_us)[0].key
            version = max(now.wall_us, self.table.newest_version(key) + 1)
        return msgspec.structs.replace(control, version=version)

    def _reapply(self, out: list[Output]) -> None:
        for name, state in self.desired.items():
            orders = state.update(self.table.wanted(name))
            out.extend(ToAdapter(name, order) for order in orders)

    def _note_destinations(self, control: ControlEvent, now: Instant, out: list[Output]) -> None:
        for name, state in self.desired.items():
            for applied in state:
                if control.id in applied.requests:
                    detail = applied.filter or applied.what
                    decision = "applied" if applied.state == "applied" else "ordered"
                    self.outcomes.add(control.id, Step(decision, name, detail, now.wall_us))
                    out.append(_of_request("applied", control, control.source, to=name))

    def _pass_on(
        self, control: ControlEvent, arrived: str, now: Instant, out: list[Output]
    ) -> None:
        from_client = bool(arrived) and not control.path
        for name, adapter in self.settings.adapters.items():
            back = name == arrived and not from_client and not adapter.on_medium
            if not adapter.relay or back or name not in self._up:
                continue
            onward = msgspec.structs.replace(control, path=(*control.path, name))
            if len(onward.path) > self.settings.max_hops:
                out.append(_of_request("dropped", control, arrived, to=name, reason="hop limit"))
                continue
            body = binary.encode(to_event(onward))
            out.append(ToAdapter(name, PublishControl(body)))
            out.append(_of_request("forwarded", control, arrived, to=name))
            self.outcomes.add(control.id, Step("forwarded", name, "", now.wall_us))

    def _done(self, done: Done, service: str, now: Instant) -> None:
        applied = self.desired[service].get(done.number)
        if applied is None or done.withdrawn:
            return
        applied.state = done.error or "applied"
        applied.widened = done.widened
        decision = "failed" if done.error else "applied"
        detail = done.error or "; ".join(done.widened)
        for request in applied.requests:
            self.outcomes.add(request, Step(decision, service, detail, now.wall_us))

    def _tick(self, now: Instant, mutations: list[Mutation], out: list[Output]) -> None:
        gone = self.table.expire(now.wall_us)
        mutations.extend(DropRow(row.name) for row in gone)
        if any(not row.withdrawn for row in gone):
            self._reapply(out)
        self._announcing.expire(now.wall_us, out)

    def _link_up(self, service: str, out: list[Output]) -> None:
        self._up[service] = None
        whole = self.desired[service].whole()
        fabricated = self._announcing.live(service)
        order = msgspec.structs.replace(whole, announcements=whole.announcements + fabricated)
        out.append(ToAdapter(service, order))

    def applied(self, service: str) -> tuple[Applied, ...]:
        """Return what is applied at an attached event service, oldest first."""
        return tuple(self.desired[service])


def _journal(changes: Changes) -> list[Mutation]:
    dropped: list[Mutation] = [DropRow(row.name) for row in changes.gone]
    return dropped + [PutRow(row.name, _row_encoder.encode(row)) for row in changes.new]


def _of_event(decision: str, event: Passing, to: str, reason: str) -> Decided:
    return Decided(
        decision,
        id=str(event.stamp.identity),
        event_time_us=event.stamp.time_us,
        subject=event.subject,
        home=event.stamp.home,
        from_=event.arrived,
        to=to,
        path=event.trail,
        type="publication",
        reason=reason,
    )


def _of_request(
    decision: str, control: ControlEvent, arrived: str, *, to: str = "", reason: str = ""
) -> Decided:
    return Decided(
        decision,
        request=control.id,
        from_=arrived,
        to=to,
        path=control.path,
        type=control.type.word,
        reason=reason,
        what=control.filter,
    )
