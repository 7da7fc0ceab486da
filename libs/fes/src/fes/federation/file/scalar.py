"""Values of plain scalars in the file: YAML 1.2's core schema, slightly stricter."""

import math
import re

from fes.federation.file.tree import Scalar

_NULL = frozenset({"", "~", "null", "Null", "NULL"})
_BOOL = {"true": True, "True": True, "TRUE": True, "false": False, "False": False, "FALSE": False}
_INT = re.compile(r"[-+]?(?:0|[1-9][0-9]*)\Z", re.ASCII)
_HEX = re.compile(r"0x[0-9a-fA-F]+\Z")
_FLOAT = re.compile(r"[-+]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][-+]?[0-9]+)?\Z", re.ASCII)
_INT64 = 2**63


def plain_value(text: str) -> Scalar:
    """Return the value of a plain (unquoted) scalar.

    Text stays text where YAML 1.1 would read something else: `yes`, `on`, `012`, `1:30`,
    `2026-01-01`.

    Raises:
        ValueError: A number is out of range.

    Source:
        YAML 1.2.2, section 10.3.2; without octal, infinity and NaN.
    """
    if text in _NULL:
        return None
    if text in _BOOL:
        return _BOOL[text]
    if _INT.match(text) or _HEX.match(text):
        return _integer(text)
    if _FLOAT.match(text) and not re.match(r"[-+]?0[0-9]+\Z", text):
        return _number(text)
    return text


def _integer(text: str) -> int:
    if len(text) > 20:
        raise ValueError(f"integer {text[:24]}… does not fit 64 bit")
    value = int(text, 0)
    if not -_INT64 <= value < _INT64:
        raise ValueError(f"integer {text} does not fit 64 bit")
    return value


def _number(text: str) -> float:
    value = float(text)
    if not math.isfinite(value):
        raise ValueError(f"number {text[:24]} is out of range")
    return value
