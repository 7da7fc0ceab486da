"""Checks the clock."""

from msgspec import UNSET

from fes.errors import FederationError
from fes.federation.clock import moment_us
from fes.federation.file.tree import Report
from fes.federation.model import Federation


def check_clock(federation: Federation, report: Report) -> None:
    """Report a start that is not a valid moment.

    Args:
        federation: Valid in form.
        report: Collects the findings.
    """
    start = federation.clock.start
    if start is UNSET:
        return
    try:
        moment_us(start)
    except FederationError as error:
        report.error(("clock", "start"), error.reason)
