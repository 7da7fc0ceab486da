"""Checks what becomes a request of what native clients declare."""

from collections.abc import Iterator

from fes.federation.checks.lists import NamedList, check_list
from fes.federation.file.tree import Report
from fes.federation.model import Federation
from fes.federation.topology import Routes

OBSERVED = ("subscriptions", "announcements")
"""What native clients may declare, as the file names it."""


def check_observing(federation: Federation, report: Report) -> None:
    """Report distribution lists of observed requests that are not good.

    Args:
        federation: Good in form.
        report: Takes the findings.
    """
    routes = Routes.of(federation)
    for _, named in observed_lists(federation):
        check_list(federation, report, routes, named)


def observed_lists(federation: Federation) -> Iterator[tuple[str, NamedList]]:
    """Yield what is observed, and for whom, at every adapter that observes."""
    for gateway, each in federation.gateways.items():
        for service, adapter in each.adapters.items():
            for what in OBSERVED:
                text = getattr(adapter.observe, what)
                if text:
                    path = ("gateways", gateway, "adapters", service, "observe", what)
                    yield what, NamedList(text, gateway, service, path)
