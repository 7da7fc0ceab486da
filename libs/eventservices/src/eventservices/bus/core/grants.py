"""What other buses' sinks may receive of this bus's sources: filters, rights, and their end.

Source:
    Smart-building thesis, sections 4.4.3 (where the filter comes from) and 4.4.5.
"""

import heapq
from collections import defaultdict
from itertools import count
from typing import Final

from eventservices.bus.core import rows
from eventservices.bus.core.effects import Decide
from eventservices.bus.core.outgoing import Outgoing
from eventservices.bus.core.portions import Work, examined
from eventservices.bus.core.state import Decision, RemoteSink, State
from eventservices.bus.errors import FilterError
from eventservices.bus.filters import Filter, both, check_filter, compile_filter, uses_code
from eventservices.bus.wire.messages import EBRevoked, EBSubscribe, EBSubscribed, EBUnsubscribe

MOST_TOMBSTONES = 10_000
"""Most ended subscriptions whose version is remembered, so that none comes back late."""

LOOKS: Final = 1000
"""Most rights that one tick looks at: many that end together would keep the event loop waiting."""

MOST_RECHECKS: Final = 1000
"""Most users whose rights wait to be decided again; beyond, everybody's are."""

SPARE: Final = 1000
"""How many planned looks at sinks that are gone stay, besides as many as there are sinks."""

_Look = tuple[int, int, str, RemoteSink]
"""When a right is looked at, a number that orders equal moments, the event's name and the sink."""


class Grants:
    """Keeps the sinks that have subscribed at this bus.

    Args:
        state: The bus's.
        outgoing: What their events go through.
    """

    def __init__(self, state: State, outgoing: Outgoing) -> None:
        self._state = state
        self._outgoing = outgoing
        self._ended: dict[tuple[str, str, int], int] = {}
        self._looks: list[_Look] = []
        self._most_looks = SPARE
        self._order = count()
        self._rechecks: set[str] = set()

    def subscribe(self, bus: str, message: EBSubscribe, now_us: int) -> None:
        """Accept a request."""
        state, name = self._state, message.name
        if message.version <= self._ended.get((bus, name, message.sink), 0):
            return
        present = state.remote.get(name, {}).get((bus, message.sink))
        if present is not None and message.version < present.version:
            return
        if name not in state.names and present is None:
            self._answer(bus, message, unknown=True)
            return
        if present is not None and message.version == present.version:
            if present.test is not None:
                self._answer(bus, message)
                return
        elif (problem := self._problem(message)) is not None:
            self._answer(bus, message, problem)
            return
        state.expect(bus, now_us)
        sink = RemoteSink(
            bus,
            message.sink,
            message.version,
            message.filter,
            message.user,
            message.device,
            message.durable,
            self._since_us(message) if present is None else 0,
        )
        if present is not None:
            # Until the new request is decided, what was granted goes on.
            sink.test, sink.decision = present.test, present.decision
        state.add_remote(name, sink)
        if sink.durable:
            rows.put_remote(state, name, sink)
        if state.settings.policy:
            self._decide(name, sink, now_us)
        else:
            sink.test = compile_filter(sink.filter, state.run_code)
            self._answer(bus, message)
            self._outgoing.catch_up(name, sink, now_us)

    def unsubscribe(self, bus: str, message: EBUnsubscribe) -> None:
        """Process the end of a subscription."""
        key = (bus, message.name, message.sink)
        self._ended[key] = max(message.version, self._ended.get(key, 0))
        while len(self._ended) > MOST_TOMBSTONES:
            del self._ended[next(iter(self._ended))]
        sink = self._state.remote.get(message.name, {}).get((bus, message.sink))
        if sink is not None and sink.version <= message.version:
            self.purge(message.name, sink)
        answer = EBSubscribed(message.name, message.sink, message.version, unknown=True)
        self._state.effects.send(bus, answer)

    def purge(self, name: str, sink: RemoteSink) -> None:
        """Remove a sink, with what waits for it."""
        self._outgoing.withdraw(name, sink.bus, (sink.id,))
        self._remove(name, sink)

    def unknown_there(self, bus: str, name: str, numbers: tuple[int, ...]) -> None:
        """Remove sinks that their bus does not know."""
        for number in numbers:
            sink = self._state.remote.get(name, {}).get((bus, number))
            if sink is not None:
                self._state.counters["purged"] += 1
                self.purge(name, sink)

    def bus_gone(self, bus: str, *, durable_too: bool) -> Work:
        """Remove the sinks of a bus that is gone; the durable ones outlive its silence.

        What is sent meanwhile to those that are still here is dropped with the rest.
        """

        def remove(found: tuple[str, RemoteSink]) -> int:
            name, sink = found
            if not self._is_here(name, sink) or (sink.durable and not durable_too):
                return 0
            self._state.counters["purged"] += 1
            self._remove(name, sink)
            return 1

        yield from examined(self._sinks_of(bus), remove)
        yield from self._outgoing.drop_bus(bus)

    def bus_came(self, bus: str, incarnation: int, former: int) -> Work:
        """Remove the sinks that a bus's former incarnation had, and have it confirm the durable.

        Args:
            bus: Which was started, or is back.
            incarnation: The present one; none of its numbers is smaller.
            former: The one before; 0 where that is not known.
        """
        ended: defaultdict[str, set[int]] = defaultdict(set)

        def end(found: tuple[str, RemoteSink]) -> int:
            name, sink = found
            if not self._is_here(name, sink):
                return 0
            # A clock that was set back makes the numbers of the former incarnation the larger ones.
            if sink.durable:
                if sink.test is not None:  # else the decision is sent, once it is made
                    answer = EBSubscribed(name, sink.id, sink.version)
                    self._state.effects.send(bus, answer)
                return 1
            if sink.id < incarnation or incarnation < former <= sink.id:
                ended[name].add(sink.id)
                self._state.counters["purged"] += 1
                self._remove(name, sink)
                return 1
            return 0

        yield from examined(self._sinks_of(bus), end)
        for name, numbers in ended.items():
            self._outgoing.withdraw(name, bus, numbers)

    def decided(self, request: Decide, decision: Decision | None, now_us: int) -> None:
        """Accept the policy service's decision; None where it does not answer.

        Without an answer nothing new is granted; what runs ends with its decision.
        """
        sink = self._state.remote.get(request.name, {}).get((request.bus, request.sink))
        if sink is None or sink.version != request.version:
            return
        if decision is None:
            self._state.counters["policy_unreachable"] += 1
            return
        if not decision.permit or decision.until_us <= now_us:
            reason = decision.reason or f"refused by {decision.rule}"
            self.revoke(request.name, sink, reason)
            return
        sink.decision = decision
        sink.test = compile_filter(self._chosen(sink.filter, decision), self._state.run_code)
        self._plan(request.name, sink)
        answer = EBSubscribed(request.name, sink.id, sink.version)
        self._state.effects.send(sink.bus, answer)
        self._outgoing.catch_up(request.name, sink, now_us)

    def revoke(self, name: str, sink: RemoteSink, reason: str) -> None:
        """Withdraw a right, with every copy that waits here, and notify the sink's bus."""
        state = self._state
        self._outgoing.withdraw(name, sink.bus, (sink.id,), revoked=True)
        if sink.test is None:
            answer = EBSubscribed(name, sink.id, sink.version, reason)
            state.effects.send(sink.bus, answer)
        else:
            state.counters["revocations"] += 1
            state.effects.send(sink.bus, EBRevoked(name, sink.id, reason))
        self._remove(name, sink)

    def restored(self, now_us: int) -> None:
        """Apply the filters of sinks that outlived a restart; rights are decided again."""
        if self._state.settings.policy:
            self.recheck("", now_us)
            return
        for sinks in self._state.remote.values():
            for sink in sinks.values():
                sink.test = compile_filter(sink.filter, self._state.run_code)

    def recheck(self, user: str, now_us: int) -> None:
        """Have live subscriptions decided again; "" for those of all users."""
        self._state.now_us = now_us
        self._rechecks.add(user)
        if len(self._rechecks) > MOST_RECHECKS:
            self._rechecks = {""}
        self._state.portions.add("recheck", self._recheck)

    def _recheck(self) -> Work:
        users, self._rechecks = self._rechecks, set()
        sinks = [
            (name, sink) for name, each in self._state.remote.items() for sink in each.values()
        ]

        def decide(found: tuple[str, RemoteSink]) -> int:
            name, sink = found
            if not ("" in users or sink.user in users) or not self._is_here(name, sink):
                return 0
            self._decide(name, sink, self._state.now_us)
            return 1

        return examined(sinks, decide)

    def tick(self, now_us: int) -> None:
        """Renew decisions in time, and end what outlived its own."""
        for _ in range(LOOKS):
            if not self._looks or self._looks[0][0] > now_us:
                return
            look = heapq.heappop(self._looks)
            if not self._is_valid(look):
                continue
            _, _, name, sink = look
            sink.due_us = 0
            if sink.decision is not None and sink.decision.until_us <= now_us:
                self.revoke(name, sink, "its decision ended, and none followed")
            elif self._again_us(sink) <= now_us:
                self._decide(name, sink, now_us)
            else:
                self._plan(name, sink)

    def _since_us(self, message: EBSubscribe) -> int:
        return message.since_us + self._state.ahead_us if message.since_us else 0

    def _sinks_of(self, bus: str) -> list[tuple[str, RemoteSink]]:
        found = self._state.remote_of.get(bus, {})
        return [(name, sink) for (name, _), sink in found.items()]

    def _is_here(self, name: str, sink: RemoteSink) -> bool:
        """Return whether a sink was neither removed nor replaced meanwhile."""
        return self._state.remote.get(name, {}).get((sink.bus, sink.id)) is sink

    def _remove(self, name: str, sink: RemoteSink) -> None:
        self._state.remove_remote(name, sink)
        if sink.durable:
            rows.drop_remote(self._state, name, sink)

    def _again_us(self, sink: RemoteSink) -> int:
        """Return when a right has to be requested again."""
        retry_us, decision = self._state.settings.retry_us, sink.decision
        again_us = sink.asked_us + retry_us
        return again_us if decision is None else max(again_us, decision.until_us - 8 * retry_us + 1)

    def _plan(self, name: str, sink: RemoteSink) -> None:
        """Have a tick look at a right in time; what was planned before is not valid any more."""
        due_us, decision = self._again_us(sink), sink.decision
        if decision is not None:
            due_us = min(due_us, decision.until_us)
        sink.due_us = due_us
        heapq.heappush(self._looks, (due_us, next(self._order), name, sink))
        if len(self._looks) > self._most_looks:
            self._looks = [look for look in self._looks if self._is_valid(look)]
            heapq.heapify(self._looks)
            self._most_looks = 2 * len(self._looks) + SPARE

    def _is_valid(self, look: _Look) -> bool:
        """Return whether a look is the one that is planned for a sink that is still here."""
        due_us, _, name, sink = look
        return due_us == sink.due_us and self._is_here(name, sink)

    def _decide(self, name: str, sink: RemoteSink, now_us: int) -> None:
        sink.asked_us = now_us
        self._plan(name, sink)
        request = Decide(name, sink.bus, sink.id, sink.version, sink.user, sink.device)
        self._state.effects.add(request)

    def _chosen(self, own: Filter | None, decision: Decision) -> Filter | None:
        match self._state.settings.precedence:
            case "sink":
                return own if own is not None else decision.filter
            case "policy":
                return decision.filter if decision.filter is not None else own
            case "both":
                return both(decision.filter, own)

    def _problem(self, message: EBSubscribe) -> str | None:
        settings = self._state.settings
        if message.filter is not None:
            try:
                check_filter(message.filter)
            except FilterError as error:
                return str(error)
            if uses_code(message.filter) and not settings.code:
                return "filters that are code are not accepted here"
        if self._state.remotes >= settings.most_remote:
            return f"{settings.most_remote} sinks have subscribed here"
        return None

    def _answer(
        self, bus: str, request: EBSubscribe, problem: str = "", *, unknown: bool = False
    ) -> None:
        answer = EBSubscribed(request.name, request.sink, request.version, problem, unknown)
        self._state.effects.send(bus, answer)
