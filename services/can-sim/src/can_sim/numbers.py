"""Numbers as people and their spreadsheets write them."""

import re

_POINT = re.compile(r"[+-]?\d+\.\d+")
_GROUPS = re.compile(r"[+-]?\d{1,3}(?:[,.' \u00a0\u202f]\d{3})+(?:[.,]\d+)?")
SHOWN = 40


def number_of(text: str, *, comma_is_decimal: bool, others: str = "") -> float:
    """Return the number that a cell holds.

    Args:
        text: The cell.
        comma_is_decimal: Whether a comma may be the decimal sign: cells are separated by another
            character.
        others: The row's other text; where that has numbers with a point, a comma is not a decimal
            sign.

    Raises:
        ValueError: It has none; the message states why.
    """
    shown = repr(text[:SHOWN])
    if "," in text:
        if not comma_is_decimal:
            raise ValueError(
                f"{shown} has a comma; a decimal comma is read where cells are separated by "
                "another character"
            )
        if text.count(",") > 1 or "." in text:
            raise ValueError(f"{shown} has a thousands separator")
        if _GROUPS.fullmatch(text) and _POINT.search(others):
            raise ValueError(f"{shown} may have a thousands separator or a decimal comma")
        text = text.replace(",", ".")
    elif not text.isascii() or "_" in text:  # what only Python takes for a number
        raise ValueError(_reason(text, shown))
    try:
        return float(text)
    except ValueError:
        raise ValueError(_reason(text, shown)) from None


def _reason(text: str, shown: str) -> str:
    if _GROUPS.fullmatch(text):
        return f"{shown} has a thousands separator"
    return f"{shown} is not a number"


def degrees_of(text: str, *, comma_is_decimal: bool, others: str = "") -> float:
    """Return degrees; a letter N, E (positive), S or W (negative) may follow them.

    Raises:
        ValueError: It has none; the message states why.
    """
    letter = text[-1:].upper()
    if letter not in ("N", "S", "E", "W") or text[:1] in "+-":
        return number_of(text.rstrip("°"), comma_is_decimal=comma_is_decimal, others=others)
    value = number_of(
        text[:-1].strip().rstrip("°"), comma_is_decimal=comma_is_decimal, others=others
    )
    return -value if letter in "SW" else value
