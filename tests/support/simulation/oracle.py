"""What had to arrive in a world, from its script alone: topology, requests, events, faults."""

import math
from collections.abc import Collection, Iterable, Mapping
from itertools import chain

from fes.model import Identity
from support.drawing.breaking import SKEW_US
from support.drawing.topologies import Topology
from support.drawing.wishes import at_least, pattern_matches
from support.simulation.happened import Emission, Script
from support.simulation.holding import Interval, intervals
from support.simulation.remains import left
from support.simulation.services import Delivery
from support.simulation.world import SECOND, World

SETTLE_US = SECOND // 2
"""Longer than anything is on its way while nothing is broken."""

ALWAYS_US = 1_000_000 * SECOND
"""Longer than any world lives."""

RETRIES_US = 20 * SECOND
"""How long an event may wait that its destination did not take."""

ROOM_US = 8 * SECOND
"""How long a source may have to give an event again, since a gateway has no room for it."""


class Oracle:
    """Judges a world by its script.

    Args:
        topology: Who is attached where.
        script: What happened.
        ended_us: When gateways ended.
    """

    def __init__(self, topology: Topology, script: Script, ended_us: Iterable[int] = ()) -> None:
        self._topology = topology
        self._script = script
        self._faults = sorted(script.faults)
        self._spans = sorted(script.faults + script.spans)
        first_end_us = min(ended_us, default=math.inf)
        self._held = intervals(script.commands, topology.services, first_end_us)
        self._asking_for: dict[Identity, list[Interval]] = {}
        self._healed_us = self.mended(9 * SECOND)

    def quiet(self, moment_us: int) -> int:
        """Return the end of the first stretch without a fault that begins at a moment."""
        return _end_of(self._faults, moment_us)

    def mended(self, moment_us: int) -> int:
        """Return by when everybody knows what happened at a moment."""
        return _end_of(self._spans, moment_us)

    def is_calm(self, event: Emission) -> bool:
        """Tell whether nothing was broken while an event was on its way."""
        if event.persistent and self._script.hesitant:
            return False
        if event.starts_us:
            return self._is_quiet(event.at_us, _due_us(event))
        before, after = self.quiet(event.at_us - SETTLE_US), self.quiet(event.at_us)
        return (before, after) == (event.at_us, event.at_us + SETTLE_US)

    def may(self, event: Emission) -> set[str]:
        """Return the event services where an event may surface."""
        settled_us = self.mended(event.at_us)
        end_us = settled_us if self.is_calm(event) else max(settled_us, self._healed_us)
        end_us = max(end_us, _due_us(event))
        end_us += RETRIES_US if event.persistent and self._script.hesitant else 0
        reached, asking = {event.service}, self._asking(event)
        hidden = {each.service for each in self._script.parted if each.hides(event)}
        if event.service in hidden:
            return reached
        while True:
            before = len(reached)
            if self._is_on_air(event, reached):
                reached.update(self._topology.air)
            reached.update(
                each.source
                for each in asking
                if each.at in reached
                and each.source not in hidden
                and each.from_us <= end_us + SETTLE_US
                and self._may_hold(each, event.at_us)
            )
            if len(reached) == before:
                return reached

    def must(self, event: Emission, lost: Collection[str] = ()) -> set[str]:
        """Return the event services where an event must surface.

        Args:
            event: The event.
            lost: Where it was dropped, and counted, since a queue was full.
        """
        calm = self.is_calm(event) and not self._may_expire(event)
        strong = event.persistent and self._topology.keeps_all and not event.expires_us
        waits = event.persistent and self._script.hesitant
        until_us = self.quiet(event.at_us) + SETTLE_US + (ROOM_US if self._script.scarce else 0)
        late_us = until_us + (RETRIES_US if waits else 0)
        if event.starts_us:
            late_us += self.quiet(_due_us(event)) - event.at_us
        reached, asking = {event.service}, self._asking(event)
        lost = {*lost, *self._may_be_hidden(event, late_us + SETTLE_US)}
        if event.service in lost:
            return reached
        while calm or strong:
            before = len(reached)
            if calm and self._is_on_air(event, reached):
                reached.update(self._topology.air)
            reached.update(
                each.source
                for each in asking
                if each.at in reached
                and each.source not in lost
                and (each.at == event.service or each.at not in self._topology.repeating)
                and (calm or not {each.at, each.source} & set(self._topology.air))
                and self.quiet(each.from_us) < event.at_us
                and each.to_us > (until_us if each.at == event.service else late_us)
            )
            if len(reached) == before:
                break
        return reached

    def _may_be_hidden(self, event: Emission, until_us: float) -> set[str]:
        """Return the event services that parted while an event may have been in transit."""
        parted = self._script.parted
        return {each.service for each in parted if each.may_hide(event, until_us)}

    def was_reserved(self, event: Emission, service: str, ended_us: Iterable[int]) -> bool:
        """Tell whether a restart may cost an event where native clients suppress nothing.

        Then as many are lost as its origin sent in a second when numbers were reserved last, and no
        more. What was published since then does not count: it may be among what is lost.

        Args:
            event: The event.
            service: Event service identifier.
            ended_us: When the gateway there ended.
        """
        if service not in self._topology.repeating:
            return False
        origin, sequence = event.identity.origin, event.identity.sequence
        mine = [each for each in self._script.events if each.identity.origin == origin]
        for moment_us in ended_us:
            before = [each for each in mine if each.at_us <= moment_us]
            highest = max((each.identity.sequence for each in before), default=0)
            last_us = max((each.at_us for each in before), default=0)
            recent = sum(each.at_us >= last_us - 2 * SECOND for each in before)
            if highest < sequence <= highest + recent:
                return True
        return False

    def was_asked(self, event: Emission, at_us: int, service: str = "") -> bool:
        """Tell whether all that ask for an event surely asked for it by a moment.

        Args:
            event: The event.
            at_us: The moment.
            service: Where they ask for it; anywhere where "".
        """
        asking = [each for each in self._asking(event) if service in ("", each.at)]
        held = {
            (each.at, each.source, each.wish.text)
            for each in asking
            if self.quiet(each.from_us) < at_us < each.to_us
        }
        return held == {(each.at, each.source, each.wish.text) for each in asking}

    def goes_anyhow(self, event: Emission) -> bool:
        """Tell whether the way of an event depends on when each gateway heard of a request.

        Somebody asks for it at two event services, and not all requests were known everywhere when
        it was published. Then one copy may decide its place, and another be told.
        """
        asked = self.asked(event)
        twice = len({source for _, source in asked}) < len(asked)
        return twice and not self.was_asked(event, event.at_us)

    def asked(self, event: Emission) -> frozenset[tuple[str, str]]:
        """Return where an event is asked for, and for whom: what is asked alike goes alike."""
        return frozenset((each.at, each.source) for each in self._asking(event))

    def _may_hold(self, held: Interval, at_us: int) -> bool:
        """Tell whether a subscription that was asked for may still hold."""
        if held.lapsed_us and at_us > held.lapsed_us:
            return False
        return not held.withdrawn_us or at_us <= self.mended(held.withdrawn_us)

    def _may_expire(self, event: Emission) -> bool:
        """Tell whether an event may be worthless before it arrives."""
        return bool(event.expires_us) and event.expires_us - event.at_us < 2 * SETTLE_US

    def _is_on_air(self, event: Emission, reached: set[str]) -> bool:
        """Tell whether an event is published on the air; one for named services is not at home."""
        natively = reached - {event.service} if event.patterns else reached
        return not natively.isdisjoint(self._topology.air)

    def _is_quiet(self, from_us: int, to_us: int) -> bool:
        """Tell whether nothing was broken between two moments."""
        return not any(
            begins_us < to_us + SETTLE_US and ends_us > from_us - SETTLE_US
            for begins_us, ends_us in self._faults
        )

    def _asking(self, event: Emission) -> list[Interval]:
        """Return the subscriptions that an event belongs to; each event is judged many times."""
        found = self._asking_for.get(event.identity)
        if found is None:
            found = self._asking_for[event.identity] = self._that_want(event)
        return found

    def _that_want(self, event: Emission) -> list[Interval]:
        asking = [
            each
            for each in self._held
            if each.source != event.service and each.wish.wants(event.said)
        ]
        if not event.patterns:
            return asking
        return [each for each in asking if each.at != event.service] + [
            Interval(name, event.service, at_least(0), -ALWAYS_US, ALWAYS_US)
            for name in self._topology.services
            if name != event.service
            and any(pattern_matches(pattern, name) for pattern in event.patterns)
        ]


def _due_us(event: Emission) -> int:
    """Return by when an event with a `StartTime` is on its way: clocks are wrong, and it ticks."""
    return event.starts_us + 2 * SKEW_US + 3 * SECOND if event.starts_us else event.at_us


def _end_of(spans: list[tuple[int, int]], moment_us: int) -> int:
    for from_us, to_us in spans:
        if from_us < moment_us + SETTLE_US and to_us > moment_us:
            moment_us = to_us
    return moment_us + SETTLE_US


UNDER_WAY_US = SECOND // 2
"""How long an event may be under way to a native client that its gateway has sent already."""


def violations(world: World, script: Script) -> list[str]:
    """Return every broken promise, in words."""
    topology, ends = world.topology, chain.from_iterable(world.ended_us.values())
    oracle = Oracle(topology, script, ends)
    got = {
        service: {delivery.identity for delivery in world.deliveries[service]}
        for service in topology.services
    }
    found = list(world.broken)
    ended = {
        service: [at_us for gateway in topology.at(service) for at_us in world.ended_us[gateway]]
        for service in topology.repeating
    }
    for event in script.events:
        must, may = oracle.must(event, world.lost[event.identity]), oracle.may(event)
        for service in topology.services:
            if event.patterns and service == event.service:
                continue  # nobody published it there
            arrived = event.identity in got[service]
            lacks = service in must and not arrived
            if lacks and not oracle.was_reserved(event, service, ended.get(service, ())):
                found.append(f"lost: {event} at {service}")
            if arrived and service not in may:
                found.append(f"unasked: {event} at {service}")
    events = {event.identity: event for event in script.events}
    return [
        *found,
        *_invented(world, events),
        *_seen(world, script),
        *_repeated(world, events),
        *_disordered(world, oracle, events),
        *left(world),
        *_miscounted(world),
    ]


def _invented(world: World, events: Mapping[Identity, Emission]) -> list[str]:
    """Return what arrived and was not published so, or was worthless by then."""
    found = []
    for service, deliveries in world.deliveries.items():
        for each in deliveries:
            event = events.get(each.identity)
            if event is None or (event.said, event.service) != (each.said, each.home):
                found.append(f"invented: {each} at {service}, published was {event}")
            elif event.expires_us and each.at_us - world.start_us > event.expires_us:
                found.append(f"too late: {each} at {service}")
            elif each.via and each.at_us - world.start_us < event.starts_us - SKEW_US:
                found.append(f"too early: {each} at {service}")
    return found


def _seen(world: World, script: Script) -> list[str]:
    """Return what was delivered between event services that do not see each other meanwhile."""
    return [
        f"not visible: {each} at {service}"
        for parting in script.parted
        for service, deliveries in world.deliveries.items()
        for each in deliveries
        if each.via
        and (service == parting.service) != (each.home == parting.service)
        and parting.gone_us + UNDER_WAY_US <= each.at_us - world.start_us < parting.back_us
    ]


def _miscounted(world: World) -> list[str]:
    """Return the links that dropped another number of messages than they counted."""
    return [
        f"miscounted: {end.refused} were dropped for {place}, {end.lanes.dropped} counted"
        for place, access in world.access.items()
        for end in (access.up, access.down)
        if end is not None and end.refused != end.lanes.dropped
    ]


def _repeated(world: World, events: Mapping[Identity, Emission]) -> list[str]:
    found = []
    for (gateway, service, identity, _), count in world.published.items():
        if count > 1:
            found.append(f"repeated: {gateway} published {identity} {count} times at {service}")
        if identity in events and events[identity].service == service:
            found.append(f"echoed: {gateway} published {identity} at its home {service}")
    return found


def _disordered(world: World, oracle: Oracle, events: Mapping[Identity, Emission]) -> list[str]:
    """Return what came out of order along one and the same way.

    Where an event came by two, the one that is told may be that of the later copy: only what was
    asked for alike is compared.

    Where there is one way only and event services look whether they have an event already, nothing
    that breaks may change the order of persistent events.
    """
    asked = {identity: oracle.asked(event) for identity, event in events.items()}
    astray = {identity for identity, event in events.items() if oracle.goes_anyhow(event)}
    found = []
    for service, deliveries in world.deliveries.items():
        last: dict[tuple[object, ...], Delivery] = {}
        for delivery in deliveries:
            event = events.get(delivery.identity)
            if event is not None and (event.starts_us or event.identity in astray):
                continue  # it waits for a time of its own, or is told as it did not come
            only = delivery.persistent and world.topology.has_one_way and world.deduplicates
            chain = delivery.accepted if only else delivery.chain
            like = asked.get(delivery.identity)
            way = (delivery.identity.origin, delivery.said.priority, delivery.via, chain, like)
            newest = last.setdefault(way, delivery)
            if delivery.identity.sequence >= newest.identity.sequence:
                last[way] = delivery
            elif not _came_too_early(world, oracle, event, newest):
                found.append(f"disordered: {delivery} at {service}")
    return found


def _came_too_early(world: World, oracle: Oracle, event: Emission | None, newer: Delivery) -> bool:
    """Tell whether an event was asked for only after it had been published in its turn.

    Where an event service does not look for an identity that it had, a gateway whose confirmation
    was lost publishes an event there again, behind newer ones. Who did not ask for it when it was
    first published may get that copy: no gateway could know of the order.
    """
    if event is None or world.deduplicates:
        return False
    for place in newer.accepted[1:]:
        service = place.removeprefix("@")
        first_us = world.surfaced_us.get((service, event.identity))
        newer_us = world.surfaced_us.get((service, newer.identity))
        if first_us is None or newer_us is None or first_us > newer_us:
            continue
        if not oracle.was_asked(event, first_us, service):
            return True
    return False
