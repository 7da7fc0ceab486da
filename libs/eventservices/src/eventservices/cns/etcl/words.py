"""Literals and names as they are written in a constraint, and read back."""

import math
import re

from eventservices.cns.value import Value
from eventservices.errors import MalformedError

INT_MIN, INT_MAX = -(2**63), 2**64 - 1
"""The integers there are: `long long` and `unsigned long long` together."""

RESERVED = frozenset(
    re.findall(
        "[A-Za-z]+",
        "and or not in exist default TRUE FALSE true false min max first random with",
    )
)
"""Words that need a backslash to be a name."""

_IDENTIFIER = re.compile(r"[A-Za-z][A-Za-z0-9_]*")
_ESCAPED = re.compile(r"\\(['\\])")
_ESCAPABLE = re.compile(r"['\\]")


def is_identifier(name: str) -> bool:
    """Return whether a name can be written in a component, perhaps with a backslash."""
    return _IDENTIFIER.fullmatch(name) is not None


def identifier(name: str) -> str:
    r"""Return a name as a constraint writes it, e.g. `\in` for `in`.

    Raises:
        MalformedError: No identifier is spelt like that.
    """
    if not is_identifier(name):
        raise MalformedError(f"{name!r} is not an identifier of ETCL")
    return "\\" + name if name in RESERVED else name


def literal(value: Value) -> str:
    """Return a value as a constraint writes it.

    Args:
        value: A boolean, an integer, a float or text.

    Raises:
        MalformedError: The language has no literal for it: NaN, an infinity, an integer of more
            than 64 bits, text that is not Unicode, or any other kind of value.
    """
    if isinstance(value, bool):
        return "TRUE" if value else "FALSE"
    if isinstance(value, str):
        return string_literal(value)
    if isinstance(value, int) and INT_MIN <= value <= INT_MAX:
        return str(int(value))
    if isinstance(value, float) and math.isfinite(value):
        return repr(float(value))
    raise MalformedError(f"ETCL has no literal for {value!r}")


def string_literal(text: str) -> str:
    r"""Return text between quotes, with `\` before each quote and backslash within.

    Raises:
        MalformedError: The text is not Unicode.
    """
    try:
        text.encode()
    except UnicodeEncodeError as error:
        raise MalformedError("text is not Unicode (lone surrogate)") from error
    return "'" + _ESCAPABLE.sub(r"\\\g<0>", text) + "'"


def unquoted(written: str) -> str:
    r"""Return the text of a string literal; only `\'` and `\\` are escapes."""
    return _ESCAPED.sub(r"\1", written[1:-1])


def property_component(name: str) -> str:
    """Return the component of an entry of the filterable data, e.g. `$.filterable_data(rate)`.

    A name that is not an identifier is written as a string, which is an extension of the language.

    Raises:
        MalformedError: The name is not Unicode.
    """
    key = identifier(name) if is_identifier(name) else string_literal(name)
    return f"$.filterable_data({key})"
