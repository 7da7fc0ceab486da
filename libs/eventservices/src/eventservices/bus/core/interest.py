"""What this bus's sinks request, and what became of it at the buses that have sources.

Source:
    Smart-building thesis, section 4.4.3, "Subscribing to Event", and 4.4.4.
"""

from collections.abc import Collection

from eventservices.bus.core import rows
from eventservices.bus.core.effects import ALL, Ended, Lookup, Reply
from eventservices.bus.core.incoming import Incoming
from eventservices.bus.core.state import Sink, Standing, State
from eventservices.bus.errors import (
    BUS_FULL,
    REFUSED_BY_POLICY,
    SubscriptionError,
    UnsubscribeError,
)
from eventservices.bus.filters import Filter
from eventservices.bus.names import NEW_SOURCE
from eventservices.bus.wire.messages import (
    EBRevoked,
    EBSubscribe,
    EBSubscribed,
    EBUnsubscribe,
    EBWho,
)

MOST_ENDING = 10_000
"""Most unsubscriptions that wait for their confirmation; beyond, the oldest is abandoned."""


class Interest:
    """Keeps this bus's sinks subscribed at all sources.

    Args:
        state: The bus's.
        incoming: What their events come through.
    """

    def __init__(self, state: State, incoming: Incoming) -> None:
        self._state = state
        self._incoming = incoming
        self._ending: dict[tuple[str, str, int], tuple[int, int]] = {}
        self._waiting: set[int] = set()

    def subscribe(
        self,
        client: str,
        call: int,
        name: str,
        filter_: Filter | None,
        user: str,
        device: str,
        durable: str,
        now_us: int,
    ) -> None:
        """Accept a sink's subscription; answered once the sources' buses have answered.

        Raises:
            SubscriptionError: There are too many sinks.
        """
        state = self._state
        sink = self._durable(name, durable, user)
        if sink is None:
            if len(state.sinks) >= state.settings.most_sinks:
                raise SubscriptionError(f"the bus has {len(state.sinks)} sinks", BUS_FULL)
            sink = Sink(state.new_id(), name, filter_, user, device, client, durable)
            state.sinks[sink.id] = sink
            state.requested.setdefault(name, set()).add(sink.id)
        state.detach(sink.client, sink.id)
        state.attach(client, sink.id)
        sink.client, sink.filter, sink.device, sink.flying = client, filter_, device, 0
        sink.version, sink.since_us = state.new_id(), now_us
        sink.call, sink.looked_up = (call, now_us + state.settings.wait_us), False
        sink.at.clear()
        self._waiting.add(sink.id)
        if durable:
            rows.put_sink(state, sink)
        state.effects.add(Lookup(name))
        self._incoming.pump(sink)

    def refilter(self, sink: Sink, call: int, filter_: Filter | None, now_us: int) -> None:
        """Replace a sink's filter; answered once the sources' buses have answered."""
        sink.filter, sink.version = filter_, self._state.new_id()
        sink.call = (call, now_us + self._state.settings.wait_us)
        self._waiting.add(sink.id)
        if sink.durable:
            rows.put_sink(self._state, sink)
        for bus in list(sink.at):
            self._ask(sink, bus, now_us)
        self._answer(sink, now_us)

    def unsubscribe(self, client: str, sink_id: int, now_us: int) -> int:
        """End a sink, and return its number.

        Raises:
            UnsubscribeError: The client has no such sink.
        """
        sink = self._state.sinks.get(sink_id)
        if sink is None or sink.client != client:
            raise UnsubscribeError(f"no sink {sink_id} of this client")
        self.end(sink, now_us)
        return sink_id

    def end(self, sink: Sink, now_us: int) -> None:
        """End a sink, at the sources' buses too."""
        state = self._state
        del state.sinks[sink.id]
        state.detach(sink.client, sink.id)
        self._waiting.discard(sink.id)
        numbers = state.requested[sink.name]
        numbers.discard(sink.id)
        if not numbers:
            del state.requested[sink.name]
        for bus, standing in sink.at.items():
            if standing.state in ("asked", "granted"):
                self._end_at(bus, sink.name, sink.id, now_us)
        state.counters["undelivered"] += len(sink.queue)
        if sink.durable:
            rows.drop_sink(state, sink)

    def found(self, name: str, buses: Collection[str] | None, now_us: int) -> None:
        """Accept the naming service's answer; None where it does not know now: all are queried."""
        state = self._state
        if name not in state.requested:
            return
        if buses is None:
            state.counters["asked_everywhere"] += 1
            state.effects.send(ALL, EBWho(name))
        for sink in self._sinks(name):
            if buses is None:
                sink.asking_until_us = now_us + state.settings.everywhere_us
            sink.looked_up = True
            targets = set(buses or ()) | ({state.id} if name in state.names else set())
            for bus in sorted(targets):
                if bus not in sink.at:
                    self._ask(sink, bus, now_us)
            # The question to all may be lost; a request is sent again until it is answered.
            for bus in sorted(state.peers) if buses is None else ():
                if bus not in sink.at:
                    self._ask(sink, bus, now_us, guessed=True)
            self._answer(sink, now_us)

    def source_seen(self, bus: str, name: str, now_us: int) -> None:
        """Subscribe at a source that this bus was notified of."""
        for sink in self._sinks(name):
            standing = sink.at.get(bus)
            if standing is not None:
                standing.guessed = False
            if standing is None or standing.state == "unknown":
                self._ask(sink, bus, now_us)

    def bus_changed(self, bus: str, now_us: int, *, lost: bool) -> None:
        """Query again at a bus whose sources changed, or that has lost what it had granted.

        What it refused, or withdrew, was reported as ended: only the sink requests it again.
        """
        naming = self._state.settings.naming
        for sink in list(self._state.sinks.values()):
            standing = sink.at.get(bus)
            if standing is None and naming and sink.name != NEW_SOURCE:
                continue  # the naming service knows where sources are
            if standing is not None and standing.state == "refused":
                continue
            if lost or standing is None or standing.state == "unknown":
                self._ask(sink, bus, now_us, guessed=True)

    def bus_gone(self, bus: str, now_us: int) -> bool:
        """End what a bus that is gone had granted; it is requested again once that is back.

        Returns:
            Whether anything is.
        """
        found = False
        for sink in list(self._state.sinks.values()):
            standing = sink.at.get(bus)
            if standing is not None:
                found, standing.state = True, "unknown"
                self._answer(sink, now_us)
        for key in [key for key in self._ending if key[0] == bus]:
            del self._ending[key]
        return found

    def forget(self, bus: str) -> None:
        """Request nothing more at a bus that did not come back."""
        for sink in self._state.sinks.values():
            sink.at.pop(bus, None)

    def subscribed(self, bus: str, message: EBSubscribed, now_us: int) -> None:
        """Accept a source's bus's answer."""
        ending = self._ending.get((bus, message.name, message.sink))
        if ending is not None and message.version >= ending[0]:
            del self._ending[bus, message.name, message.sink]
        sink = self._state.sinks.get(message.sink)
        if sink is None and ending is None and not message.unknown and not message.problem:
            # It ended while its bus, or this one, was away.
            self._end_at(bus, message.name, message.sink, now_us)
        standing = self._standing(sink, bus, message, now_us)
        if sink is None or standing is None or standing.version != message.version:
            return
        if standing.state != "granted" and sink.name == NEW_SOURCE and not sink.call:
            self._look_up_all()
        standing.problem = message.problem
        if message.unknown:
            standing.state = "unknown"
        else:
            standing.state = "refused" if message.problem else "granted"
        self._answer(sink, now_us)

    def revoked(self, bus: str, message: EBRevoked, now_us: int) -> None:
        """Process that a right was withdrawn; what waits from that bus is withdrawn with it."""
        sink = self._state.sinks.get(message.sink)
        standing = sink.at.get(bus) if sink else None
        if sink is None or standing is None:
            return
        standing.state, standing.problem = "refused", message.reason
        self._state.counters["revoked"] += 1
        self._state.counters["withdrawn"] += self._incoming.withdraw(sink, bus)
        if sink.client:
            self._state.effects.add(Ended(sink.client, sink.id, bus, message.reason))
        self._answer(sink, now_us)

    def tick(self, now_us: int) -> None:
        """Query again what was not answered, and answer calls whose time is over."""
        late_us = now_us - self._state.settings.retry_us
        for number in sorted(self._waiting):
            sink = self._state.sinks.get(number)
            if sink is None:  # an answer to another one ended it
                continue
            asked = _asked(sink)
            if not asked and not sink.call:
                self._waiting.discard(sink.id)
            for bus, standing in asked:
                if standing.asked_us <= late_us:
                    self._ask(sink, bus, now_us, guessed=standing.guessed)
            if sink.call and sink.call[1] <= now_us:
                self._finish(sink, sink.call[0], now_us)
            elif sink.call:
                self._answer(sink, now_us)
        for (bus, name, number), (version, asked_us) in list(self._ending.items()):
            if asked_us <= late_us:
                self._ending[bus, name, number] = (version, now_us)
                self._state.effects.send(bus, EBUnsubscribe(name, number, version))

    def _end_at(self, bus: str, name: str, number: int, now_us: int) -> None:
        """End a subscription at a source's bus, which has to confirm that."""
        version = self._state.new_id()
        self._ending[bus, name, number] = (version, now_us)
        self._state.expect(bus, now_us)
        self._state.effects.send(bus, EBUnsubscribe(name, number, version))
        while len(self._ending) > MOST_ENDING:
            del self._ending[next(iter(self._ending))]

    def _standing(
        self, sink: Sink | None, bus: str, message: EBSubscribed, now_us: int
    ) -> Standing | None:
        """Return what became of a request, also of one that was made before a restart."""
        if sink is None:
            return None
        standing = sink.at.get(bus)
        if standing is None and sink.version == message.version and sink.name == message.name:
            standing = sink.at[bus] = Standing(now_us, sink.version, guessed=True)
            self._state.expect(bus, now_us)
        return standing

    def _look_up_all(self) -> None:
        """Look up all names: sources may be new that this bus was not notified of."""
        for name in self._state.requested:
            if name != NEW_SOURCE:
                self._state.effects.add(Lookup(name))

    def _ask(self, sink: Sink, bus: str, now_us: int, *, guessed: bool = False) -> None:
        sink.at[bus] = Standing(now_us, sink.version, guessed)
        self._state.expect(bus, now_us)
        self._waiting.add(sink.id)
        message = EBSubscribe(
            sink.name,
            sink.id,
            sink.version,
            sink.filter,
            sink.user,
            sink.device,
            bool(sink.durable),
            0 if sink.call else sink.since_us - self._state.ahead_us,
        )
        self._state.effects.send(bus, message)

    def _answer(self, sink: Sink, now_us: int) -> None:
        """Answer the call that waits, once all buses have answered."""
        if sink.call is None or not sink.looked_up or now_us < sink.asking_until_us:
            return
        if all(each.guessed or each.state != "asked" for each in sink.at.values()):
            self._finish(sink, sink.call[0], now_us)

    def _finish(self, sink: Sink, call: int, now_us: int) -> None:
        sink.call = None
        states = [each.state for each in sink.at.values()]
        problems = [each.problem for each in sink.at.values() if each.state == "refused"]
        if problems and "granted" not in states:
            error = SubscriptionError(problems[0], REFUSED_BY_POLICY)
            self._state.effects.add(Reply(sink.client, call, error=error))
            self.end(sink, now_us)
            return
        self._state.effects.add(Reply(sink.client, call, sink.id))

    def _durable(self, name: str, durable: str, user: str) -> Sink | None:
        for number in self._state.requested.get(name, ()) if durable else ():
            sink = self._state.sinks[number]
            if sink.durable == durable and sink.user == user:
                return sink
        return None

    def _sinks(self, name: str) -> list[Sink]:
        return [self._state.sinks[number] for number in sorted(self._state.requested.get(name, ()))]


def _asked(sink: Sink) -> list[tuple[str, Standing]]:
    """Return the buses that have not answered a sink's request."""
    return [(bus, each) for bus, each in sink.at.items() if each.state == "asked"]
