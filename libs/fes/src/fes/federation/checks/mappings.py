"""Checks the form of mapping rules."""

from typing import Any

from fes.federation.structure import check_structure
from fes.federation.tree import Report, child


def check_mappings(report: Report, rule: Any) -> None:
    """Report mapping rules that are not well formed.

    Args:
        report: Takes the findings; its tree is good in form.
        rule: Type of one rule. An argument, because mappings stand beside federations, not below.
    """
    mappings = child(report.tree, "mappings")
    if mappings is None or not isinstance(mappings.value, dict):
        return
    for name, rules in mappings.value.items():
        check_structure(report, rules, tuple[rule, ...], ("mappings", name))
