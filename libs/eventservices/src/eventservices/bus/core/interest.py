"""What this bus's sinks request, and what became of it at the buses that have sources.

Source:
    Smart-building thesis, section 4.4.3, "Subscribing to Event", and 4.4.4.
"""

from collections.abc import Collection
from typing import Final

from eventservices.bus.core import rows
from eventservices.bus.core.agenda import Agenda
from eventservices.bus.core.effects import ALL, Ended, Lookup, Reply
from eventservices.bus.core.incoming import Incoming
from eventservices.bus.core.portions import EXAMINED, Work, examined
from eventservices.bus.core.requests import Key, Requests
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

MOST_ENDING = 100_000
"""Most unsubscriptions that wait for their confirmation; beyond, the oldest is abandoned."""

CALLS: Final = 250
"""Most calls whose time one tick looks at."""


class Interest:
    """Keeps this bus's sinks subscribed at all sources.

    Args:
        state: The bus's.
        incoming: What their events come through.
    """

    def __init__(self, state: State, incoming: Incoming) -> None:
        self._state = state
        self._incoming = incoming
        self._ending: dict[tuple[str, str, int], int] = {}
        self._requests = Requests(self._send, state.settings.retry_us, state.counters)
        self._calls: Agenda[int] = Agenda()
        self._guesses = 0
        self._answers: dict[str, set[str] | None] = {}
        self._changed: dict[str, bool] = {}

    @property
    def unanswered(self) -> int:
        """How many requests to other buses are not answered."""
        return len(self._requests)

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
        for bus in list(sink.at):
            self._remove(sink, bus, now_us)
        self._calls.plan(sink.id, sink.call[1])
        if durable:
            rows.put_sink(state, sink)
        state.effects.add(Lookup(name))
        self._incoming.pump(sink)

    def refilter(self, sink: Sink, call: int, filter_: Filter | None, now_us: int) -> None:
        """Replace a sink's filter; answered once the sources' buses have answered."""
        sink.filter, sink.version = filter_, self._state.new_id()
        sink.call = (call, now_us + self._state.settings.wait_us)
        self._calls.plan(sink.id, sink.call[1])
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
        self._calls.cancel(sink.id)
        numbers = state.requested[sink.name]
        numbers.discard(sink.id)
        if not numbers:
            del state.requested[sink.name]
        for bus, standing in list(sink.at.items()):
            self._remove(sink, bus, now_us)
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
        state.now_us = now_us
        # The last answer counts, where several wait for their turn.
        self._answers[name] = None if buses is None else set(buses)
        state.portions.add(("found", name), lambda: self._found(name))

    def _found(self, name: str) -> Work:
        state = self._state
        buses = self._answers.pop(name)
        stated = sorted((buses or set()) | ({state.id} if name in state.names else set()))
        # The question to all may be lost; a request is sent again until it is answered.
        guessed = sorted(state.peers) if buses is None else []
        until_us = state.now_us + state.settings.everywhere_us if buses is None else 0
        work = 1 + (len(stated) + len(guessed)) // EXAMINED

        def ask(number: int) -> int:
            sink = state.sinks.get(number)
            if sink is None or sink.name != name:
                return 0
            sink.asking_until_us = max(sink.asking_until_us, until_us)
            sink.looked_up, asked = True, 0
            for bus in stated:
                asked += bus not in sink.at and self._ask(sink, bus, state.now_us)
            for bus in guessed:
                asked += bus not in sink.at and self._ask(sink, bus, state.now_us, guessed=True)
            if sink.call:
                if until_us:
                    self._calls.plan_by(sink.id, until_us)
                self._answer(sink, state.now_us)
            return asked + work

        return examined(sorted(state.requested.get(name, ())), ask)

    def source_seen(self, bus: str, name: str, now_us: int) -> None:
        """Subscribe at a source that this bus was notified of."""
        state = self._state
        if name not in state.requested:
            return
        if state.portions.is_full:
            state.counters["sources_not_seen"] += 1
            return
        state.now_us = now_us
        state.portions.add(("seen", name, bus), lambda: self._seen(bus, name))

    def _seen(self, bus: str, name: str) -> Work:
        def ask(number: int) -> int:
            sink = self._state.sinks.get(number)
            if sink is None or sink.name != name:
                return 0
            standing = sink.at.get(bus)
            if standing is not None:
                self._guess_no_more(standing)
            if standing is None or standing.state == "unknown":
                return self._ask(sink, bus, self._state.now_us)
            return 0

        return examined(sorted(self._state.requested.get(name, ())), ask)

    def bus_changed(self, bus: str, now_us: int, *, lost: bool) -> None:
        """Query again at a bus whose sources changed, or that has lost what it had granted.

        What it refused, or withdrew, was reported as ended: only the sink requests it again.
        """
        self._state.now_us = now_us
        self._changed[bus] = self._changed.get(bus, False) or lost
        self._state.portions.add(("changed", bus), lambda: self._ask_again(bus))

    def _ask_again(self, bus: str) -> Work:
        naming, lost = self._state.settings.naming, self._changed.pop(bus)

        def ask(number: int) -> int:
            sink = self._state.sinks.get(number)
            standing = None if sink is None else sink.at.get(bus)
            if sink is None or (standing is None and naming and sink.name != NEW_SOURCE):
                return 0  # the naming service knows where sources are
            if standing is not None and standing.state == "refused":
                return 0
            if lost or standing is None or standing.state == "unknown":
                return self._ask(sink, bus, self._state.now_us, guessed=True)
            return 0

        return examined(list(self._state.sinks), ask)

    def bus_gone(self, bus: str) -> Work:
        """End what a bus that is gone had granted; it is requested again once that is back."""
        self._requests.drop(bus)

        def end(number: int) -> int:
            sink = self._state.sinks.get(number)
            standing = None if sink is None else sink.at.get(bus)
            if sink is None or standing is None:
                return 0
            standing.state = "unknown"
            self._requests.end(bus, ("", number), self._state.now_us)
            self._answer(sink, self._state.now_us)
            return 1

        def forget(key: tuple[str, str, int]) -> int:
            return key[0] == bus and self._ending.pop(key, None) is not None

        yield from examined(list(self._state.sinks), end)
        yield from examined(list(self._ending), forget)

    def requests_at(self, bus: str) -> bool:
        """Return whether any sink has requested something at a bus."""
        return any(bus in sink.at for sink in self._state.sinks.values())

    def forget(self, bus: str) -> Work:
        """Request nothing more at a bus that did not come back."""

        def forget(number: int) -> int:
            sink = self._state.sinks.get(number)
            return sink is not None and self._remove(sink, bus, self._state.now_us)

        return examined(list(self._state.sinks), forget)

    def answered(self, bus: str, now_us: int) -> None:
        """Note a sign of life of a bus."""
        self._requests.answered(bus, now_us)

    def subscribed(self, bus: str, message: EBSubscribed, now_us: int) -> None:
        """Accept a source's bus's answer."""
        ending = self._ending.get((bus, message.name, message.sink))
        if ending is not None and message.version >= ending:
            del self._ending[bus, message.name, message.sink]
            self._requests.end(bus, (message.name, message.sink), now_us)
        sink = self._state.sinks.get(message.sink)
        if sink is None and ending is None and not message.unknown and not message.problem:
            # It ended while its bus, or this one, was away.
            self._end_at(bus, message.name, message.sink, now_us)
        standing = self._standing(sink, bus, message, now_us)
        if sink is None or standing is None or standing.version != message.version:
            return
        if standing.state != "granted" and sink.name == NEW_SOURCE and not sink.call:
            self.look_up_all()
        self._requests.end(bus, ("", sink.id), now_us)
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
        self._requests.end(bus, ("", sink.id), now_us)
        self._state.counters["revoked"] += 1
        self._state.counters["withdrawn"] += self._incoming.withdraw(sink, bus)
        if sink.client:
            self._state.effects.add(Ended(sink.client, sink.id, bus, message.reason))
        self._answer(sink, now_us)

    def tick(self, now_us: int) -> None:
        """Send again what was not answered, and answer calls whose time is over."""
        self._requests.tick(now_us)
        for number in self._calls.due(now_us, CALLS):
            sink = self._state.sinks.get(number)
            if sink is None or sink.call is None:
                continue
            call, until_us = sink.call
            if until_us <= now_us:
                self._finish(sink, call, now_us)
                continue
            self._calls.plan(number, until_us)
            self._answer(sink, now_us)

    def _send(self, bus: str, key: Key, now_us: int) -> None:
        """Send a request that has its turn."""
        name, number = key
        version = self._ending.get((bus, name, number))
        if version is not None:
            self._state.effects.send(bus, EBUnsubscribe(name, number, version))
            return
        sink = self._state.sinks.get(number)
        if name or sink is None:
            self._requests.end(bus, key, now_us)
            return
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

    def _end_at(self, bus: str, name: str, number: int, now_us: int) -> None:
        """End a subscription at a source's bus, which has to confirm that."""
        version = self._state.new_id()
        if not self._state.expect(bus, now_us):
            return
        self._ending[bus, name, number] = version
        self._requests.add(bus, (name, number), now_us)
        while len(self._ending) > MOST_ENDING:
            bus, name, number = next(iter(self._ending))
            del self._ending[bus, name, number]
            self._state.counters["endings_abandoned"] += 1
            self._requests.end(bus, (name, number), now_us)

    def _standing(
        self, sink: Sink | None, bus: str, message: EBSubscribed, now_us: int
    ) -> Standing | None:
        """Return what became of a request, also of one that was made before a restart."""
        if sink is None:
            return None
        standing = sink.at.get(bus)
        if standing is None and sink.version == message.version and sink.name == message.name:
            if not self._state.expect(bus, now_us):
                return None
            standing = sink.at[bus] = Standing(sink.version)
        return standing

    def look_up_all(self) -> None:
        """Look up all names: sources may be new that this bus was not notified of."""
        self._state.portions.add("look up", self._look_up_all)

    def _look_up_all(self) -> Work:
        def look_up(name: str) -> int:
            if name == NEW_SOURCE or name not in self._state.requested:
                return 0
            self._state.effects.add(Lookup(name))
            return 1

        return examined(list(self._state.requested), look_up)

    def _ask(self, sink: Sink, bus: str, now_us: int, *, guessed: bool = False) -> bool:
        """Request what a sink does at a bus; return whether there was room for that."""
        state, former = self._state, sink.at.get(bus)
        if guessed and former is None and self._guesses >= state.settings.most_guesses:
            state.counters["not_guessed"] += 1
            return False
        if not state.expect(bus, now_us):
            state.crowded = True
            return False
        if former is not None:
            self._guess_no_more(former)
        self._guesses += guessed
        sink.at[bus] = Standing(sink.version, guessed)
        self._requests.add(bus, ("", sink.id), now_us)
        return True

    def _guess_no_more(self, standing: Standing) -> None:
        """Note that a bus is known to have a source, or that a guess is replaced."""
        self._guesses -= standing.guessed
        standing.guessed = False

    def _remove(self, sink: Sink, bus: str, now_us: int) -> bool:
        """Forget what became of a sink's request at a bus; return whether there was one."""
        standing = sink.at.pop(bus, None)
        if standing is None:
            return False
        self._guess_no_more(standing)
        self._requests.end(bus, ("", sink.id), now_us)
        return True

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
