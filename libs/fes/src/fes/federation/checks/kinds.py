"""Checks event services against the adapters that are installed."""

from collections.abc import Mapping
from typing import TYPE_CHECKING

import msgspec

from fes.federation.checks.marks import check_redelivery
from fes.federation.checks.observing import observed_lists
from fes.federation.file.structure import check_structure
from fes.federation.file.tree import Report, nearest
from fes.federation.kinds import Kind, capabilities_of
from fes.federation.model import EventService, Federation, settings_of
from fes.federation.names import hint

if TYPE_CHECKING:
    from fes.federation.file.finding import Path


def check_kinds(federation: Federation, report: Report, kinds: Mapping[str, Kind]) -> None:
    """Report kinds without an adapter, settings that it refuses, and events that would come twice.

    Args:
        federation: Valid in form.
        report: Collects the findings.
        kinds: The kinds that an adapter is installed for.
    """
    for name, service in federation.event_services.items():
        kind = kinds.get(service.kind)
        path = ("event_services", name)
        if kind is None:
            known = f"; installed are {', '.join(sorted(kinds)) or 'none'}"
            message = f"no adapter for kind {service.kind!r} is installed"
            report.error((*path, "kind"), message + (hint(service.kind, kinds) or known))
        elif kind.fault:
            report.warning((*path, "kind"), f"its adapter cannot be loaded: {kind.fault}")
        else:
            _check_settings(federation, report, kind, name)
            _check_stamps(federation, report, kind, name, service)
    _check_observed(federation, report, kinds)
    check_redelivery(federation, report, kinds)


def _check_observed(federation: Federation, report: Report, kinds: Mapping[str, Kind]) -> None:
    """Report observation at a kind of event service that does not support it."""
    for what, named in observed_lists(federation):
        service = federation.event_services.get(named.source)
        can = capabilities_of(federation, kinds, named.source) if service else ()
        if service and can and what not in can[0].observes:
            shown = f"; it shows {' and '.join(can[0].observes)}" if can[0].observes else ""
            report.error(named.path, f"kind {service.kind!r} shows nobody its {what}{shown}")


def _check_stamps(
    federation: Federation, report: Report, kind: Kind, name: str, service: EventService
) -> None:
    """Report a service whose events two adapters would stamp, each with a different identity.

    Source:
        Design, section 3.
    """
    listeners = [g for g, gateway in federation.gateways.items() if name in gateway.adapters]
    stamping = [
        gateway
        for gateway in listeners
        if not kind.can(settings_of(federation, gateway, name)).stamps
    ]
    if len(listeners) > 1 and len(stamping) > (1 if kind.one_may_stamp else 0):
        message = (
            f"kind {service.kind!r} does not stamp its events, so only one gateway may be"
            f" attached; found {', '.join(listeners)}"
        )
        if kind.one_may_stamp:
            message += f" (set {kind.stamp_setting}: true at all others of them)"
        report.error(("event_services", name), message)
    if len(listeners) > 1 and kind.stamp_setting:
        _check_left(federation, report, kind, name, listeners)


def _check_left(
    federation: Federation, report: Report, kind: Kind, name: str, listeners: list[str]
) -> None:
    """Report an adapter that leaves events to others although all assign the same identity."""
    for gateway in listeners:
        settings = settings_of(federation, gateway, name)
        left = settings.get(kind.stamp_setting) is True
        if left and kind.can({**settings, kind.stamp_setting: False}).stamps:
            report.warning(
                ("gateways", gateway, "adapters", name),
                f"{kind.stamp_setting} is not needed, as all gateways assign an event of {name!r}"
                " one identity; what a standby leaves to this gateway is lost",
            )


def _check_settings(federation: Federation, report: Report, kind: Kind, name: str) -> None:
    if kind.settings is None:
        return
    paths: list[Path] = [("event_services", name, "settings")]
    paths += [
        ("gateways", gateway, "adapters", name, "settings")
        for gateway, each in federation.gateways.items()
        if name in each.adapters and each.adapters[name].settings
    ]
    before = len(report.findings)
    for path in paths:
        node = nearest(report.tree, path)
        if federation.event_services[name].settings or len(path) > 3:
            check_structure(report, node, kind.settings, path, partial=True)
    if len(report.findings) == before:
        _check_merged(federation, report, kind.settings, name)


def _check_merged(
    federation: Federation, report: Report, settings: type[msgspec.Struct], name: str
) -> None:
    """Report what is missing, or wrong as a whole, in the merged settings of an adapter."""
    for gateway, each in federation.gateways.items():
        if name not in each.adapters:
            continue
        try:
            msgspec.convert(settings_of(federation, gateway, name), settings)
        except msgspec.ValidationError as error:
            path = ("event_services", name, "settings")
            report.error(path, f"{error} (for gateway {gateway!r})")
