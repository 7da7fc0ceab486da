"""Checks native applications."""

from fes.federation.checks.services import known
from fes.federation.file.tree import Report
from fes.federation.model import Federation


def check_applications(federation: Federation, report: Report) -> None:
    """Report applications that cannot be started in any order.

    Args:
        federation: Valid in form.
        report: Collects the findings.
    """
    applications = federation.applications
    for name, application in applications.items():
        path = ("applications", name)
        if not application.command[0].strip():
            report.error((*path, "command", 0), "names no program")
        for at, earlier in enumerate(application.after):
            if earlier not in federation.gateways:
                known(report, (*path, "after", at), earlier, "application", applications)
        if name in _before(federation, name):
            report.error((*path, "after"), "it would have to start after itself")


def _before(federation: Federation, name: str) -> set[str]:
    """Return what must start before an application, directly or indirectly."""
    applications = federation.applications
    todo = list(applications[name].after)
    seen: set[str] = set()
    while todo:
        earlier = todo.pop()
        if earlier in applications and earlier not in seen:
            seen.add(earlier)
            todo += applications[earlier].after
    return seen
