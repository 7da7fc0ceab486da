"""What a source's bus sends: one message a bus, in order, until it is confirmed.

Source:
    Smart-building thesis, sections 4.4.3 (numbers of events), 5.2 (one message for all sinks of a
    bus) and 6.4 (the number of invocations).
"""

from collections import defaultdict, deque
from collections.abc import Iterable
from functools import partial
from itertools import islice
from typing import Any, Final

from eventservices.bus.core import rows
from eventservices.bus.core.agenda import Agenda
from eventservices.bus.core.portions import EXAMINED, Work, examined
from eventservices.bus.core.state import Fresh, Lane, RemoteSink, State, Waiting
from eventservices.bus.errors import NotifyError
from eventservices.bus.filters import Subject
from eventservices.bus.wire.messages import EBAccepted, EBLaneUnknown, EBNotify, Event
from eventservices.stamp import Stamp

AGAIN: Final = 8
"""Most messages of a lane that are sent again at once."""

MOST_DOUBLINGS: Final = 4

PORTION: Final = 256
"""Most messages that one tick sends again, of all lanes, and most lanes that it looks at."""

SILENT_HELLOS: Final = 2
"""Missing signs of life after which only the oldest message of each of its lanes is repeated."""


class Outgoing:
    """Sends events to the buses whose sinks accept them.

    Args:
        state: The bus's.
    """

    def __init__(self, state: State) -> None:
        self._state = state
        self._times: Agenda[tuple[str, str]] = Agenda()
        self._withdrawn: dict[tuple[str, str], dict[int, tuple[int, bool]]] = {}

    def restored(self) -> None:
        """Send what outlived a restart."""
        for key in self._state.lanes:
            self._times.plan(key, 0)

    def notify(
        self,
        name: str,
        values: dict[str, Any],
        attributes: dict[str, Any],
        *,
        persistent: bool,
        stamp: Stamp | None,
        now_us: int,
    ) -> int:
        """Send an event to the buses of all sinks whose filters it passes.

        Returns:
            Its number.

        Raises:
            NotifyError: A bus confirms so slowly that its lane is full; nothing was sent.
        """
        state = self._state
        accepted = self._accepting(name, values, attributes)
        self._check_room(name, accepted, persistent=persistent)
        number = state.numbers[name] = state.numbers.get(name, state.floor) + 1
        if stamp is None:
            origin = f"{state.id}/{name}"
            made_us = now_us - state.ahead_us
            stamp = Stamp(origin, state.incarnation, number, made_us, state.home)
        event = Event(name, values, stamp, attributes, persistent)
        self._keep_fresh(number, event, now_us)
        buses = 0
        for bus, sinks in accepted.items():
            buses += self._append(bus, number, tuple(sinks), event, now_us)
        state.counters["events"] += 1
        state.counters["buses_notified"] += buses
        state.counters["sinks_notified"] += sum(map(len, accepted.values()))
        state.counters["invocations"] += 1 + buses + sum(map(len, accepted.values()))
        if persistent and accepted:
            rows.put_event(state, number, event)
        return number

    def begin(self, name: str, now_us: int) -> None:
        """Keep what a new source sends for the sinks that have waited for it."""
        self._state.fresh.pop(name, None)  # the oldest is the first
        self._state.fresh[name] = Fresh(now_us + self._state.settings.fresh_us)

    def catch_up(self, name: str, sink: RemoteSink, now_us: int) -> None:
        """Send a sink that had waited for a source what that has sent since it was advertised."""
        fresh = self._state.fresh.get(name)
        since_us, sink.since_us = sink.since_us, 0
        if fresh is None or not since_us or sink.test is None:
            return
        for at_us, number, event in fresh.events:
            if at_us < since_us:
                continue
            subject = Subject(event.values, event.attributes, sink.user, sink.device)
            lane = self._state.lanes.get((name, sink.bus))
            has_room = lane is None or len(lane.items) < self._state.settings.lane_items
            if has_room and sink.test(subject) is True:
                self._state.counters["caught_up"] += 1
                self._append(sink.bus, number, (sink.id,), event, now_us)
                if event.persistent:
                    rows.put_event(self._state, number, event)

    def _keep_fresh(self, number: int, event: Event, now_us: int) -> None:
        fresh = self._state.fresh.get(event.name)
        if fresh is not None and now_us <= fresh.until_us:
            fresh.events.append((now_us, number, event))

    def accepted(self, bus: str, message: EBAccepted, now_us: int) -> None:
        """Accept a confirmation."""
        state = self._state
        lane = state.lanes.get((message.name, bus))
        if lane is None or lane.id != message.lane:
            return
        while lane.items and lane.items[0].number <= message.number:
            rows.drop_copy(state, lane.items.popleft())
        self.send(message.name, bus, lane, now_us)

    def lane_unknown(self, bus: str, message: EBLaneUnknown, now_us: int) -> None:
        """Begin a lane again where its bus has lost what it had accepted."""
        lane = self._state.lanes.get((message.name, bus))
        if lane is None or lane.id != message.lane or not lane.items:
            return
        # Otherwise only a message is missing that was not confirmed, and is sent again.
        if lane.items[0].before <= message.last:
            return
        self._state.counters["lanes_renewed"] += 1
        self._renew(lane)
        self.send(message.name, bus, lane, now_us)

    def withdraw(self, name: str, bus: str, sinks: Iterable[int], *, revoked: bool = False) -> None:
        """Withdraw copies of sinks that are not confirmed: none is sent from now on.

        The lane and the store follow in portions. What is sent to the same sinks later is not
        concerned.

        Args:
            name: Of the events.
            bus: The sinks'.
            sinks: Their numbers.
            revoked: Whether that is counted.
        """
        lane = self._state.lanes.get((name, bus))
        if lane is None or not lane.items:
            return
        gone = self._withdrawn.setdefault((name, bus), {})
        gone.update(dict.fromkeys(sinks, (lane.last, revoked)))
        self._state.portions.add(("withdraw", name, bus), partial(self._withdrawing, name, bus))

    def _withdrawing(self, name: str, bus: str) -> Work:
        lane = self._state.lanes.get((name, bus))
        done = dict(self._withdrawn.get((name, bus), {}))
        items = [] if lane is None else list(lane.items)
        yield from examined(items, partial(self._narrow, done))
        gone = self._withdrawn.get((name, bus), {})
        for sink in [sink for sink, last in done.items() if gone.get(sink) == last]:
            del gone[sink]
        if not gone:
            self._withdrawn.pop((name, bus), None)

    def _narrow(self, gone: dict[int, tuple[int, bool]], item: Waiting) -> int:
        """Withdraw an item's copies of sinks that are gone; return the pieces of that."""
        pieces = 1 + len(item.sinks) // EXAMINED
        lost = {each for each in item.sinks if each in gone and item.number <= gone[each][0]}
        if not lost:
            return pieces - 1
        item.sinks = tuple(each for each in item.sinks if each not in lost)
        self._state.counters["withdrawn"] += sum(gone[each][1] for each in lost)
        self._store(item)
        return pieces

    def drop_bus(self, bus: str) -> Work:
        """Drop what waits for a bus that is gone, but for its sinks that are still here.

        What begins to wait meanwhile is for such sinks, and nothing of the bus is accepted: it
        begins its lanes again where it lives after all.
        """
        for name in list(self._state.lanes_of.get(bus, ())):
            here = self._state.remote_of.get(bus, {})
            kept = {number for other, number in here if other == name}
            yield 1 + len(here) // EXAMINED
            lane = self._state.lanes.get((name, bus))
            if lane is None:
                continue
            if kept:
                yield from examined(list(lane.items), partial(self._keep, kept))
                yield 1 + len(lane.items) // EXAMINED
            else:
                while lane.items:
                    self._drop(lane.items.popleft())
                    yield 1
            self._end_drop(name, bus)

    def _end_drop(self, name: str, bus: str) -> None:
        """Begin a lane again without what was dropped; one where nothing waits ends."""
        lane = self._state.lanes.get((name, bus))
        if lane is None:
            return
        before = len(lane.items)
        lane.items = deque(item for item in lane.items if item.sinks)
        if not lane.items:
            self._remove(name, bus)
        elif len(lane.items) < before:
            self._renew(lane)

    def revive(self, bus: str, now_us: int) -> None:
        """Send again what waits for a bus that was silent."""
        for name in self._state.lanes_of.get(bus, ()):
            for item in islice(self._state.lanes[name, bus].items, AGAIN):
                item.tries = 0
            self._times.plan_by((name, bus), now_us)

    def _keep(self, kept: set[int], item: Waiting) -> int:
        """Withdraw an item's copies of sinks that are not kept; return the pieces of that."""
        left = tuple(each for each in item.sinks if each in kept)
        pieces = len(item.sinks) // EXAMINED
        if len(left) == len(item.sinks) and left:
            return pieces
        item.sinks = left
        if left:
            self._store(item)
        else:
            self._drop(item)
        return 1 + pieces

    def _drop(self, item: Waiting) -> None:
        self._state.counters["undelivered"] += 1
        rows.drop_copy(self._state, item)

    def expire(self) -> Work:
        """Forget the lanes of names that have no source any more, once all is confirmed."""
        return examined(list(self._state.lanes), self._expire)

    def _expire(self, key: tuple[str, str]) -> int:
        lane = self._state.lanes.get(key)
        if lane is None or lane.items or key[0] in self._state.names:
            return 0
        self._remove(*key)
        return 1

    def _remove(self, name: str, bus: str) -> None:
        self._state.remove_lane(name, bus)
        self._times.cancel((name, bus))
        self._withdrawn.pop((name, bus), None)

    def tick(self, now_us: int) -> None:
        """Send again what was not confirmed in time."""
        fresh = self._state.fresh
        while fresh and fresh[name := next(iter(fresh))].until_us < now_us:
            del fresh[name]
        sent = 0
        for name, bus in self._times.due(now_us, PORTION):
            sent += self.send(name, bus, self._state.lanes[name, bus], now_us)
            if sent >= PORTION:
                return

    def send(self, name: str, bus: str, lane: Lane, now_us: int) -> int:
        """Send what is in the window and was not sent; of what is late only the oldest.

        A bus that is behind, not deaf, would else be sent everything again and fall back further.

        Returns:
            How many messages that was.
        """
        retry_us, sent, again = self._state.settings.retry_us, 0, 0
        most = 1 if self._is_silent(bus, now_us) else AGAIN
        next_us = now_us + (retry_us << MOST_DOUBLINGS)
        gone = self._withdrawn.get((name, bus))
        for item in islice(lane.items, self._state.settings.window):
            if item.sent_us:
                due_us = item.sent_us + (retry_us << min(item.tries, MOST_DOUBLINGS))
                if again >= most or now_us < due_us:
                    next_us = next_us if again >= most == 1 else min(next_us, due_us)
                    continue
                item.tries, again = item.tries + 1, again + 1
                self._state.counters["resent"] += 1
            if gone:
                self._narrow(gone, item)
            item.sent_us, sent = now_us, sent + 1
            next_us = min(next_us, now_us + (retry_us << min(item.tries, MOST_DOUBLINGS)))
            message = EBNotify(lane.id, item.number, item.before, item.sinks, item.event)
            self._state.effects.send(bus, message)
        if lane.items:
            self._times.plan((name, bus), max(next_us, now_us + 1))
        else:
            self._times.cancel((name, bus))
        return sent

    def _is_silent(self, bus: str, now_us: int) -> bool:
        peer, settings = self._state.peers.get(bus), self._state.settings
        if bus == self._state.id:
            return False
        return peer is None or now_us - peer.heard_us > SILENT_HELLOS * settings.hello_us

    def _renew(self, lane: Lane) -> None:
        lane.id, before = self._state.new_id(), 0
        for item in lane.items:
            item.before, before, item.sent_us = before, item.number, 0
            item.tries = 0

    def _store(self, item: Waiting) -> None:
        if item.event.persistent:
            rows.put_event(self._state, item.event_number, item.event)

    def _accepting(
        self, name: str, values: dict[str, Any], attributes: dict[str, Any]
    ) -> dict[str, list[int]]:
        """Return the sinks that accept an event, by bus."""
        found: defaultdict[str, list[int]] = defaultdict(list)
        for sink in self._state.remote.get(name, {}).values():
            if sink.test is None:
                continue
            subject = Subject(values, attributes, sink.user, sink.device)
            self._state.counters["filters_applied"] += 1
            if sink.test(subject) is True:
                found[sink.bus].append(sink.id)
        return found

    def _check_room(self, name: str, accepted: dict[str, list[int]], *, persistent: bool) -> None:
        limit = self._state.settings.lane_items
        for bus in list(accepted):
            lane = self._state.lanes.get((name, bus))
            if lane is None or len(lane.items) < limit:
                continue
            if not persistent and bus not in self._state.peers:
                # Nobody answers there: what is best effort does not delay everybody else.
                self._state.counters["dropped_for_silent_bus"] += len(accepted.pop(bus))
                continue
            self._state.counters["refused_full"] += 1
            raise NotifyError(f"{limit} events of {name} wait for bus {bus}")

    def _append(
        self, bus: str, number: int, sinks: tuple[int, ...], event: Event, now_us: int
    ) -> int:
        state = self._state
        lane = state.lane(event.name, bus)
        if lane.items and lane.items[-1].sinks == sinks:
            sinks = lane.items[-1].sinks  # thousands of messages would each have thousands
        waiting = Waiting(lane.last + 1, number, lane.last, sinks, event)
        rows.append(state, bus, lane, waiting)
        if len(lane.items) <= state.settings.window:
            item = lane.items[-1]
            item.sent_us = now_us
            self._times.plan_by((event.name, bus), now_us + state.settings.retry_us)
            message = EBNotify(lane.id, item.number, item.before, sinks, event)
            state.effects.send(bus, message)
        return 1
