"""Checks event services, and the brokers and media that they are on."""

from collections.abc import Collection

from eventservices.addresses import split_url
from eventservices.errors import MalformedError
from msgspec import UNSET

from fes.federation.file.finding import Path
from fes.federation.file.tree import Report
from fes.federation.model import Federation
from fes.federation.names import hint

EMBEDDED = ("nats", "mqtt")
"""Kinds of brokers that `fes run` can start itself."""

FEW = 6
"""Up to so many known names are listed where a name was not found."""


def check_services(federation: Federation, report: Report) -> None:
    """Report brokers and media that are unknown or unused.

    Args:
        federation: Valid in form.
        report: Collects the findings.
    """
    for name, service in federation.event_services.items():
        path = ("event_services", name)
        for at, broker in enumerate(service.brokers):
            known(report, (*path, "brokers", at), broker, "broker", federation.brokers)
        if len(set(service.brokers)) < len(service.brokers):
            report.error((*path, "brokers"), "a broker is listed twice")
        if service.medium is not UNSET:
            known(report, (*path, "medium"), service.medium, "medium", federation.media)
    _check_brokers(federation, report)
    _check_media(federation, report)


def known(report: Report, path: Path, name: str, what: str, names: Collection[str]) -> bool:
    """Report a name that refers to nothing; return whether it refers to something."""
    if name in names:
        return True
    few = f"; there are {', '.join(names)}" if 0 < len(names) <= FEW else ""
    report.error(path, f"there is no {what} {name!r}{hint(name, names) or few}")
    return False


def _check_brokers(federation: Federation, report: Report) -> None:
    used = {broker for each in federation.event_services.values() for broker in each.brokers}
    used |= {each.broker for each in (federation.naming, federation.policy) if each is not UNSET}
    for name, broker in federation.brokers.items():
        if name not in used:
            report.warning(("brokers", name), "no event service uses this broker")
        if broker.url is UNSET and broker.kind not in EMBEDDED:
            near = hint(broker.kind, EMBEDDED)
            message = f"only {' and '.join(EMBEDDED)} can be started without a url{near}"
            report.error(("brokers", name, "kind"), message)
        if broker.url is not UNSET:
            try:
                split_url(broker.url)
            except MalformedError as error:
                report.error(("brokers", name, "url"), str(error))


def _check_media(federation: Federation, report: Report) -> None:
    used = {service.medium for service in federation.event_services.values()}
    for name in federation.media:
        if name not in used:
            report.warning(("media", name), "no event service is on this medium")
