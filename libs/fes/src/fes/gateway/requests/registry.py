"""The registry of requests: entered in the table, applied at attached event services, forwarded.

Source:
    design, sections 4 and 6, rules 1, 4 and 5.
"""

import contextlib
from collections.abc import Container, Iterable, Iterator, Mapping
from itertools import islice

import msgspec

from fes.control import ControlEvent, to_event
from fes.errors import ControlEventError
from fes.gateway.outputs import Decided, DropRow, PutRow
from fes.gateway.replication import is_request
from fes.gateway.requests.confinement import Confinement
from fes.gateway.requests.desired import DesiredState
from fes.gateway.requests.held import Confine, Held
from fes.gateway.requests.orders import Orders, Withdrawal
from fes.gateway.requests.outcomes import Outcomes, Step, of_request
from fes.gateway.requests.room import Room
from fes.gateway.requests.row import Key, Row
from fes.gateway.requests.table import Changes, RequestTable
from fes.gateway.requests.validation import check_row, key_of, rows_of
from fes.gateway.requests.versions import Versions
from fes.gateway.settings import GatewaySettings
from fes.gateway.turn import Turn
from fes.link.messages import Done, PublishControl
from fes.model import binary

LATER_US = 10_000_000
"""How long the commit of a row that only prolongs a lease may wait."""

GOOD_TIME = 2
"""A lease is prolonged in good time where at least so many times `LATER_US` are left of it."""

NO_RIGHT = "no source is known there, or no right applies"
"""Why a request does not apply where its list states."""

_encoder = msgspec.msgpack.Encoder()
_decoder = msgspec.msgpack.Decoder(Row)


class RequestRegistry:
    """Enters requests in the table, orders what follows from it, and forwards them.

    Args:
        settings: Of the gateway.
        desired: By attached event service.
        links: Event services whose link is up.
        confinement: What scopes let an event service receive.
        confine: Returns a request as it is active at an event service; what scopes let be active
            where None.
    """

    def __init__(
        self,
        settings: GatewaySettings,
        desired: dict[str, DesiredState],
        links: Container[str],
        confinement: Confinement | None = None,
        confine: Confine | None = None,
    ) -> None:
        self.confinement = confinement or Confinement(settings.scopes)
        self._confine = confine or self.confinement.row
        self.table = RequestTable(settings.horizon_us, desired, self._confine)
        self.outcomes = Outcomes()
        self._settings = settings
        self._desired = desired
        self._links = links
        self._orders = Orders(desired, self.outcomes)
        self.versions = Versions(self.table)
        self._room = Room(settings, self.table)
        self._unreviewed: dict[Key, None] = {}

    def restore(self, state: Mapping[str, bytes]) -> None:
        """Restore what the journal kept."""
        self.versions.recall(state)
        self.table.take(_readable(state), 0)
        self.table.changes()
        for name, desired in self._desired.items():  # all active requests are new; numbers by age
            desired.update(Held(name, None, row) for row in self.table.wanted(name))

    def take(
        self, control: ControlEvent, patterns: tuple[str, ...], arrived: str, turn: Turn
    ) -> None:
        """Accept a request.

        Args:
            control: Any request but a publication.
            patterns: Of its distribution list.
            arrived: Event service that it was received at; "" where it came over the API.
            turn: Collects what comes of it.

        Raises:
            ControlEventError: It is not valid, or the table is full.
        """
        if self._has(control, patterns):
            self._note(control, "known", arrived, "not newer", turn)
            turn.decide(of_request("suppressed", control, arrived, reason="not newer"))
            return
        control = self.versions.versioned(control, arrived, turn)
        rows = rows_of(control, patterns, turn, self.table.kept_us)
        self._room.check(rows, arrived, turn.own_us)
        renews = all(self._renews(row, turn) for row in rows)
        changes = self.table.take(rows, turn.own_us)
        if not changes.new:
            self._note(control, "known", arrived, "not newer", turn)
            turn.decide(of_request("suppressed", control, arrived, reason="not newer"))
            return
        self._note(control, "accepted", arrived, control.dist_list, turn)
        _journal(changes, turn, soon=not renews)
        turn.decide(of_request("received", control, arrived))
        self._orders.withdrawn(control, self._reapply(turn), turn)
        self._note_destinations(control, rows[0], turn)
        self._pass_on(control, arrived, turn, repeats=not renews)

    def take_rows(
        self, rows: tuple[Row, ...], arrived: str, turn: Turn, *, doubtful: bool = False
    ) -> tuple[Row, ...]:
        """Accept rows of a neighbour's table; return those that are new here.

        Args:
            rows: In its order, as they were received.
            arrived: Event service that they were received at.
            turn: Collects the mutations and outputs; a row that is not valid is refused, the others
                enter.
            doubtful: Whether the neighbour was away, or is new.
        """
        since_us = 0 if doubtful else turn.own_us
        sound = tuple(
            [
                row.heard(turn.own_us, self.table.kept_us, since_us)
                for row in rows
                if not self.table.knows(row) and self._is_sound(row, arrived, turn)
            ]
        )
        reason = self._room.lacks(sound)
        if reason:
            self.refuse(reason, arrived, turn)
            return ()
        changes = self.table.take(sound, turn.own_us)
        if changes.new:
            _journal(changes, turn)
            self._learnt(changes.new, arrived, turn)
        return changes.new

    def follow(self, rows: Mapping[str, bytes], gone: frozenset[str] | None, turn: Turn) -> None:
        """Change the table to what the replica that leads has.

        Args:
            rows: By name in the journal: those that are new, or all.
            gone: Names of deleted rows; None where `rows` are all that there are.
            turn: Collects what comes of it.
        """
        new = self.table.follow(_readable(rows))
        table = self.table
        lacks = table.discard_but(rows) if gone is None else table.discard(sorted(gone))
        if not new and not lacks:
            return
        self._reapply(turn)
        for row in {row.request: row for row in new}.values():
            control = _request_of(row)
            self._note(control, "accepted", "", control.dist_list, turn)
            self._note_applied(control, row, turn)

    def refuse(self, reason: str, arrived: str, turn: Turn) -> None:
        """Note that something in a neighbour's table was refused."""
        turn.decide(Decided("refused", from_=arrived, reason=reason))

    def drop(
        self, names: Container[str], within: Container[int], of: int, before: int, turn: Turn
    ) -> None:
        """Remove the rows that a neighbour's table lacks; see `RequestTable.drop`."""
        gone = self.table.drop(names, within, of, before)
        turn.mutations.extend(DropRow(row.name) for row in gone)
        self.versions.keep(turn)
        if gone:
            self._reapply(turn)

    def prolong(self, turn: Turn) -> None:
        """Remember withdrawals for as long as new ones: others may receive them only now."""
        for row in self.table.prolong(turn.own_us):
            turn.mutations.append(PutRow(row.name, _encoder.encode(row)))

    def done(self, done: Done, service: str, turn: Turn) -> None:
        """Note what an adapter applied or withdrew, or failed to."""
        self._orders.done(done, service, turn)

    def expire(self, turn: Turn, *, doubtful: bool = False) -> None:
        """End the leases that ran out and forget old withdrawals.

        Args:
            turn: Collects what comes of it.
            doubtful: Whether withdrawals are kept as long as there is room: others may not have
                received them.
        """
        spare = self._settings.max_requests // 2 if doubtful else 0
        changes = self.table.expire(turn.own_us, spare)
        left = {row.name for row in changes.new}
        _journal(Changes(changes.new, tuple(r for r in changes.gone if r.name not in left)), turn)
        self.versions.keep(turn)
        if any(not row.withdrawn for row in changes.gone):
            self._reapply(turn)

    def look_again(self, rows: Iterable[Row], turn: Turn) -> None:
        """Apply requests again: what they may receive has changed."""
        for row in rows:
            self.table.look_again(row.key)
        changes = self.table.changes()
        self._orders.follow(changes, turn)
        for service, before, after in changes:
            told = after or before
            if told is not None and (after is None) != (before is None):
                self._tell(told, service, turn, permitted=after is not None)

    def _tell(self, row: Row, service: str, turn: Turn, *, permitted: bool) -> None:
        """Report that a request applies at an event service from now on, or no longer."""
        control = _request_of(row)
        decision, reason = ("applied", "") if permitted else ("left out", NO_RIGHT)
        self._note(control, "ordered" if permitted else decision, service, reason, turn)
        turn.decide(of_request(decision, control, row.source, to=service, reason=reason))

    def _has(self, control: ControlEvent, patterns: tuple[str, ...]) -> bool:
        """Return whether this same request is in the table, as most repeated ones are."""
        if not control.path or not control.version:
            return False
        key = key_of(control)
        for pattern in patterns:
            row = self.table.at(key, pattern)
            if row is None or row.version != control.version or row.request != control.stamp:
                return False
            if row.type is not control.type:
                return False
        return True

    def _is_sound(self, row: Row, arrived: str, turn: Turn) -> bool:
        try:
            check_row(row, self._settings, arrived, turn)
        except ControlEventError as error:
            self.refuse(str(error), arrived, turn)
            return False
        return True

    def _learnt(self, rows: tuple[Row, ...], arrived: str, turn: Turn) -> None:
        """Apply rows of a neighbour's table as if their requests had been received."""
        controls = [(_request_of(row), row) for row in {row.request: row for row in rows}.values()]
        for control, _ in controls:
            self._note(control, "accepted", arrived, control.dist_list, turn)
            turn.decide(of_request("received", control, arrived))
        self._orders.withdrawn(controls[-1][0], self._reapply(turn), turn)
        for control, row in controls:
            self._note_destinations(control, row, turn)

    def review(self, turn: Turn, most: int) -> None:
        """Apply again the requests that scopes confine differently now, so many at a time.

        Args:
            turn: Collects the orders.
            most: Requests that are looked at; the others follow with the next calls.
        """
        keys = list(islice(self._unreviewed, most))
        for key in keys:
            del self._unreviewed[key]
        if keys:
            self.table.review(keys)
            self._reapply(turn)

    def confine_again(self) -> None:
        """Have all requests looked at by `review`: scopes changed."""
        self._unreviewed = dict.fromkeys(self.table.keys())

    def _reapply(self, turn: Turn) -> list[Withdrawal]:
        """Order what the table needs now; return what is withdrawn."""
        return self._orders.follow(self.table.changes(), turn)

    def _note_destinations(self, control: ControlEvent, row: Row, turn: Turn) -> None:
        for name in self._note_applied(control, row, turn):
            turn.decide(of_request("applied", control, control.source, to=name))

    def _note_applied(self, control: ControlEvent, row: Row, turn: Turn) -> list[str]:
        """Note where a request is applied or ordered; return these event services."""
        found = []
        for name, state in self._desired.items():
            held = self._confine(row, name)
            applied = None if held is None else state.find(held.kind, held.what)
            if applied is not None and control.id in applied.requests:
                decision = "applied" if applied.state == "applied" else "ordered"
                self._note(control, decision, name, applied.filter or applied.what, turn)
                found.append(name)
        return found

    def _renews(self, row: Row, turn: Turn) -> bool:
        """Return whether a row only prolongs a lease, in good time: then its commit may wait."""
        known = self.table.at(row.key, row.pattern)
        return (
            known is not None
            and not known.withdrawn
            and not row.withdrawn
            and known.body == row.body
            and known.until_us - turn.own_us >= GOOD_TIME * LATER_US
            and row.until_us - known.until_us >= 0
        )

    def _pass_on(
        self, control: ControlEvent, arrived: str, turn: Turn, *, repeats: bool = True
    ) -> None:
        from_client = bool(arrived) and not control.path and repeats
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


def _request_of(row: Row) -> ControlEvent:
    """Return the request of a row, with the parts that decisions about it need."""
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


def _readable(rows: Mapping[str, bytes]) -> Iterator[Row]:
    """Yield the rows that the journal kept and that can be read."""
    for key, value in rows.items():
        if is_request(key):
            with contextlib.suppress(msgspec.DecodeError, UnicodeError):
                yield _decoder.decode(value)


def _journal(changes: Changes, turn: Turn, *, soon: bool = True) -> None:
    turn.mutations.extend(DropRow(row.name) for row in changes.gone)
    turn.mutations.extend(
        PutRow(row.name, _encoder.encode(row), soon or row.until_us == 0) for row in changes.new
    )
