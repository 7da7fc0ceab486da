"""Checks the services of a building that gateways query."""

from msgspec import UNSET

from fes.federation.checks.services import known
from fes.federation.file.finding import Path
from fes.federation.file.tree import Report
from fes.federation.model import Federation

KIND = "nats"


def check_guides(federation: Federation, report: Report) -> None:
    """Report what the naming and policy services refer to that is not there.

    Args:
        federation: Good in form.
        report: Accepts the findings.
    """
    services = federation.event_services
    naming, policy = federation.naming, federation.policy
    if naming is not UNSET:
        _check_broker(federation, report, ("naming",), naming.broker)
        if len(set(naming.servers)) < len(naming.servers):
            report.error(("naming", "servers"), "a server is listed twice")
        if naming.buses is not UNSET:
            known(report, ("naming", "buses"), naming.buses, "event service", services)
    if policy is not UNSET:
        _check_broker(federation, report, ("policy",), policy.broker)
        for key, names in (("users", policy.users), ("devices", policy.devices)):
            for name in names:
                known(report, ("policy", key, name), name, "event service", services)


def _check_broker(federation: Federation, report: Report, path: Path, name: str) -> None:
    if not known(report, (*path, "broker"), name, "broker", federation.brokers):
        return
    kind = federation.brokers[name].kind
    if kind != KIND:
        report.error((*path, "broker"), f"expected a broker of kind {KIND}, found {kind}")
