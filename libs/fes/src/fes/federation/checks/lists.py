"""Checks distribution lists, wherever the file has one."""

from typing import NamedTuple

from fes.distribution import is_pattern, matches, matches_any, parse_list
from fes.errors import ControlEventError
from fes.federation.file.finding import Path
from fes.federation.file.tree import Report
from fes.federation.model import Federation
from fes.federation.names import hint
from fes.federation.topology import Routes


class NamedList(NamedTuple):
    """A distribution list of the file.

    Attributes:
        text: The list.
        gateway: Where the request enters the federation.
        source: The event service that it comes from.
        path: Where the list is.
    """

    text: str
    gateway: str
    source: str
    path: Path


def check_list(federation: Federation, report: Report, routes: Routes, named: NamedList) -> None:
    """Report a distribution list that is not well formed, matches nothing, or cannot be reached.

    Args:
        federation: Valid in form.
        report: Collects the findings.
        routes: Routes of the federation.
        named: The list.
    """
    try:
        patterns = parse_list(named.text)
    except ControlEventError as error:
        report.error(named.path, str(error))
        return
    if len(patterns) > federation.limits.patterns:
        message = f"it has {len(patterns)} names, more than limits.patterns allows"
        report.error(named.path, message)
    for pattern in patterns:
        _check_pattern(federation, report, pattern, named)
    _check_ways(federation, report, routes, patterns, named)


def _check_pattern(federation: Federation, report: Report, pattern: str, named: NamedList) -> None:
    services = federation.event_services
    found = [name for name in services if matches(pattern, name)]
    if not found:
        message = f"{pattern!r} names no event service{hint(pattern, services)}"
        (report.warning if is_pattern(pattern) else report.error)(named.path, message)
    elif named.source in found:
        report.warning(named.path, f"{pattern!r} names the source, where it is never applied")
    kinds = dict.fromkeys(services[name].kind for name in found)
    if is_pattern(pattern) and len(kinds) > 1:
        message = f"{pattern!r} names event services of several kinds: {', '.join(kinds)}"
        report.warning(named.path, message)


def _check_ways(
    federation: Federation,
    report: Report,
    routes: Routes,
    patterns: tuple[str, ...],
    named: NamedList,
) -> None:
    """Warn of event services that a request cannot reach."""
    if named.gateway not in federation.gateways:
        return
    lost = [
        name
        for name in federation.event_services
        if matches_any(patterns, name) and routes.next_hop(named.gateway, name) is None
    ]
    if lost:
        shown = ", ".join(lost[:5]) + (", …" if len(lost) > 5 else "")
        report.warning(named.path, f"there is no route from gateway {named.gateway!r} to {shown}")
