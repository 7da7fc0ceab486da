"""Checks of a federation file as a whole, once its form is valid."""

from fes.federation.checks.applications import check_applications
from fes.federation.checks.clock import check_clock
from fes.federation.checks.gateways import check_gateways
from fes.federation.checks.guides import check_guides
from fes.federation.checks.kinds import check_kinds
from fes.federation.checks.logins import check_logins
from fes.federation.checks.mappings import check_mappings
from fes.federation.checks.marks import check_marks
from fes.federation.checks.observing import check_observing
from fes.federation.checks.requests import check_requests
from fes.federation.checks.services import check_services
from fes.federation.checks.stores import check_stores
from fes.federation.checks.ways import check_ways
from fes.federation.file.tree import Report
from fes.federation.model import Federation
from fes.federation.scopes.check import check_scopes

__all__ = ["check_kinds", "check_mappings", "check_references"]


def check_references(federation: Federation, report: Report) -> None:
    """Report references to nothing, contradictions, and what looks like a mistake.

    This needs only the file: `check_kinds` checks what depends on installed adapters.

    Args:
        federation: Valid in form.
        report: Collects the findings.
    """
    check_clock(federation, report)
    check_services(federation, report)
    check_gateways(federation, report)
    check_stores(federation, report)
    check_logins(federation, report)
    check_ways(federation, report)
    check_requests(federation, report)
    check_observing(federation, report)
    check_applications(federation, report)
    check_marks(federation, report)
    check_scopes(federation, report)
    check_guides(federation, report)
