"""Speed limits, and their filters."""

import math
from decimal import Decimal
from typing import Final

from traffic_control.errors import InputError

SUBJECT: Final = "Speed"
MAX_KMH: Final = 10_000.0


def number(text: str) -> float:
    """Return the number in a text, strictly: without `1_000` or other digits, which Python accepts.

    Raises:
        ValueError: The text is not a number.
    """
    if not text.isascii() or "_" in text:
        raise ValueError(f"{text[:40]!r} is not a number")
    return float(text)


def check_limit(limit_kmh: float) -> float:
    """Return a limit as a double.

    Args:
        limit_kmh: km/h, 0 to `MAX_KMH`.

    Raises:
        InputError: It is out of range.
    """
    if not math.isfinite(limit_kmh) or not 0 <= limit_kmh <= MAX_KMH:
        raise InputError(f"{limit_kmh} is not a limit from 0 to {MAX_KMH:g} km/h")
    return float(limit_kmh)


def limit_text(limit_kmh: float) -> str:
    """Return the shortest text of a limit: 70, 62.5."""
    if limit_kmh == int(limit_kmh):
        return str(int(limit_kmh))
    return format(Decimal(repr(limit_kmh)), "f")


def filter_of(limit_kmh: float) -> str:
    """Return the filter of a limit, in the filter language: it accepts faster vehicles.

    Source:
        FES thesis, section 5.8.1.
    """
    return f"subject = '{SUBJECT}' AND rate > {limit_text(limit_kmh)}"
