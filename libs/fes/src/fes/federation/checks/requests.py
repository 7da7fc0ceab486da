"""Checks static requests."""

from typing import Any

import msgspec
from msgspec import UNSET

from fes.errors import EventError, FilterError
from fes.federation.checks.lists import NamedList, check_list
from fes.federation.checks.services import known
from fes.federation.file.finding import Path
from fes.federation.file.tree import Report
from fes.federation.model import Federation, Request
from fes.federation.topology import Routes
from fes.filter import parse
from fes.model.text import from_plain


def check_requests(federation: Federation, report: Report) -> None:
    """Report requests with unknown names, that cannot be parsed, or do not do what they seem to.

    Args:
        federation: Valid in form.
        report: Collects the findings.
    """
    routes = Routes.of(federation)
    seen: dict[bytes, int] = {}
    for at, request in enumerate(federation.requests):
        path = ("requests", at)
        known(report, (*path, "gateway"), request.gateway, "gateway", federation.gateways)
        _check_source(federation, report, request, path)
        _check_content(report, request, path)
        named = NamedList(request.dist_list, request.gateway, request.source, (*path, "dist_list"))
        check_list(federation, report, routes, named)
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
