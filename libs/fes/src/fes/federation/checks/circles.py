"""Checks for circles of domains' connections and subscriptions, which multiply events.

The detection is that of event domains (`eventservices.cns.domains.graph`); its vertices are event
services here, its edges the connections of the file's domains and its static subscriptions.
"""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Final

from fes.distribution import matches_any, parse_list
from fes.errors import FesError
from fes.federation.checks.services import known
from fes.federation.file.tree import Report
from fes.federation.kinds import Kind
from fes.federation.model import Federation, settings_of

if TYPE_CHECKING:
    from eventservices.cns.domains.graph import Bounded

Edge = tuple[str, str]

MOST: Final = 20
"""Most circles and diamonds that are reported."""


def check_circles(federation: Federation, report: Report, kinds: Mapping[str, Kind]) -> None:
    """Report circles and diamonds with connections of domains.

    Three cases are distinguished. A circle of domains' connections alone multiplies events: an
    error. So is a circle that passes an event service whose events are not stamped, since no
    gateway recognises them. A circle that gateways close is harmless, due to identities and
    standbys: it is reported as info.

    Args:
        federation: Valid in form.
        report: Collects the findings.
        kinds: The kinds of event services that an adapter is installed for.
    """
    _check_names(federation, report)
    joined = _connections(federation)
    if not joined:
        return  # circles of subscriptions alone are what a federation is for
    from eventservices.cns.domains.graph import (  # noqa: PLC0415 - a quarter of a process's start
        Digraph,
        elementary_cycles,
        list_diamonds,
    )

    names = sorted(federation.event_services)
    number = {name: index for index, name in enumerate(names)}
    every = {**_subscriptions(federation), **joined}
    graph = Digraph((number[a], number[b]) for a, b in every)
    unstamped = {name for name in names if not _stamps(federation, kinds, name)}
    cycles = elementary_cycles(graph, MOST)
    for cycle in cycles:
        services = [names[index] for index in cycle]
        edges = list(zip(services, [*services[1:], services[0]], strict=True))
        _report_cycle(report, joined, edges, unstamped)
    _bound(report, cycles)
    own = Digraph((number[a], number[b]) for a, b in joined)
    for diamond in list_diamonds(own, most=MOST):
        routes = " and ".join("-".join(names[each] for each in route) for route in diamond)
        last = (names[diamond[0][-2]], names[diamond[0][-1]])
        report.error(("connections", joined[last]), f"events come more than once: {routes}")


def _check_names(federation: Federation, report: Report) -> None:
    seen: dict[Edge, int] = {}
    for at, each in enumerate(federation.connections):
        for end in ("supplier", "consumer"):
            name = each.supplier if end == "supplier" else each.consumer
            known(
                report, ("connections", at, end), name, "event service", federation.event_services
            )
        first = seen.setdefault((each.supplier, each.consumer), at)
        if first != at:
            report.error(("connections", at), f"it repeats connections[{first}]")


def _report_cycle(
    report: Report, joined: Mapping[Edge, int], edges: list[Edge], unstamped: set[str]
) -> None:
    around = "-".join([edges[0][0], *(target for _, target in edges)])
    through = sorted({service for edge in edges for service in edge} & unstamped)
    own = [joined[edge] for edge in edges if edge in joined]
    path = ("connections", max(own)) if own else ("requests",)
    if through and own:
        names = ", ".join(through)
        message = f"a circle {around} passes {names}, whose events nobody knows again: no stamps"
        report.error(path, message)
    elif len(own) == len(edges):
        report.error(path, f"a circle {around} of connections multiplies events")
    else:
        message = f"a circle {around}: gateways know its events again by their identities"
        report.info(path, message)


def _bound(report: Report, found: "Bounded[tuple[int, ...]]") -> None:
    if found.more:
        report.info(("connections",), f"there are more than {len(found)} circles")


def _connections(federation: Federation) -> dict[Edge, int]:
    """Return the connections of domains between existing services, and their places."""
    known = federation.event_services
    return {
        (each.supplier, each.consumer): at
        for at, each in enumerate(federation.connections)
        if each.supplier in known and each.consumer in known
    }


def _subscriptions(federation: Federation) -> dict[Edge, int]:
    """Return the static subscriptions as edges, from where they are applied to their source."""
    found: dict[Edge, int] = {}
    for at, request in enumerate(federation.requests):
        if request.type != "subscription" or request.source not in federation.event_services:
            continue
        try:
            patterns = parse_list(request.dist_list)
        except FesError:
            continue  # reported where the list is checked
        for name in federation.event_services:
            if name != request.source and matches_any(patterns, name):
                found.setdefault((name, request.source), at)
    return found


def _stamps(federation: Federation, kinds: Mapping[str, Kind], name: str) -> bool:
    """Return whether the events of a service have identities, by its kind or all its settings."""
    kind = kinds.get(federation.event_services[name].kind)
    attached = [each for each in federation.gateways if name in federation.gateways[each].adapters]
    return kind is None or all(
        kind.can(settings_of(federation, each, name)).stamps for each in attached
    )
