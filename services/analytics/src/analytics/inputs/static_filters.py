"""Static filters, as the judge reads them: conjunctions of comparisons.

The judge has a small reader of its own, so that a fault of the federation's parser cannot hide
itself. What is beyond it cannot be judged, and is refused.
"""

import re
from functools import reduce

from pyspark.sql import Column
from pyspark.sql import functions as fn

_TERM = re.compile(
    r"""\s*(?P<name>subject|rate|license_no)\s*
        (?P<op><=|>=|<>|=|<|>)\s*
        (?P<value>'(?:[^']|'')*'|[-+]?\d+(?:\.\d+)?)\s*""",
    re.VERBOSE,
)
_WORD = re.compile(r"\s*([A-Za-z_]\w*)\s*")
_AND = re.compile(r"\bAND\b", re.IGNORECASE)


def readable(text: str) -> bool:
    """Return whether the judge can read a filter."""
    return bool(_WORD.fullmatch(text)) or all(map(_TERM.fullmatch, _AND.split(text)))


def passes(text: str) -> Column:
    """Return whether a speed event passes a filter.

    Args:
        text: A filter that is `readable`.

    Returns:
        An expression over the columns `rate` and `licence`.

    Source:
        design, section 5: a filter that is one bare word names a subject.
    """
    word = _WORD.fullmatch(text)
    if word:
        return fn.lit(word[1] == "Speed")
    return reduce(Column.__and__, [_term(term) for term in _AND.split(text)])


def _term(text: str) -> Column:
    match = _TERM.fullmatch(text)
    if match is None:
        raise ValueError(f"cannot read the filter {text!r}")
    columns = {"subject": fn.lit("Speed"), "rate": fn.col("rate"), "license_no": fn.col("licence")}
    left, value = columns[match["name"]], _literal(match["value"])
    return _compare(left, match["op"], value)


def _literal(text: str) -> Column:
    return fn.lit(text[1:-1].replace("''", "'") if text.startswith("'") else float(text))


def _compare(left: Column, op: str, right: Column) -> Column:
    answers = {
        "=": left == right,
        "<>": left != right,
        "<": left < right,
        "<=": left <= right,
        ">": left > right,
        ">=": left >= right,
    }
    return answers[op]
