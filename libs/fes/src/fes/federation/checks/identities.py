"""Checks that no two mapping rules make two events of an event service with one identity."""

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from fes.federation.file.tree import Report
from fes.federation.model import Federation

FindClashes = Callable[[Sequence[Any]], Iterable[tuple[int, int]]]
"""Returns the indexes of each two rules, as plain data, that clash, the later one first."""


def check_identities(federation: Federation, report: Report, find: FindClashes) -> None:
    """Report rules that would make two different events with one identity.

    All adapters of an event service count, since the events that two of them make from one meet
    again.

    Args:
        federation: Valid in form, with rules that are well formed.
        report: Collects the findings.
        find: Finds such rules.
    """
    reported = set()
    for service in federation.event_services:
        places = _rules_at(federation, service)
        rules = [federation.mappings[name][at] for name, at in places]
        for later, earlier in find(rules):
            (name, at), (other, other_at) = places[later], places[earlier]
            if (places[later], places[earlier]) in reported:
                continue
            reported.add((places[later], places[earlier]))
            report.error(
                ("mappings", name, at),
                f"its events at {service!r} would have the identities of those of "
                f"mappings.{other}[{other_at}]; add a name of its own to one of the two rules",
            )


def _rules_at(federation: Federation, service: str) -> list[tuple[str, int]]:
    lists = {
        name: None
        for gateway in federation.gateways.values()
        if service in gateway.adapters
        for name in gateway.adapters[service].mappings
        if name in federation.mappings
    }
    return [(name, at) for name in lists for at in range(len(federation.mappings[name]))]
