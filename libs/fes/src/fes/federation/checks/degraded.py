"""Reports what events request that event services do not honour: degraded, which is allowed.

Source:
    Design, section 3: what a service cannot do is allowed, counted, and reported.
"""

from collections.abc import Iterator, Mapping
from pathlib import Path as FilePath
from typing import Final, NamedTuple

from fes.distribution import matches_any, parse_list
from fes.errors import ControlEventError
from fes.federation.capabilities import Capabilities
from fes.federation.checks.lists import NamedList
from fes.federation.checks.marks import persistent_services
from fes.federation.checks.observing import observed_lists
from fes.federation.file.tree import Report
from fes.federation.kinds import Kind, capabilities_of
from fes.federation.model import Federation, settings_of
from fes.federation.topology import Graph, Vertex, attachments, mediums, spanning_tree
from fes.model.attributes import (
    PRIORITY,
    PROXIMITY,
    RELIABILITY,
    START_TIME,
    STOP_TIME,
    TIMEOUT,
)

BY_THE_SERVICE: Final = (PRIORITY, PROXIMITY)
"""Attributes that only the event service can honour."""

BY_THE_FEDERATION: Final = (TIMEOUT, START_TIME, STOP_TIME)
"""Attributes that gateways and adapters honour, up to the event service."""


class _Flow(NamedTuple):
    """Requested events: their origins, their destination, and the request."""

    named: NamedList
    origins: tuple[str, ...]


def tell_payloads(
    federation: Federation,
    report: Report,
    kinds: Mapping[str, Kind],
    base: FilePath,
    *,
    losses: bool,
) -> None:
    """Report schema files that are not good and, if requested, what payloads do not carry.

    Args:
        federation: Good in form, with settings that are good.
        report: Collects the findings.
        kinds: The kinds that an adapter is installed for.
        base: Folder that relative paths start from.
        losses: Whether to report what payloads do not carry.
    """
    for gateway, each in federation.gateways.items():
        for service in each.adapters:
            described = federation.event_services.get(service)
            kind = kinds.get(described.kind) if described else None
            if kind is None or kind.fault:
                continue
            notes = kind.noted(settings_of(federation, gateway, service), base)
            path = ("event_services", service, "settings")
            for text in notes.faults:
                report.error(path, text)
            for text in notes.losses if losses else ():
                report.info(path, text)
            least = kind.can(settings_of(federation, gateway, service)).max_event_bytes
            if losses and 0 < least < federation.limits.event_bytes:
                report.info(path, f"an event of more than {least} bytes is refused")


def tell_degraded(federation: Federation, report: Report, kinds: Mapping[str, Kind]) -> None:
    """Report for each subscription in the file which attributes are degraded at its destination.

    Args:
        federation: Valid in form, with valid references.
        report: Collects the findings.
        kinds: The kinds that an adapter is installed for.
    """
    persistent = dict(persistent_services(federation, kinds))
    for flow in _flows(federation):
        can = capabilities_of(federation, kinds, flow.named.source)
        if not can:
            continue
        told = [
            *_at_destination(flow, can[0], persistent),
            *_on_the_way(federation, flow, persistent),
        ]
        where = f"events from {', '.join(flow.origins)} at {flow.named.source!r}"
        report.info(flow.named.path, f"{where}: {'; '.join(told)}")
    if persistent:
        limits = federation.limits
        rate = limits.marks / limits.retransmission_s
        message = f"a gateway remembers those that went for {limits.retransmission_s:g} s"
        report.info(("limits", "marks"), f"up to {rate:.0f} persistent events a second: {message}")


def _flows(federation: Federation) -> Iterator[_Flow]:
    lists = [
        NamedList(request.dist_list, request.gateway, request.source, ("requests", at))
        for at, request in enumerate(federation.requests)
        if request.type == "subscription"
    ]
    lists += [named for what, named in observed_lists(federation) if what == "subscriptions"]
    for named in lists:
        origins = _named(federation, named)
        if origins and named.source in federation.event_services:
            yield _Flow(named, origins)


def _named(federation: Federation, named: NamedList) -> tuple[str, ...]:
    """Return the event services that a list names, without its source."""
    try:
        patterns = parse_list(named.text)
    except ControlEventError:
        return ()
    services = federation.event_services
    return tuple(name for name in services if name != named.source and matches_any(patterns, name))


def _at_destination(
    flow: _Flow, can: Capabilities, persistent: Mapping[str, Capabilities]
) -> Iterator[str]:
    degraded = [] if flow.named.source in persistent else [RELIABILITY]
    degraded += [name for name in BY_THE_SERVICE if name not in can.honours]
    yield f"degraded {', '.join(degraded)}" if degraded else "nothing is degraded"
    federation = [name for name in BY_THE_FEDERATION if name not in can.honours]
    if federation:
        yield f"{', '.join(federation)} apply up to its adapter only"
    if not can.keeps_attributes:
        yield "no attribute reaches its native clients"


def _on_the_way(
    federation: Federation, flow: _Flow, persistent: Mapping[str, Capabilities]
) -> Iterator[str]:
    """Yield between which event services persistent events are sent without an answer."""
    if flow.named.source not in persistent:
        return
    on_air = mediums(federation)
    graph = spanning_tree(attachments(federation), on_air)
    for origin in flow.origins:
        between = _between(federation, graph, origin, flow.named.source)
        weak = [name for name in between if name not in persistent and name not in on_air]
        if weak:
            yield f"degraded {RELIABILITY} from {origin!r}, through {', '.join(weak)}"


def _between(
    federation: Federation, graph: Graph, origin: str, destination: str
) -> tuple[str, ...]:
    """Return the event services on the route from one to another, without the ends."""
    if any({origin, destination} <= set(each.adapters) for each in federation.gateways.values()):
        return ()
    start: Vertex = ("service", origin)
    before: dict[Vertex, Vertex] = {start: start}
    todo = [start]
    for vertex in todo:
        for near in graph.get(vertex, ()):
            if near not in before:
                before[near] = vertex
                todo.append(near)
    way: list[str] = []
    vertex = ("service", destination)
    while vertex in before and vertex != start:
        vertex = before[vertex]
        if vertex[0] == "service" and vertex != start:
            way.append(vertex[1])
    return tuple(reversed(way))
