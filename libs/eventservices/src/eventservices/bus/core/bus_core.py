"""One event bus without input and output.

Calls of clients, messages of buses, answers of the naming and policy services and the time come
in by methods; `take` returns what they lead to. The binding stores the rows, then performs the
outputs in their order.
"""

from collections.abc import Callable, Collection, Mapping
from functools import partial
from typing import Any

from eventservices.bus.core import rows
from eventservices.bus.core.effects import ALL, Decide, Effects, RemoveName, Reply
from eventservices.bus.core.grants import Grants
from eventservices.bus.core.incoming import Incoming
from eventservices.bus.core.interest import Interest
from eventservices.bus.core.outgoing import Outgoing
from eventservices.bus.core.portions import Work, examined
from eventservices.bus.core.presence import Presence
from eventservices.bus.core.sources import Sources
from eventservices.bus.core.state import BusSettings, Decision, State
from eventservices.bus.errors import (
    NOT_VALID,
    BusError,
    SubscriptionError,
)
from eventservices.bus.filters import Filter, RunCode, check_filter, no_code
from eventservices.bus.names import check_name
from eventservices.bus.wire.messages import (
    EBAccepted,
    EBGone,
    EBHave,
    EBHello,
    EBLaneUnknown,
    EBNotify,
    EBRevoked,
    EBSubscribe,
    EBSubscribed,
    EBUnsubscribe,
    EBWho,
    Message,
)
from eventservices.stamp import Stamp


class BusCore:
    """Decides what one bus does.

    Args:
        bus: Its identifier, unique in the building.
        home: Name of the event service.
        settings: See there.
        now_us: Microseconds since 1970 UTC, by a clock that is not set while the bus runs.
        stored: Rows that an earlier incarnation stored.
        run_code: Runs filters that are plug-ins.
    """

    def __init__(
        self,
        bus: str,
        home: str,
        settings: BusSettings,
        now_us: int,
        stored: Mapping[str, bytes] | None = None,
        run_code: RunCode = no_code,
    ) -> None:
        self._state = State(bus, home, now_us, settings, run_code)
        self._outgoing = Outgoing(self._state)
        self._incoming = Incoming(self._state)
        self._interest = Interest(self._state, self._incoming)
        self._grants = Grants(self._state, self._outgoing)
        self._presence = Presence(
            self._state, self._interest, self._grants, self._incoming, self._outgoing
        )
        self._sources = Sources(self._state, self._outgoing)
        self._abandoned: dict[int, None] = {}
        self._expiry_us = now_us
        self._state.now_us = now_us
        if stored:
            self._restore(stored, now_us)

    @property
    def id(self) -> str:
        """Identifier of the bus."""
        return self._state.id

    @property
    def counters(self) -> dict[str, int]:
        """What happened, by name, and how much there is now."""
        state = self._state
        return {
            **state.counters,
            "sources": len(state.sources),
            "sinks": len(state.sinks),
            "remote_sinks": state.remotes,
            "waiting_to_send": sum(len(lane.items) for lane in state.lanes.values()),
            "waiting_to_deliver": sum(len(sink.queue) for sink in state.sinks.values()),
            "buses": sum(each.incarnation > 0 for each in state.peers.values()),
            "buses_known": len(state.peers) + len(state.leaving),
            "numbers": len(state.numbers),
            "unanswered": self._interest.unanswered,
            "portions_waiting": len(state.portions),
        }

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the events that it has sources of."""
        return tuple(self._state.names)

    @property
    def wanted(self) -> tuple[str, ...]:
        """Names of the events that it has sinks for."""
        return tuple(self._state.requested)

    def has(self, name: str) -> bool:
        """Return whether it has a source of an event."""
        return name in self._state.names

    def wants(self, name: str) -> bool:
        """Return whether it has a sink for an event."""
        return name in self._state.requested

    def take(self) -> Effects:
        """Return, once, what the calls since the last time led to."""
        effects, self._state.effects = self._state.effects, Effects()
        return effects

    # Calls of clients: each is answered by one `Reply`.

    def advertise(self, client: str, call: int, name: str, now_us: int) -> None:
        """Advertise a source; the reply's number is its identifier."""
        try:
            self._sources.advertise(client, call, name, now_us)
        except BusError as error:
            self.refuse(client, call, error)

    def added(self, name: str) -> None:
        """Answer who waited: the naming service has a name, or it is tried again."""
        self._sources.added(name)

    def announce(self, name: str) -> None:
        """Report a source to all buses: where the naming service did not accept its name."""
        self._sources.announce(name)

    def unadvertise(self, client: str, call: int, source_id: int, name: str = "") -> None:
        """End a source; what it sent before is still delivered."""
        self._answered(client, call, lambda: self._sources.unadvertise(client, source_id, name))

    def subscribe(
        self,
        client: str,
        call: int,
        name: str,
        filter_: Filter | None,
        *,
        user: str,
        device: str,
        durable: str,
        now_us: int,
    ) -> None:
        """Subscribe a sink; the reply's number is its identifier."""
        try:
            check_name(name)
            if filter_ is not None:
                check_filter(filter_)
            self._interest.subscribe(client, call, name, filter_, user, device, durable, now_us)
        except SubscriptionError as error:
            self._state.effects.add(Reply(client, call, error=error))
        except BusError as error:
            failed = SubscriptionError(str(error), NOT_VALID)
            self._state.effects.add(Reply(client, call, error=failed))

    def unsubscribe(self, client: str, call: int, sink_id: int, now_us: int) -> None:
        """End a sink."""
        self._answered(client, call, lambda: self._interest.unsubscribe(client, sink_id, now_us))

    def notify(
        self,
        client: str,
        call: int,
        source_id: int,
        values: dict[str, Any],
        *,
        attributes: dict[str, Any],
        persistent: bool,
        stamp: Stamp | None,
        now_us: int,
    ) -> None:
        """Send an event; the reply's number is the event's."""
        self._answered(
            client,
            call,
            lambda: self._sources.notify(
                client,
                source_id,
                values,
                attributes,
                persistent=persistent,
                stamp=stamp,
                now_us=now_us,
            ),
        )

    def refilter(self, client: str, call: int, sink_id: int, filter_: Filter, now_us: int) -> None:
        """Replace a sink's filter."""
        sink = self._state.sinks.get(sink_id)
        if sink is None or sink.client != client:
            error = SubscriptionError(f"no sink {sink_id} of this client")
            self._state.effects.add(Reply(client, call, error=error))
            return
        try:
            check_filter(filter_)
        except BusError as error:
            failed = SubscriptionError(str(error), NOT_VALID)
            self._state.effects.add(Reply(client, call, error=failed))
            return
        self._interest.refilter(sink, call, filter_, now_us)

    def delivered(self, sink_id: int, serial: int) -> None:
        """End a delivery."""
        self._incoming.delivered(sink_id, serial)

    def acknowledge(self, client: str, call: int) -> None:
        """Answer a call that the binding has performed."""
        self._state.effects.add(Reply(client, call))

    def refuse(self, client: str, call: int, error: BusError) -> None:
        """Answer a call that the binding has refused."""
        self._state.effects.add(Reply(client, call, error=error))

    def redeliver(self, client: str) -> None:
        """Deliver again what was in transit to a client already when this was last called."""
        numbers = self._state.of_client(client)
        if numbers:
            work = partial(examined, numbers, partial(self._redeliver, client))
            self._state.portions.add(("redeliver", client), work)

    def _redeliver(self, client: str, number: int) -> int:
        sink = self._state.sinks.get(number)
        if sink is None or sink.client != client:
            return 0
        again, head = 0, sink.queue[0][0] if sink.flying else 0
        if head and head == sink.stalled:
            again = sink.flying
            self._state.counters["redelivered"] += again
            sink.flying = 0
            self._incoming.pump(sink)
        sink.stalled = head
        return again

    def client_gone(self, client: str, now_us: int) -> None:
        """Clean up after a client that ended, or crashed; its durable sinks wait for it.

        It has no source and no sink from now on; what that leaves here and at other buses is ended
        in portions.
        """
        state = self._state
        state.now_us = now_us
        numbers = state.of_client(client)
        state.clients.pop(client, None)
        for number in numbers:
            sink, source = state.sinks.get(number), state.sources.get(number)
            if sink is not None:
                state.counters["sinks_cleaned"] += 1
                sink.client, sink.flying, sink.away_us, sink.call = "", 0, now_us, None
            if source is not None:
                state.counters["sources_cleaned"] += 1
                source.client = ""
            if sink is None or not sink.durable:
                self._abandoned[number] = None
        if self._abandoned:
            state.portions.add("abandoned", self._end_abandoned)

    def _end_abandoned(self) -> Work:
        numbers, self._abandoned = self._abandoned, {}
        return examined(numbers, self._end)

    def _end(self, number: int) -> int:
        sink = self._state.sinks.get(number)
        if sink is None:
            return self._sources.end(number)
        at = len(sink.at)
        self._interest.end(sink, self._state.now_us)
        return 1 + at

    # Answers of the naming and policy services.

    def found(self, name: str, buses: Collection[str] | None, now_us: int) -> None:
        """Process where an event's sources are; None where that is not known now."""
        self._interest.found(name, buses, now_us)

    def source_seen(self, bus: str, name: str, now_us: int) -> None:
        """Process that there is a new source."""
        self._interest.source_seen(bus, name, now_us)

    def decided(self, request: Decide, decision: Decision | None, now_us: int) -> None:
        """Accept a decision; None where there was no answer."""
        self._grants.decided(request, decision, now_us)

    def recheck(self, user: str, now_us: int) -> None:
        """Have a user's live subscriptions decided again; "" for everybody's."""
        self._grants.recheck(user, now_us)

    # Other buses, and the time.

    def receive(self, bus: str, message: Message, now_us: int) -> None:
        """Accept a message of another bus, or of the own."""
        self._state.now_us = now_us
        if not self._presence.admits(bus, message):
            return
        self._interest.answered(bus, now_us)
        match message:
            case EBNotify():
                self._incoming.notified(bus, message, now_us)
            case EBAccepted():
                self._grants.unknown_there(bus, message.name, message.unknown)
                self._outgoing.accepted(bus, message, now_us)
            case EBLaneUnknown():
                self._outgoing.lane_unknown(bus, message, now_us)
            case EBHello():
                self._presence.hello(bus, message, now_us)
            case EBGone():
                self._presence.gone(bus, now_us)
            case _:
                self._receive_request(bus, message, now_us)

    def _receive_request(
        self,
        bus: str,
        message: EBSubscribe | EBSubscribed | EBUnsubscribe | EBRevoked | EBWho | EBHave,
        now_us: int,
    ) -> None:
        match message:
            case EBSubscribe():
                self._grants.subscribe(bus, message, now_us)
            case EBSubscribed():
                self._interest.subscribed(bus, message, now_us)
            case EBUnsubscribe():
                self._grants.unsubscribe(bus, message)
            case EBRevoked():
                self._interest.revoked(bus, message, now_us)
            case EBWho(name):
                if name in self._state.names:
                    self._state.effects.send(bus, EBHave(name))
            case EBHave(name):
                self._interest.source_seen(bus, name, now_us)

    def tick(self, now_us: int, ahead_us: int = 0) -> None:
        """Do what is due; to be called several times in `retry_us`.

        Args:
            now_us: The present, by a clock that is not set.
            ahead_us: How far that is ahead of the wall clock.
        """
        state = self._state
        state.ahead_us, state.now_us = ahead_us, now_us
        self._incoming.tick()
        self._outgoing.tick(now_us)
        self._interest.tick(now_us)
        state.portions.tick()  # before what adds to them, and after the requests that they make
        self._grants.tick(now_us)
        self._presence.tick(now_us)
        if now_us >= self._expiry_us:
            self._expiry_us = now_us + state.settings.hello_us
            state.portions.add("expiry", self._expire)

    def _expire(self) -> Work:
        """End the durable sinks whose clients stayed away, and what nobody needs any more."""
        yield from examined(list(self._state.sinks), self._expire_sink)
        yield from self._outgoing.expire()
        yield from self._incoming.expire()
        yield from examined(list(self._state.retired), self._state.forget_number)

    def _expire_sink(self, number: int) -> int:
        state = self._state
        sink = state.sinks.get(number)
        if sink is None or sink.client or state.now_us - sink.away_us <= state.settings.horizon_us:
            return 0
        state.counters["durable_expired"] += 1
        self._interest.end(sink, state.now_us)
        return 1 + len(sink.queue)

    def close(self) -> None:
        """Report to all that this bus ends."""
        for name in self.names:
            self._state.effects.add(RemoveName(name))
        self._state.effects.send(ALL, EBGone())

    def _answered(self, client: str, call: int, perform: Callable[[], int]) -> None:
        try:
            number = perform()
        except BusError as error:
            self._state.effects.add(Reply(client, call, error=error))
        else:
            self._state.effects.add(Reply(client, call, number))

    def _restore(self, stored: Mapping[str, bytes], now_us: int) -> None:
        rows.restore(self._state, stored, now_us)
        # No number comes again, whatever became of the clock.
        self._state.incarnation = max(now_us, self._state.last_id)
        self._outgoing.restored()
        self._grants.restored(now_us)
        self._presence.restored(now_us)
