"""Standing requests: taken into the table, applied at attached event services, passed on.

Source:
    design, sections 4 and 6, rules 1, 4 and 5.
"""

from collections import OrderedDict
from collections.abc import Container, Mapping

import msgspec

from fes.control import ControlEvent, to_event
from fes.errors import ControlEventError
from fes.gateway.desired import DesiredState
from fes.gateway.outcomes import Outcomes, Step
from fes.gateway.outputs import Decided, DropRow, PutRow
from fes.gateway.replicas import is_request
from fes.gateway.requests import check_row, rows_of
from fes.gateway.settings import GatewaySettings
from fes.gateway.table import Changes, RequestTable, Row
from fes.gateway.turn import Turn
from fes.link.messages import Done, PublishControl, Unannounce, Unsubscribe
from fes.model import binary

WITHDRAWALS = 1000
"""Most native withdrawals whose request is remembered until the adapter answered."""

_encoder = msgspec.msgpack.Encoder()
_decoder = msgspec.msgpack.Decoder(Row)


class Standing:
    """Keeps the requests that hold.

    Args:
        settings: Of the gateway.
        desired: By attached event service.
        links: Event services whose link is up.
    """

    def __init__(
        self, settings: GatewaySettings, desired: dict[str, DesiredState], links: Container[str]
    ) -> None:
        self.table = RequestTable(settings.horizon_us)
        self.outcomes = Outcomes()
        self._settings = settings
        self._desired = desired
        self._links = links
        self._withdrawing: OrderedDict[int, str] = OrderedDict()

    def restore(self, state: Mapping[str, bytes]) -> None:
        """Take back what the journal kept."""
        self.table.take([_decoder.decode(state[key]) for key in state if is_request(key)], 0)
        for name, desired in self._desired.items():
            desired.update(self.table.wanted(name))

    def take(
        self, control: ControlEvent, patterns: tuple[str, ...], arrived: str, turn: Turn
    ) -> None:
        """Take a request.

        Args:
            control: Any request but a publication.
            patterns: Of its distribution list.
            arrived: Event service that it was heard at; "" where it came over the API.
            turn: Collects what comes of it.

        Raises:
            ControlEventError: It is not sound, or the table is full.
        """
        now_us = turn.now.wall_us
        control = self._versioned(control, arrived, now_us)
        rows = rows_of(control, patterns, now_us)
        limit = self._settings.max_requests
        if len(self.table) + self.table.growth(rows) > limit:
            raise ControlEventError(f"the request table is full ({limit} rows)")
        self._check_room(rows, arrived)
        changes = self.table.take(rows, now_us)
        if not changes.new:
            self._note(control, "known", arrived, "not newer", turn)
            turn.decide(of_request("suppressed", control, arrived, reason="not newer"))
            return
        self._note(control, "accepted", arrived, control.dist_list, turn)
        _journal(changes, turn)
        turn.decide(of_request("received", control, arrived))
        for service, number in self._reapply(turn):
            self._withdraw(control, service, number, turn)
        self._note_destinations(control, turn)
        self._pass_on(control, arrived, turn)

    def take_rows(self, rows: tuple[Row, ...], arrived: str, turn: Turn) -> tuple[Row, ...]:
        """Take rows of a neighbour's table; return those that are new here.

        Args:
            rows: In its order.
            arrived: Event service that they were heard at.
            turn: Collects what comes of it; a row that is not sound is refused, the others enter.
        """
        now_us = turn.now.wall_us
        sound = tuple([row for row in rows if self._is_sound(row, arrived, turn)])
        if len(self.table) + self.table.growth(sound) > self._settings.max_requests:
            limit = self._settings.max_requests
            self.refuse(f"the request table is full ({limit} rows)", arrived, turn)
            return ()
        most = self._settings.requests_bytes
        if self.table.bytes + self.table.growth_bytes(sound) > most:
            self.refuse(f"the request table is full ({most} bytes)", arrived, turn)
            return ()
        changes = self.table.take(sound, now_us)
        if changes.new:
            _journal(changes, turn)
            self._learnt(changes.new, arrived, turn)
        return changes.new

    def follow(self, rows: Mapping[str, bytes], gone: frozenset[str] | None, turn: Turn) -> None:
        """Have the table as the replica that leads has it.

        Args:
            rows: By their name in the journal: new there, or all there are.
            gone: Names of those that went; None where all others did.
            turn: Collects what comes of it.
        """
        new = self.table.follow([_decoder.decode(value) for value in rows.values()])
        if gone is None:
            lacks = self.table.discard(lambda name: name not in rows)
        else:
            lacks = bool(gone) and self.table.discard(gone.__contains__)
        if not new and not lacks:
            return
        self._reapply(turn)
        for control in {row.request: _request_of(row) for row in new}.values():
            self._note(control, "accepted", "", control.dist_list, turn)
            self._note_applied(control, turn)

    def refuse(self, reason: str, arrived: str, turn: Turn) -> None:
        """Note that something of a neighbour's table may not enter."""
        turn.decide(Decided("refused", from_=arrived, reason=reason))

    def drop(self, names: Container[str], before: int, turn: Turn) -> None:
        """Remove the rows that a neighbour's table has not and that are older than a version."""
        gone = self.table.drop(names, before)
        turn.mutations.extend(DropRow(row.name) for row in gone)
        if gone:
            self._reapply(turn)

    def done(self, done: Done, service: str, turn: Turn) -> None:
        """Note what an adapter did, or could not do."""
        if done.withdrawn:
            self._withdrawn(done, service, turn)
            return
        applied = self._desired[service].get(done.number)
        if applied is None:
            return
        applied.state = done.error or "applied"
        applied.widened = done.widened
        decision = "failed" if done.error else "applied"
        detail = done.error or "; ".join(done.widened)
        for request in applied.requests:
            self.outcomes.add(request, Step(decision, service, detail, turn.now.wall_us))

    def expire(self, turn: Turn) -> None:
        """End the leases that ran out and forget old withdrawals."""
        gone = self.table.expire(turn.now.wall_us)
        turn.mutations.extend(DropRow(row.name) for row in gone)
        if any(not row.withdrawn for row in gone):
            self._reapply(turn)

    def _check_room(self, rows: tuple[Row, ...], arrived: str) -> None:
        """Raise an error unless there are bytes for a request.

        The clients of one event service may use no more than they leave free, so that none of them
        keeps the others from asking; who asks over the API, or in the file, may use all.
        """
        table, most = self.table, self._settings.requests_bytes
        grows = table.growth_bytes(rows)
        if grows <= 0:
            return
        free = most - table.bytes - grows
        if free < 0:
            raise ControlEventError(f"the request table is full ({most} bytes)")
        if arrived and table.bytes_of(rows[0].source) > free:
            raise ControlEventError(f"requests of {rows[0].source} use their share of {most} bytes")

    def _is_sound(self, row: Row, arrived: str, turn: Turn) -> bool:
        try:
            check_row(row, self._settings, arrived, turn.now.wall_us)
        except ControlEventError as error:
            self.refuse(str(error), arrived, turn)
            return False
        return True

    def _learnt(self, rows: tuple[Row, ...], arrived: str, turn: Turn) -> None:
        """Apply rows of a neighbour's table as if their requests had come."""
        controls = {control.id: control for control in map(_request_of, rows)}
        for control in controls.values():
            self._note(control, "accepted", arrived, control.dist_list, turn)
            turn.decide(of_request("received", control, arrived))
        last = list(controls.values())[-1]
        for service, number in self._reapply(turn):
            self._withdraw(last, service, number, turn)
        for control in controls.values():
            self._note_destinations(control, turn)

    def _versioned(self, control: ControlEvent, arrived: str, now_us: int) -> ControlEvent:
        if control.version:
            return control
        if arrived:
            version = control.stamp.time_us
        else:
            key = rows_of(control, ("*",), now_us)[0].key
            version = max(now_us, self.table.newest_version(key) + 1)
        return msgspec.structs.replace(control, version=version)

    def _reapply(self, turn: Turn) -> list[tuple[str, int]]:
        """Order what the table wants; return what is withdrawn: event service and number."""
        withdrawn = []
        for name, state in self._desired.items():
            for order in state.update(self.table.wanted(name)):
                turn.order(name, order)
                if isinstance(order, Unsubscribe | Unannounce):
                    withdrawn.append((name, order.number))
        return withdrawn

    def _withdraw(self, control: ControlEvent, service: str, number: int, turn: Turn) -> None:
        self._note(control, "ordered", service, "withdrawal", turn)
        turn.decide(of_request("applied", control, control.source, to=service))
        self._withdrawing[number] = control.id
        if len(self._withdrawing) > WITHDRAWALS:
            self._withdrawing.popitem(last=False)

    def _withdrawn(self, done: Done, service: str, turn: Turn) -> None:
        request = self._withdrawing.pop(done.number, None)
        if request is not None:
            decision = "failed" if done.error else "applied"
            self.outcomes.add(request, Step(decision, service, done.error, turn.now.wall_us))

    def _note_destinations(self, control: ControlEvent, turn: Turn) -> None:
        for name in self._note_applied(control, turn):
            turn.decide(of_request("applied", control, control.source, to=name))

    def _note_applied(self, control: ControlEvent, turn: Turn) -> list[str]:
        """Note where a request is applied, or is ordered to be; return these event services."""
        found = []
        for name, state in self._desired.items():
            for applied in state:
                if control.id in applied.requests:
                    decision = "applied" if applied.state == "applied" else "ordered"
                    self._note(control, decision, name, applied.filter or applied.what, turn)
                    found.append(name)
        return found

    def _pass_on(self, control: ControlEvent, arrived: str, turn: Turn) -> None:
        from_client = bool(arrived) and not control.path
        for name, adapter in self._settings.adapters.items():
            repeated = adapter.on_medium or (from_client and adapter.repeats)
            back = name == arrived and not repeated
            if not adapter.relay or back or name not in self._links:
                continue
            onward = msgspec.structs.replace(control, path=(*control.path, name))
            if len(onward.path) > self._settings.max_hops:
                turn.decide(of_request("dropped", control, arrived, to=name, reason="hop limit"))
                continue
            turn.order(name, PublishControl(binary.encode(to_event(onward))))
            turn.decide(of_request("forwarded", control, arrived, to=name))
            self._note(control, "forwarded", name, "", turn)

    def _note(
        self, control: ControlEvent, decision: str, service: str, detail: str, turn: Turn
    ) -> None:
        self.outcomes.add(control.id, Step(decision, service, detail, turn.now.wall_us))


def of_request(
    decision: str, control: ControlEvent, arrived: str, *, to: str = "", reason: str = ""
) -> Decided:
    """Return a decision about a request."""
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


def _request_of(row: Row) -> ControlEvent:
    """Return the request that a row tells of, as far as decisions about it say."""
    return ControlEvent(
        stamp=row.request,
        system="",
        type=row.type,
        source=row.source,
        dist_list=row.pattern,
        filter=row.filter,
        requester=row.requester,
        version=row.version,
    )


def _journal(changes: Changes, turn: Turn) -> None:
    turn.mutations.extend(DropRow(row.name) for row in changes.gone)
    turn.mutations.extend(PutRow(row.name, _encoder.encode(row)) for row in changes.new)
