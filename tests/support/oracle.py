"""What had to arrive in a world, from its script alone: topology, requests, events."""

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass

from fes.control import RequestType
from fes.model import Identity
from support.world import SECOND, Topology, World

SETTLE_US = SECOND // 2
"""Longer than any request is on its way."""


@dataclass(frozen=True)
class Command:
    """A request of the script."""

    at_us: int
    kind: RequestType
    source: str
    requester: str
    least: int
    patterns: tuple[str, ...]


@dataclass(frozen=True)
class Emission:
    """An event of the script."""

    at_us: int
    service: str
    number: int
    identity: Identity


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


def reach(
    event: Emission, held: list[Interval], topology: Topology, *, generous: bool
) -> frozenset[str]:
    """Return the event services where an event must (or, generously, may) surface."""
    margin = SETTLE_US if generous else -SETTLE_US
    reached = {event.service}
    while True:
        before = len(reached)
        if reached & set(topology.air):
            reached |= set(topology.air)
        for each in held:
            if (
                each.at in reached
                and each.source != event.service
                and event.number >= each.least
                and each.from_us - margin <= event.at_us <= each.to_us + margin
            ):
                reached.add(each.source)
        if len(reached) == before:
            return frozenset(reached)


def violations(world: World, commands: list[Command], events: list[Emission]) -> list[str]:
    """Return every broken promise, in words."""
    topology = world.topology
    held = intervals(commands, topology.services)
    got = {
        service: {delivery.identity for delivery in world.deliveries[service]}
        for service in topology.services
    }
    found = [f"published unannounced: {text}" for text in world.unannounced]
    for event in events:
        must = reach(event, held, topology, generous=False)
        may = reach(event, held, topology, generous=True)
        for service in topology.services:
            arrived = event.identity in got[service]
            if service in must and not arrived:
                found.append(f"lost: {event} at {service}")
            if arrived and service not in may:
                found.append(f"unasked: {event} at {service}")
    found += [
        f"repeated: {gateway} published {identity} {count} times at {service}"
        for (gateway, service, identity), count in world.published.items()
        if count > 1
    ]
    found += [
        f"echoed: {gateway} published {identity} at its home {service}"
        for gateway, service, identity in world.published
        if service == _home(identity, events)
    ]
    found += _disordered(world)
    for (gateway, service), access in world.access.items():
        if access.filters:
            found.append(f"left: {gateway} at {service} still has {list(access.filters)}")
        if access.announced:
            found.append(f"left: {gateway} at {service} still announces {access.announced}")
    found += [
        f"left: {name} still has {len(core.table)} rows"
        for name, core in world.cores.items()
        if len(core.table)
    ]
    return found


def _home(identity: Identity, events: list[Emission]) -> str:
    return next(event.service for event in events if event.identity == identity)


def _disordered(world: World) -> list[str]:
    found = []
    for service, deliveries in world.deliveries.items():
        last: dict[tuple[object, ...], int] = {}
        for delivery in deliveries:
            way = (delivery.identity.origin, delivery.via, delivery.chain)
            if delivery.identity.sequence < last.get(way, 0):
                found.append(f"disordered: {delivery} at {service}")
            last[way] = max(last.get(way, 0), delivery.identity.sequence)
    return found
