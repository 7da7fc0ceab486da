"""Custody transfer: persistent events move from custody to custody, and are acknowledged.

Source:
    design, section 6, Delivery.
"""

import heapq
from collections import OrderedDict
from collections.abc import Callable, Container
from itertools import islice

from fes.control.signal import Acknowledgement
from fes.errors import EventError
from fes.federation.topology import Hop
from fes.gateway.custody.lane import NO_HOP, Lane, LaneKey
from fes.gateway.custody.store import Custody, CustodyRow, Handover, Key, row_key
from fes.gateway.forwarding.dispatch import Dispatch
from fes.gateway.forwarding.sent_window import SentWindow
from fes.gateway.forwarding.transit import Transit, of_event
from fes.gateway.guidance.guiding import RIGHT_WITHDRAWN, IsWithdrawn
from fes.gateway.settings import GatewaySettings
from fes.gateway.turn import Turn
from fes.link.messages import Confirmed

TURNS = 10_000
"""Most lanes of other gateways whose last accepted row is remembered."""

NEVER = "can never be accepted by"
"""How the reason begins when an event is set aside since another gateway refused it for good."""

MEMBERSHIP_WITHDRAWN = "scopes: the membership was withdrawn"
"""Why an event does not go to an event service where it is no longer visible."""

REASON = 300
"""Most characters of the reason that another gateway sends."""

EXAMINED = 100
"""Most rows that are examined in a turn where rights have changed: a few milliseconds."""

SLOWEST = 16
"""Most retry intervals between two attempts."""


class CustodyTransfer:
    """Sends the rows in custody, and deletes those that are confirmed or acknowledged.

    Args:
        settings: Of the gateway.
        custody: Keeps them.
        dispatch: Forwards events.
        hop: Returns the first step to an event service; None where there is none now.
        persistent: Event services that keep events.
        marks: Remembers what was sent to destinations that do not answer.
        is_withdrawn: Returns whether what was published at one event service is no longer visible
            at another.
    """

    def __init__(
        self,
        settings: GatewaySettings,
        custody: Custody,
        dispatch: Dispatch,
        hop: Callable[[str], Hop | None],
        persistent: Container[str],
        marks: SentWindow,
        is_withdrawn: Callable[[str, str], bool],
    ) -> None:
        self._is_withdrawn = is_withdrawn
        self._settings = settings
        self._marks = marks
        self._custody = custody
        self._dispatch = dispatch
        self._next_hop = hop
        self._persistent = persistent
        self._lanes: dict[LaneKey, Lane] = {}
        self._waiting: dict[int, CustodyRow] = {}
        self._turns: OrderedDict[tuple[str, LaneKey], int] = OrderedDict()
        self._expiring: list[tuple[int, int, Key]] = []
        self._answered_us: dict[Hop, int] = {}
        self._withdrawals: dict[Key, IsWithdrawn] = {}

    def restore(self) -> None:
        """Restore the rows that the journal kept; they are sent once links are up."""
        for row in self._custody:
            self._expires(row)
            if row.event.starts_us:
                self._waiting[row.place] = row
            else:
                self._lane_of(row).add(row)

    def keeps(self, event: Transit, destination: str) -> bool:
        """Return whether an event goes into custody: a hop answers, or others wait before it."""
        key = LaneKey(-event.priority, event.stamp.origin, destination)
        hop = self._next_hop(destination)
        return key in self._lanes or hop is None or self._answers(hop, destination)

    def has_room(self, event: Transit, destination: str) -> bool:
        """Return whether an event would not be refused for a destination."""
        return not (self.keeps(event, destination) and self._custody.full(event, destination))

    def take(self, event: Transit, destination: str, turn: Turn, *, decided: bool = False) -> bool:
        """Accept an event from a client; return whether this gateway has custody of it.

        Args:
            event: The event.
            destination: Where it goes.
            turn: Collects what comes of it.
            decided: Whether it is accepted also where custody is full.
        """
        key = row_key(event, destination)
        if self._custody.get(key) or self._custody.answered(key, turn, given=False):
            turn.decide(of_event("suppressed", event, to=destination, reason="repeated"))
            return True
        return self._hold(event, destination, None, turn, decided=decided) is not None

    def given(
        self, event: Transit, destination: str, handover: Handover, after: int, turn: Turn
    ) -> bool:
        """Accept custody of an event from another gateway; return whether to acknowledge it.

        Args:
            event: The event.
            destination: Where it goes.
            handover: The gateway that sends it, and its row.
            after: The sender's row before it, which must have been accepted; 0 where there is none.
            turn: Collects what comes of it.
        """
        key = row_key(event, destination)
        held = self._custody.get(key)
        lane = (handover.giver, LaneKey(-event.priority, event.stamp.origin, destination))
        in_turn = not after or self._turns.get(lane) == after
        if held is None and self._custody.answered(key, turn, given=True):
            turn.decide(of_event("suppressed", event, to=destination, reason="repeated"))
            if not in_turn:  # it came by another route; the row before it has not come yet
                return True
        elif not in_turn:
            turn.decide(of_event("suppressed", event, to=destination, reason="out of turn"))
            return False
        elif held is not None and (held.handover == handover or self._is_direct(held)):
            turn.decide(of_event("suppressed", event, to=destination, reason="repeated"))
        elif self._hold(event, destination, handover, turn) is None:
            return False
        self._turns[lane] = handover.row
        self._turns.move_to_end(lane)
        if len(self._turns) > TURNS:
            self._turns.popitem(last=False)
        return True

    def confirmed(self, confirmed: Confirmed, service: str, turn: Turn) -> None:
        """Accept an adapter's confirmation of a row.

        It counts only for a row that it had to publish.
        """
        row = self._custody.numbered(confirmed.row)
        if row is None or row.destination != service or row.place in self._waiting:
            return
        if confirmed.error and confirmed.retryable:
            self._pause(self._lanes[LaneKey.of(row)], row, turn)
            return
        if confirmed.error:
            reason = confirmed.error
            turn.decide(of_event("dropped", row.event, to=row.destination, reason=reason))
        self._complete(row, turn, final=True)

    def acknowledged(self, signal: Acknowledgement, turn: Turn) -> None:
        """Delete the rows whose custody another gateway accepted."""
        for number in signal.rows if signal.to == self._settings.id else ():
            row = self._custody.numbered(number)
            if row is not None and not self._is_direct(row):
                self._complete(row, turn, final=False)
        for number in signal.refused if signal.to == self._settings.id else ():
            row = self._custody.numbered(number)
            if row is not None and not self._is_direct(row):
                reason = f"{NEVER} {signal.gateway}: {signal.reason[:REASON]}"
                turn.decide(of_event("dropped", row.event, to=row.destination, reason=reason))
                self._complete(row, turn, final=True)

    def withdraw(self, is_withdrawn: IsWithdrawn, subjects: frozenset[str], turn: Turn) -> None:
        """Let the rows go that nobody has a right to any more; those behind them go on.

        So many at a time, with each tick; none of the others is sent before it is examined. The
        newest change decides about a row.
        """
        self._withdrawals |= dict.fromkeys(self._custody.concerned(subjects), is_withdrawn)
        self._examine(turn)
        self.resume(turn)

    def _examine(self, turn: Turn) -> None:
        for key in list(islice(self._withdrawals, EXAMINED)):
            is_withdrawn, row = self._withdrawals.pop(key), self._custody.get(key)
            if row is not None and is_withdrawn(row.destination, row.event.subject, row.event.body):
                reason = RIGHT_WITHDRAWN
                turn.decide(of_event("dropped", row.event, to=row.destination, reason=reason))
                self._remove(row, turn, final=True)

    def resume(self, turn: Turn, service: str = "") -> None:
        """Send the rows that may be sent now; those sent over `service` before are sent again."""
        for key in sorted(self._lanes):
            lane = self._lanes.get(key)
            if lane is not None:
                if service and lane.hop.service == service:
                    lane.rewind()
                self._pump(key, lane, turn)

    def rewind(self, service: str) -> None:
        """Send again what was sent to gateways at an event service: one of them is new."""
        for lane in self._lanes.values():
            if lane.hop.service == service != lane.destination:
                lane.rewind()

    def tick(self, turn: Turn) -> None:
        """Send what may begin now, drop what has expired, and send again what has no answer."""
        self._expire(turn)
        self._examine(turn)
        started = [row for row in self._waiting.values() if row.event.starts_us <= turn.now.time_us]
        for row in started:
            del self._waiting[row.place]
            self._lane_of(row).add(row)  # add all before any is sent: the urgent go first
        for lane in self._lanes.values():
            if lane.waiting and turn.own_us - lane.sent_us >= self._patience_us(lane):
                lane.tries += 1
                lane.rewind()
        self.resume(turn)
        self._custody.expire(turn)

    def _expires(self, row: CustodyRow) -> None:
        if row.event.expires_us:
            heapq.heappush(self._expiring, (row.event.expires_us, row.place, row.key))

    def _expire(self, turn: Turn) -> None:
        """Drop the rows that have expired, whether or not there is a route for them.

        One that is in transit is answered, or dropped when it would be sent again.
        """
        later = []
        while self._expiring and self._expiring[0][0] <= turn.now.time_us:
            _, place, key = heapq.heappop(self._expiring)
            row = self._custody.get(key)
            if row is None or row.place != place:
                continue
            lane = self._lanes.get(LaneKey.of(row))
            if lane is not None and lane.is_sent(row):
                later.append((turn.now.time_us + self._settings.retry_us, place, key))
                continue
            turn.decide(of_event("dropped", row.event, to=row.destination, reason="expired"))
            self._remove(row, turn, final=True)  # what is behind it is sent later, urgent first
        for entry in later:
            heapq.heappush(self._expiring, entry)

    def _is_direct(self, row: CustodyRow) -> bool:
        """Return whether a row goes to its destination without another gateway in between.

        Then the adapter answers for it, whichever gateways had custody of the event before.
        """
        lane = self._lanes.get(LaneKey.of(row))
        return lane is not None and lane.hop.service == row.destination

    def _patience_us(self, lane: Lane) -> int:
        """Return how long to wait for an answer.

        Where a hop answered since, there is no reason to wait ever longer: more was sent there at
        once than the link has room for, and what was dropped there is sent again with the rest.
        """
        if self._answered_us.get(lane.hop, 0) > lane.sent_us:
            return self._settings.retry_us
        return self._settings.retry_us * min(1 << min(lane.tries, SLOWEST), SLOWEST)

    def _pause(self, lane: Lane, row: CustodyRow, turn: Turn) -> None:
        """Send the rows of a lane again later; failures of the rows behind change nothing."""
        if lane.is_sent(row):
            lane.rewind()
            lane.paused_us = turn.own_us + self._patience_us(lane)
            lane.tries += 1

    def _hold(
        self,
        event: Transit,
        destination: str,
        handover: Handover | None,
        turn: Turn,
        *,
        decided: bool = False,
    ) -> CustodyRow | None:
        held = self._custody.get(row_key(event, destination))
        if held is None and not decided and self._custody.full(event, destination):
            turn.decide(of_event("refused", event, to=destination, reason="custody is full"))
            return None
        row = self._custody.take(event, destination, handover, turn)
        if held is None:
            self._expires(row)
        self._enter(row, turn)
        return row

    def _enter(self, row: CustodyRow, turn: Turn) -> None:
        if row.event.starts_us > turn.now.time_us:
            self._waiting[row.place] = row
            return
        self._waiting.pop(row.place, None)  # where it was sent again meanwhile
        lane = self._lane_of(row)
        lane.add(row)
        self._pump(LaneKey.of(row), lane, turn)

    def _lane_of(self, row: CustodyRow) -> Lane:
        return self._lanes.setdefault(LaneKey.of(row), Lane(row.destination))

    def _complete(self, row: CustodyRow, turn: Turn, *, final: bool) -> None:
        lane = self._remove(row, turn, final=final)
        if lane is not None:
            self._pump(LaneKey.of(row), lane, turn)

    def _remove(self, row: CustodyRow, turn: Turn, *, final: bool) -> Lane | None:
        """Delete a row without sending what is behind it; return its lane."""
        self._custody.complete(row, turn, final=final)
        self._waiting.pop(row.place, None)
        lane = self._lanes.get(LaneKey.of(row))
        if lane is not None:
            self._answered_us[lane.hop] = turn.own_us
            lane.remove(row)
        return lane

    def _pump(self, key: LaneKey, lane: Lane, turn: Turn) -> None:
        """Send the rows of a lane that may be in transit."""
        if lane.destination not in self._settings.services:
            self._give_up(lane, turn)
        hop = self._next_hop(lane.destination)
        if lane.hop != (hop or NO_HOP):
            lane.hop = hop or NO_HOP
            lane.rewind()
        if lane.paused_us > turn.own_us:
            return
        while hop is not None and lane.waiting < self._settings.in_flight:
            row = lane.next()
            if row is None or row.key in self._withdrawals:
                break  # a row that may be withdrawn is examined first; order is kept
            self._send(row, lane, hop, turn)
        if not lane:
            self._lanes.pop(key, None)

    def _send(self, row: CustodyRow, lane: Lane, hop: Hop, turn: Turn) -> None:
        event, destination = row.event, row.destination
        if event.expires_us and event.expires_us <= turn.now.time_us:
            self._let_go(row, lane, turn, "dropped", "expired")
            return
        if self._is_withdrawn(event.stamp.home, destination):
            self._let_go(row, lane, turn, "dropped", MEMBERSHIP_WITHDRAWN)
            return
        answers = self._answers(hop, destination)
        if not answers and self._marks.repeated(
            event.stamp,
            destination,
            turn,
            persistent=event.persistent,
            late=bool(event.starts_us),
        ):
            self._let_go(row, lane, turn, "suppressed", "repeated")
            return
        number, after = (row.number, lane.last) if answers else (0, 0)
        try:
            if hop.service == destination:
                self._dispatch.publish(event, destination, turn, row=number, after=after)
            else:
                self._dispatch.forward(event, hop, [destination], turn, row=number, after=after)
        except EventError as error:
            self._let_go(row, lane, turn, "refused", f"body: {error}")
            return
        if answers:
            lane.sent(row, turn.own_us)
        else:
            lane.remove(row)
            self._custody.complete(row, turn, final=hop.service == destination)

    def _give_up(self, lane: Lane, turn: Turn) -> None:
        """Drop the rows whose destination is no longer in the file."""
        lane.rewind()
        while (row := lane.next()) is not None:
            self._let_go(row, lane, turn, "dropped", "no such event service")

    def _let_go(self, row: CustodyRow, lane: Lane, turn: Turn, decision: str, reason: str) -> None:
        """Drop a row that will not arrive, and report the reason."""
        turn.decide(of_event(decision, row.event, to=row.destination, reason=reason))
        lane.remove(row)
        self._custody.complete(row, turn, final=True)

    def _answers(self, hop: Hop, destination: str) -> bool:
        """Return whether a hop confirms or acknowledges what is sent to it.

        On a medium gateways acknowledge one another, since what is sent there may not be received.
        """
        if hop.service in self._persistent:
            return True
        return hop.service != destination and self._settings.adapters[hop.service].on_medium
