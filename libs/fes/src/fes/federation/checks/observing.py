"""Checks which declarations of native clients become requests."""

from collections.abc import Iterator

from fes.federation.checks.lists import NamedList, check_list
from fes.federation.file.tree import Report
from fes.federation.model import Federation
from fes.federation.topology import Routes

OBSERVED = ("subscriptions", "announcements")
"""What native clients may declare, in the terms of the file."""


def check_observing(federation: Federation, report: Report) -> None:
    """Report distribution lists of observed requests that are not valid.

    Args:
        federation: Valid in form.
        report: Collects the findings.
    """
    routes = Routes.of(federation)
    for _, named in observed_lists(federation):
        check_list(federation, report, routes, named)


def observed_lists(federation: Federation) -> Iterator[tuple[str, NamedList]]:
    """Yield what is observed at every adapter, and the distribution list of the requests."""
    for gateway, each in federation.gateways.items():
        for service, adapter in each.adapters.items():
            for what in OBSERVED:
                text = getattr(adapter.observe, what)
                if text:
                    path = ("gateways", gateway, "adapters", service, "observe", what)
                    yield what, NamedList(text, gateway, service, path)
