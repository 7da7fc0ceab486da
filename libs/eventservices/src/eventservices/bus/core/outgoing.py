"""What a source's bus sends: one message a bus, in order, until it is confirmed.

Source:
    Smart-building thesis, sections 4.4.3 (numbers of events), 5.2 (one message for all sinks of a
    bus) and 6.4 (the number of invocations).
"""

from collections import defaultdict
from collections.abc import Iterable
from itertools import islice
from typing import Any, Final

from eventservices.bus.core import rows
from eventservices.bus.core.state import Fresh, Lane, RemoteSink, State, Waiting
from eventservices.bus.errors import NotifyError
from eventservices.bus.filters import Subject
from eventservices.bus.wire.messages import EBAccepted, EBLaneUnknown, EBNotify, Event
from eventservices.stamp import Stamp

AGAIN: Final = 8
"""Most messages of a lane that are sent again at once."""

MOST_DOUBLINGS: Final = 4


class Outgoing:
    """Sends events to the buses whose sinks accept them.

    Args:
        state: The bus's.
    """

    def __init__(self, state: State) -> None:
        self._state = state

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
        number = state.numbers[name] = state.numbers.get(name, 0) + 1
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
        self.send(bus, lane, now_us)

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
        self.send(bus, lane, now_us)

    def withdraw(self, name: str, bus: str, sinks: set[int]) -> int:
        """Withdraw copies of sinks that are not confirmed; return how many."""
        lane, found = self._state.lanes.get((name, bus)), 0
        for item in lane.items if lane else ():
            left = tuple(each for each in item.sinks if each not in sinks)
            if len(left) < len(item.sinks):
                found += len(item.sinks) - len(left)
                item.sinks = left
                self._store(item)
        return found

    def drop_bus(self, bus: str, *, keep: Iterable[int]) -> None:
        """Drop what waits for a bus that is gone, but for the sinks that outlive it."""
        kept = frozenset(keep)
        for name in [name for name, other in self._state.lanes if other == bus]:
            lane = self._state.lanes[name, bus]
            items = list(lane.items)
            lane.items.clear()
            for item in items:
                left = tuple(sink for sink in item.sinks if sink in kept)
                if left:
                    lane.items.append(item)
                    if len(left) < len(item.sinks):
                        item.sinks = left
                        self._store(item)
                else:
                    self._state.counters["undelivered"] += 1
                    rows.drop_copy(self._state, item)
            if not lane.items:
                del self._state.lanes[name, bus]
            elif len(lane.items) < len(items):
                self._renew(lane)

    def expire(self) -> None:
        """Forget the lanes of names that have no source any more, once all is confirmed."""
        state = self._state
        for key in [key for key, each in state.lanes.items() if not each.items]:
            if key[0] not in state.names:
                del state.lanes[key]

    def tick(self, now_us: int) -> None:
        """Send again what was not confirmed in time."""
        for name in [name for name, each in self._state.fresh.items() if each.until_us < now_us]:
            del self._state.fresh[name]
        for (_, bus), lane in self._state.lanes.items():
            if lane.items:
                self.send(bus, lane, now_us)

    def send(self, bus: str, lane: Lane, now_us: int) -> None:
        """Send what is in the window and was not sent; of what is late only the oldest.

        A bus that is behind, not deaf, would else be sent everything again and fall back further.
        """
        state, again = self._state, 0
        for item in islice(lane.items, state.settings.window):
            if item.sent_us:
                late_us = state.settings.retry_us << min(item.tries, MOST_DOUBLINGS)
                if again >= AGAIN or now_us - item.sent_us < late_us:
                    continue
                item.tries, again = item.tries + 1, again + 1
                state.counters["resent"] += 1
            item.sent_us = now_us
            message = EBNotify(lane.id, item.number, item.before, item.sinks, item.event)
            state.effects.send(bus, message)

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
        lane = state.lanes.get((event.name, bus))
        if lane is None:
            lane = state.lanes[event.name, bus] = Lane(state.new_id())
        waiting = Waiting(lane.last + 1, number, lane.last, sinks, event)
        rows.append(state, bus, lane, waiting)
        if len(lane.items) <= state.settings.window:
            item = lane.items[-1]
            item.sent_us = now_us
            message = EBNotify(lane.id, item.number, item.before, sinks, event)
            state.effects.send(bus, message)
        return 1
