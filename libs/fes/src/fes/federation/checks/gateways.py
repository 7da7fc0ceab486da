"""Checks gateways and their adapters."""

from msgspec import UNSET

from fes.federation.checks.services import known
from fes.federation.file.finding import Path
from fes.federation.file.tree import Report
from fes.federation.model import Adapter, Federation, adapter_id, is_on_medium


def check_gateways(federation: Federation, report: Report) -> None:
    """Report attachments to unknown services, and control on a medium that is left to a default.

    Args:
        federation: Valid in form.
        report: Collects the findings.
    """
    for name, gateway in federation.gateways.items():
        for service, adapter in gateway.adapters.items():
            path = ("gateways", name, "adapters", service)
            if known(report, path, service, "event service", federation.event_services):
                _check_control(federation, report, service, adapter, path)
            for at, mapping in enumerate(adapter.mappings):
                where = (*path, "mappings", at)
                known(report, where, mapping, "mapping", federation.mappings)
    _check_identifiers(federation, report)
    _check_use(federation, report)


def _check_control(
    federation: Federation, report: Report, service: str, adapter: Adapter, path: Path
) -> None:
    if not is_on_medium(federation, service):
        return
    control = adapter.control
    missing = [
        word for word, value in (("accept", control.accept), ("relay", control.relay))
        if value is UNSET
    ]  # fmt: skip
    if missing:
        keys = " and ".join(missing)
        message = f"on a medium, control must specify {keys} (usually [] and false)"
        report.error((*path, "control"), message)


def _check_identifiers(federation: Federation, report: Report) -> None:
    taken: dict[str, str] = {name: f"gateway {name!r}" for name in federation.gateways}
    for name, gateway in federation.gateways.items():
        for service in gateway.adapters:
            identifier = adapter_id(name, service)
            path = ("gateways", name, "adapters", service)
            if identifier in taken:
                message = f"adapter would be called {identifier!r}, like {taken[identifier]}"
                report.error(path, message)
            taken.setdefault(identifier, f"the adapter of gateway {name!r} to {service!r}")
    for name in federation.event_services:
        if name in federation.gateways:
            report.error(("gateways", name), "an event service has the same name")


def _check_use(federation: Federation, report: Report) -> None:
    adapters = [
        (service, adapter)
        for gateway in federation.gateways.values()
        for service, adapter in gateway.adapters.items()
    ]
    attached = {service for service, _ in adapters}
    for service in federation.event_services:
        if service not in attached:
            report.warning(("event_services", service), "no gateway is attached to it")
    used = {mapping for _, adapter in adapters for mapping in adapter.mappings}
    for mapping in federation.mappings:
        if mapping not in used:
            report.warning(("mappings", mapping), "no adapter uses this mapping")
