"""Checks mapping rules, each at its own place."""

from collections.abc import Callable
from typing import Any

from fes.errors import FederationError
from fes.federation.file.structure import check_structure
from fes.federation.file.tree import Node, Report, child

TryRule = Callable[[Any], object]
"""Raises a FederationError where a rule, as plain data, cannot work."""


def check_mappings(report: Report, rule: Any, try_rule: TryRule | None = None) -> None:
    """Report mapping rules that are not well formed, or cannot work.

    Args:
        report: Collects the findings; its tree is valid in form.
        rule: Type of one rule. An argument, since `fes.mapping` is beside `fes.federation`, not
            below.
        try_rule: Called with each rule that is well formed; None to check the form only.
    """
    mappings = child(report.tree, "mappings")
    if mappings is None or not isinstance(mappings.value, dict):
        return
    for name, rules in mappings.value.items():
        for at, node in enumerate(rules.value if isinstance(rules.value, list) else ()):
            before = len(report.findings)
            path = ("mappings", name, at)
            check_structure(report, node, rule, path)
            if try_rule and len(report.findings) == before:
                _try(report, node, path, try_rule)


def _try(report: Report, node: Node, path: tuple[str | int, ...], try_rule: TryRule) -> None:
    try:
        try_rule(node.plain())
    except FederationError as error:
        report.error(path, error.reason)
