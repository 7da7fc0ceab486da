"""Checks static requests."""

from typing import Any

import msgspec
from msgspec import UNSET

from fes.distribution import is_pattern, matches, matches_any, parse_list
from fes.errors import ControlEventError, EventError, FilterError
from fes.federation.checks.services import known
from fes.federation.finding import Path
from fes.federation.model import Federation, Request
from fes.federation.names import hint
from fes.federation.topology import Routes
from fes.federation.tree import Report
from fes.filter import parse
from fes.model.text import from_plain


def check_requests(federation: Federation, report: Report) -> None:
    """Report requests that name nothing, cannot be parsed or would not do what they seem to.

    Args:
        federation: Good in form.
        report: Takes the findings.
    """
    routes = Routes.of(federation)
    seen: dict[bytes, int] = {}
    for at, request in enumerate(federation.requests):
        path = ("requests", at)
        known(report, (*path, "gateway"), request.gateway, "gateway", federation.gateways)
        _check_source(federation, report, request, path)
        _check_content(report, request, path)
        _check_list(federation, report, routes, request, path)
        first = seen.setdefault(msgspec.json.encode(request), at)
        if first != at:
            report.warning(path, f"it repeats requests[{first}]")


def _check_source(federation: Federation, report: Report, request: Request, path: Path) -> None:
    services, gateway = federation.event_services, federation.gateways.get(request.gateway)
    if not known(report, (*path, "source"), request.source, "event service", services):
        return
    if gateway and request.source not in gateway.adapters:
        message = f"gateway {request.gateway!r} is not attached to the source {request.source!r}"
        report.warning((*path, "source"), message)


def _check_content(report: Report, request: Request, path: Path) -> None:
    wanted, other = ("filter", "event") if "subscription" in request.type else ("event", "filter")
    if getattr(request, wanted) is UNSET:
        report.error(path, f"key {wanted!r} is missing, which type {request.type} needs")
    if getattr(request, other) is not UNSET:
        report.error((*path, other), f"it does not belong to type {request.type}")
    if request.filter is not UNSET:
        _check_filter(report, request.filter, path)
    if request.event is not UNSET:
        _check_event(report, request.event, path)


def _check_event(report: Report, event: dict[str, Any], path: Path) -> None:
    try:
        from_plain(event)
    except EventError as error:
        report.error((*path, "event"), str(error))


def _check_filter(report: Report, text: str, path: Path) -> None:
    try:
        parse(text)
    except FilterError as error:
        place = error.place
        where = f" (line {place.line}, column {place.column} of the filter)" if place else ""
        report.error((*path, "filter"), error.reason + where)


def _check_list(
    federation: Federation, report: Report, routes: Routes, request: Request, path: Path
) -> None:
    where = (*path, "dist_list")
    try:
        patterns = parse_list(request.dist_list)
    except ControlEventError as error:
        report.error(where, str(error))
        return
    if len(patterns) > federation.limits.patterns:
        message = f"it has {len(patterns)} names, more than limits.patterns allows"
        report.error(where, message)
    for pattern in patterns:
        _check_pattern(federation, report, pattern, request, where)
    _check_ways(federation, report, routes, request, where)


def _check_pattern(
    federation: Federation, report: Report, pattern: str, request: Request, path: Path
) -> None:
    services = federation.event_services
    named = [name for name in services if matches(pattern, name)]
    if not named:
        message = f"{pattern!r} names no event service{hint(pattern, services)}"
        (report.warning if is_pattern(pattern) else report.error)(path, message)
    elif request.source in named:
        report.warning(path, f"{pattern!r} names the source, where it is never applied")
    kinds = dict.fromkeys(services[name].kind for name in named)
    if is_pattern(pattern) and len(kinds) > 1:
        message = f"{pattern!r} names event services of several kinds: {', '.join(kinds)}"
        report.warning(path, message)


def _check_ways(
    federation: Federation, report: Report, routes: Routes, request: Request, path: Path
) -> None:
    """Warn of event services that the request cannot reach."""
    if request.gateway not in federation.gateways:
        return
    patterns = parse_list(request.dist_list)
    lost = [
        name
        for name in federation.event_services
        if matches_any(patterns, name) and routes.next_hop(request.gateway, name) is None
    ]
    if lost:
        shown = ", ".join(lost[:5]) + (", …" if len(lost) > 5 else "")
        report.warning(path, f"there is no way from gateway {request.gateway!r} to {shown}")
