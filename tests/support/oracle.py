"""What had to arrive in a world, from its script alone: topology, requests, events, faults."""

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass

from fes.control import RequestType
from fes.model import Identity
from support.breaking import RECOVERY_US
from support.happened import Command, Emission, Script
from support.topologies import Topology
from support.world import SECOND, World

SETTLE_US = SECOND // 2
"""Longer than anything is on its way while nothing is broken."""


RETRIES_US = 20 * SECOND
"""How long an event may wait that its destination did not take."""


@dataclass(frozen=True)
class Interval:
    """A subscription of one event service at another, while it held."""

    source: str
    at: str
    least: int
    from_us: int
    to_us: int


def pattern_matches(pattern: str, name: str) -> bool:
    """Match as a distribution list does, written plainly."""
    if not pattern:
        return not name
    if pattern[0] == "*":
        return any(pattern_matches(pattern[1:], name[i:]) for i in range(len(name) + 1))
    return bool(name) and pattern[0] in ("?", name[0]) and pattern_matches(pattern[1:], name[1:])


def intervals(commands: Iterable[Command], services: tuple[str, ...]) -> list[Interval]:
    """Return which subscriptions held where and when."""
    by_key: dict[tuple[str, str, int], list[Command]] = defaultdict(list)
    for command in sorted(commands, key=lambda each: each.at_us):
        by_key[command.source, command.requester, command.least].append(command)
    found = []
    for (source, _, least), script in by_key.items():
        for service in services:
            if service == source:
                continue
            since: int | None = None
            for command in script:
                if not any(pattern_matches(pattern, service) for pattern in command.patterns):
                    continue
                if command.kind is RequestType.SUBSCRIPTION and since is None:
                    since = command.at_us
                elif command.kind is RequestType.UNSUBSCRIPTION and since is not None:
                    found.append(Interval(source, service, least, since, command.at_us))
                    since = None
    return found


class Oracle:
    """Judges a world by its script.

    Args:
        topology: Who is attached where.
        script: What happened.
    """

    def __init__(self, topology: Topology, script: Script) -> None:
        self._topology = topology
        self._script = script
        self._faults = sorted(script.faults)
        self._spans = sorted(script.faults + script.spans)
        self._held = intervals(script.commands, topology.services)
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
        before, after = self.quiet(event.at_us - SETTLE_US), self.quiet(event.at_us)
        return (before, after) == (event.at_us, event.at_us + SETTLE_US)

    def may(self, event: Emission) -> set[str]:
        """Return the event services where an event may surface."""
        settled_us = self.mended(event.at_us)
        end_us = settled_us if self.is_calm(event) else max(settled_us, self._healed_us)
        end_us += RETRIES_US if event.persistent and self._script.hesitant else 0
        reached = {event.service}
        while True:
            before = len(reached)
            if reached & set(self._topology.air):
                reached.update(self._topology.air)
            reached.update(
                each.source
                for each in self._asking(event)
                if each.at in reached
                and each.from_us <= end_us + SETTLE_US
                and event.at_us <= self.mended(each.to_us)
            )
            if len(reached) == before:
                return reached

    def must(self, event: Emission) -> set[str]:
        """Return the event services where an event must surface."""
        calm = self.is_calm(event)
        strong = event.persistent and self._topology.all_persistent
        reached = {event.service}
        while calm or strong:
            before = len(reached)
            if calm and reached & set(self._topology.air):
                reached.update(self._topology.air)
            until_us = self.quiet(event.at_us) + SETTLE_US
            reached.update(
                each.source
                for each in self._asking(event)
                if each.at in reached
                and (each.at == event.service or each.at not in self._topology.repeating)
                and self.quiet(each.from_us) < event.at_us
                and each.to_us > until_us
            )
            if len(reached) == before:
                break
        return reached

    def was_reserved(self, event: Emission, service: str) -> bool:
        """Tell whether a restart may cost an event where native clients suppress nothing.

        Then as many are lost as its origin sent in a second when numbers were reserved last, and no
        more.
        """
        if service not in self._topology.repeating:
            return False
        origin, sequence = event.identity.origin, event.identity.sequence
        for _, to_us in self._script.faults:
            ended_us = to_us - RECOVERY_US + SECOND
            before = [
                each
                for each in self._script.events
                if each.identity.origin == origin and each.at_us <= ended_us
            ]
            highest = max((each.identity.sequence for each in before), default=0)
            last_us = max((each.at_us for each in before), default=0)
            recent = sum(each.at_us >= last_us - 2 * SECOND for each in before)
            if highest < sequence <= highest + recent:
                return True
        return False

    def _asking(self, event: Emission) -> list[Interval]:
        return [
            each
            for each in self._held
            if each.source != event.service and event.number >= each.least
        ]


def _end_of(spans: list[tuple[int, int]], moment_us: int) -> int:
    for from_us, to_us in spans:
        if from_us < moment_us + SETTLE_US and to_us > moment_us:
            moment_us = to_us
    return moment_us + SETTLE_US


def violations(world: World, script: Script) -> list[str]:
    """Return every broken promise, in words."""
    topology, oracle = world.topology, Oracle(world.topology, script)
    got = {
        service: {delivery.identity for delivery in world.deliveries[service]}
        for service in topology.services
    }
    found = list(world.broken)
    for event in script.events:
        must, may = oracle.must(event), oracle.may(event)
        for service in topology.services:
            arrived = event.identity in got[service]
            if service in must and not arrived and not oracle.was_reserved(event, service):
                found.append(f"lost: {event} at {service}")
            if arrived and service not in may:
                found.append(f"unasked: {event} at {service}")
    homes = {event.identity: event.service for event in script.events}
    return [*found, *_repeated(world, homes), *_disordered(world), *left(world)]


def left(world: World) -> list[str]:
    """Return what is left of requests and events that should be."""
    found = []
    for (gateway, service), access in world.access.items():
        if access.filters:
            found.append(f"left: {gateway} at {service} still has {list(access.filters)}")
        if access.announced:
            found.append(f"left: {gateway} at {service} still announces {access.announced}")
    for place, durable in world.durable.items():
        if durable.kept:
            found.append(f"left: {len(durable.kept)} events are kept for {place}")
    if world.now_us - world.last_control_us < 10 * SECOND:
        found.append("not silent: something else than hellos was said at the end")
    return [*found, *_left_in_gateways(world)]


def _left_in_gateways(world: World) -> list[str]:
    found = []
    for name, core in world.cores.items():
        if len(core.table):
            found.append(f"left: {name} still has {list(core.table.rows())}")
        if len(core.delivery.custody):
            found.append(f"left: {name} still holds {list(core.delivery.custody)}")
        if core.delivery.custody.marks:
            found.append(f"left: {name} still has {core.delivery.custody.marks} marks")
        kept = [key for key in world.journals.state(name) if not key.startswith(("contact", "res"))]
        if kept:
            found.append(f"left: the journal of {name} still has {kept}")
    return found


def _repeated(world: World, homes: dict[Identity, str]) -> list[str]:
    found = []
    for (gateway, service, identity, _), count in world.published.items():
        if count > 1:
            found.append(f"repeated: {gateway} published {identity} {count} times at {service}")
        if homes.get(identity) == service:
            found.append(f"echoed: {gateway} published {identity} at its home {service}")
    return found


def _disordered(world: World) -> list[str]:
    """Return what came out of order along one and the same way.

    Where there is one way only and event services look whether they have an event already, nothing
    that breaks may change the order of persistent events.
    """
    found = []
    for service, deliveries in world.deliveries.items():
        last: dict[tuple[object, ...], int] = {}
        for delivery in deliveries:
            only = delivery.persistent and world.topology.has_one_way and world.deduplicates
            accepted = tuple(each for each in delivery.chain if each.startswith("@"))
            chain = accepted if only else delivery.chain
            way = (delivery.identity.origin, delivery.priority, delivery.via, chain)
            if delivery.identity.sequence < last.get(way, 0):
                found.append(f"disordered: {delivery} at {service}")
            last[way] = max(last.get(way, 0), delivery.identity.sequence)
    return found
