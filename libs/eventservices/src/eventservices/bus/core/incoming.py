"""What a sink's bus receives: each lane in its order, each identity once for each sink.

Source:
    Smart-building thesis, section 5.2, "Receiving Notification of an Event".
"""

from itertools import islice
from typing import Final

from eventservices.bus.core import rows
from eventservices.bus.core.effects import Deliver
from eventservices.bus.core.portions import Work, examined
from eventservices.bus.core.state import Arrival, Sink, State
from eventservices.bus.wire.messages import EBAccepted, EBLaneUnknown, EBNotify, Event

CONFIRMATIONS: Final = 1000
"""Most lanes that one tick confirms."""


class Incoming:
    """Brings events into order and delivers them.

    Args:
        state: The bus's.
    """

    def __init__(self, state: State) -> None:
        self._state = state
        self._unconfirmed: dict[tuple[str, str], None] = {}
        self._held: dict[str, dict[str, None]] = {}

    def tick(self) -> None:
        """Confirm what was accepted since."""
        for origin, name in list(islice(self._unconfirmed, CONFIRMATIONS)):
            self._confirm(origin, name, self._state.arrivals[origin, name])

    def bus_gone(self, origin: str) -> Work:
        """Forget what came from a bus that is gone: where it lives, it begins its lanes again."""
        for name in list(self._state.arrivals_of.get(origin, ())):
            if (origin, name) in self._state.arrivals:
                self._forget(origin, name)
                yield 1

    def expire(self) -> Work:
        """Forget the lanes of names that no sink requests any more."""
        return examined(list(self._state.arrivals), self._expire)

    def _expire(self, key: tuple[str, str]) -> int:
        arrival = self._state.arrivals.get(key)
        if arrival is None or arrival.held or key[1] in self._state.requested:
            return 0
        if key in self._unconfirmed:
            return 0
        self._forget(*key)
        return 1

    def notified(self, origin: str, message: EBNotify, now_us: int) -> None:
        """Accept a message of another bus, or of the own."""
        state, name = self._state, message.event.name
        arrival = state.arrivals.get((origin, name))
        if arrival is None or message.lane > arrival.lane:
            state.expect(origin, now_us)
            arrival = Arrival(message.lane)
            state.add_arrival(origin, name, arrival)
        if message.lane < arrival.lane:
            state.counters["stale"] += 1
            return
        if arrival.started and message.number <= arrival.last:
            state.counters["repeated"] += 1
            self._confirm(origin, name, arrival)
            return
        if len(arrival.held) >= state.settings.window and message.before not in arrival.held:
            state.counters["held_full"] += 1
            return
        if message.before > arrival.last and not (arrival.started and arrival.settled):
            state.effects.send(origin, EBLaneUnknown(name, message.lane, arrival.last))
        arrival.held[message.before] = message
        self._note_held(origin, name, arrival)
        self._accept(origin, name, arrival)

    def delivered(self, sink_id: int, serial: int) -> None:
        """Accept a sink's confirmation, or that it has failed; either ends the delivery."""
        sink = self._state.sinks.get(sink_id)
        if sink is None:
            return
        for place, (number, _, event) in enumerate(sink.queue):
            if place >= sink.flying:
                return
            if number == serial:
                del sink.queue[place]
                sink.flying -= 1
                if event.persistent and sink.durable:
                    rows.drop_inbox(self._state, sink, serial)
                break
        else:
            return
        self.pump(sink)
        if len(sink.queue) == self._state.settings.sink_items - 1:
            self._resume(sink.name)

    def pump(self, sink: Sink) -> None:
        """Deliver what waits for a sink, as far as it may be in transit."""
        settings, state = self._state.settings, self._state
        while sink.client and sink.flying < min(len(sink.queue), settings.in_flight):
            serial, _, event = sink.queue[sink.flying]
            sink.flying += 1
            state.effects.add(Deliver(sink.client, sink.id, serial, event))

    def withdraw(self, sink: Sink, origin: str) -> int:
        """Withdraw what waits for a sink from a bus; return how many."""
        kept = list(sink.queue)[: sink.flying]
        waiting = list(sink.queue)[sink.flying :]
        gone = [each for each in waiting if each[1] == origin]
        sink.queue.clear()
        sink.queue.extend(kept + [each for each in waiting if each[1] != origin])
        for serial, _, event in gone:
            if event.persistent and sink.durable:
                rows.drop_inbox(self._state, sink, serial)
        return len(gone)

    def _accept(self, origin: str, name: str, arrival: Arrival) -> None:
        state = self._state
        before = arrival.last if arrival.started else 0
        unknown: list[int] = []
        accepted = False
        while (message := arrival.held.get(before)) is not None:
            sinks = [state.sinks.get(each) for each in message.sinks]
            if any(each and self._delays(each, message.event) for each in sinks):
                state.counters["back_pressure"] += 1
                break
            del arrival.held[before]
            arrival.started = arrival.settled = True
            arrival.last = before = message.number
            accepted = True
            arrival.unconfirmed += 1
            for number, sink in zip(message.sinks, sinks, strict=True):
                if sink is None or sink.name != name:
                    unknown.append(number)
                else:
                    self._enqueue(sink, origin, message.event)
            if message.event.persistent:
                rows.put_arrival(state, origin, name, arrival)
        if accepted:
            arrival.held = {at: each for at, each in arrival.held.items() if each.number > before}
            self._note_held(origin, name, arrival)
            state.counters["unknown_sinks"] += len(unknown)
            if unknown or arrival.unconfirmed >= state.settings.confirm_every:
                self._confirm(origin, name, arrival, tuple(dict.fromkeys(unknown)))
            else:
                self._unconfirmed[origin, name] = None

    def _enqueue(self, sink: Sink, origin: str, event: Event) -> None:
        stamp = event.stamp
        floor = sink.floors.get((stamp.origin, stamp.epoch, stamp.home), 0)
        if stamp.sequence <= floor or sink.seen.repeated(stamp):
            self._state.counters["suppressed"] += 1
            return
        if self._is_full(sink):
            self._state.counters["dropped_for_absent_sink"] += 1
            return
        serial = self._state.new_id()
        sink.queue.append((serial, origin, event))
        if event.persistent and sink.durable:
            rows.put_inbox(self._state, sink, serial, origin, event)
        self._state.counters["received"] += 1
        self.pump(sink)

    def _is_full(self, sink: Sink) -> bool:
        return len(sink.queue) >= self._state.settings.sink_items

    def _delays(self, sink: Sink, event: Event) -> bool:
        """Return whether an event waits, with its lane, until a sink has room.

        Where nobody receives what is best effort does not delay everybody else.
        """
        return self._is_full(sink) and bool(sink.client or event.persistent)

    def _note_held(self, origin: str, name: str, arrival: Arrival) -> None:
        """Note whether a lane waits: who looks for those does not look at all."""
        if arrival.held:
            self._held.setdefault(name, {})[origin] = None
        elif name in self._held:
            self._held[name].pop(origin, None)
            if not self._held[name]:
                del self._held[name]

    def _forget(self, origin: str, name: str) -> None:
        self._note_held(origin, name, Arrival(0))
        self._state.remove_arrival(origin, name)
        self._unconfirmed.pop((origin, name), None)
        rows.drop_arrival(self._state, origin, name)

    def _resume(self, name: str) -> None:
        for origin in list(self._held.get(name, ())):
            self._accept(origin, name, self._state.arrivals[origin, name])

    def _confirm(
        self, origin: str, name: str, arrival: Arrival, unknown: tuple[int, ...] = ()
    ) -> None:
        arrival.unconfirmed = 0
        self._unconfirmed.pop((origin, name), None)
        message = EBAccepted(name, arrival.lane, arrival.last, unknown)
        self._state.effects.send(origin, message)
