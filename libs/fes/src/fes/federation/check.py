"""Checks a federation file as a whole: form, references, installed adapters, mapping rules."""

from collections.abc import Mapping
from typing import Any

from fes.federation.checks import check_kinds, check_mappings
from fes.federation.checks.circles import check_circles
from fes.federation.checks.identities import FindClashes, check_identities
from fes.federation.checks.mappings import TryRule
from fes.federation.file.finding import Finding, has_errors
from fes.federation.file.tree import Report
from fes.federation.kinds import Kind
from fes.federation.load import Document, in_order


def check(
    document: Document,
    kinds: Mapping[str, Kind],
    rule: Any = dict[str, Any],
    try_rule: TryRule | None = None,
    find_clashes: FindClashes | None = None,
) -> tuple[Finding, ...]:
    """Return everything that is wrong or doubtful, in the order of the file.

    Args:
        document: A file that was examined.
        kinds: The kinds of event services that an adapter is installed for.
        rule: Type of one mapping rule, e.g. `fes.mapping.rules.model.Rule`.
        try_rule: Raises a FederationError where a rule, as plain data, cannot work.
        find_clashes: Finds rules that make two events with one identity.
    """
    if document.federation is None or document.tree is None:
        return document.findings
    report = Report(document.tree)
    check_kinds(document.federation, report, kinds)
    check_mappings(report, rule, try_rule)
    check_circles(document.federation, report, kinds)
    if find_clashes is not None and not has_errors(report.findings):
        check_identities(document.federation, report, find_clashes)
    return in_order([*document.findings, *report.findings])
