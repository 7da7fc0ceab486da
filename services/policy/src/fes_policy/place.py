"""The place of a fault in a text of Cedar, whose parser reports none."""

import re
from typing import Final

import cedarpy

MOST_SHOWN: Final = 300
"""Longest reason that is reported; the parser's repeats what it does not understand."""

_RULE: Final = re.compile(r'(?:"(?:\\.|[^"\\])*+(?:"|\Z)|//[^\n]*|[^;"/]|/)+;?|;', re.DOTALL)
"""A rule with its semicolon; semicolons in strings and comments do not end it."""


def fault_of(text: str, place: str, error: ValueError) -> str:
    """Return the fault of a text, with the line of the first rule that is not valid by itself.

    Args:
        text: Of Cedar; not valid.
        place: Names the text.
        error: Of the whole text.
    """
    line = 1
    for rule in _RULE.findall(text):
        try:
            cedarpy.policies_to_json_str(rule)
        except ValueError as own:
            return f"{place}:{line + _lines_before(rule)}: {_reason(own)}"
        line += rule.count("\n")
    return f"{place}: {_reason(error)}"


def _lines_before(rule: str) -> int:
    """Return how many blank lines and comments are before a rule."""
    lines = (line.strip() for line in rule.split("\n"))
    return next((at for at, line in enumerate(lines) if line and not line.startswith("//")), 0)


def _reason(error: ValueError) -> str:
    reason = " ".join(str(error).split())
    return reason if len(reason) <= MOST_SHOWN else f"{reason[:MOST_SHOWN]}…"
