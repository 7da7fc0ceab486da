"""Times as text and numbers, to whole microseconds."""

import re
from datetime import UTC, datetime, timedelta
from decimal import Decimal

SECOND_US = 1_000_000
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
MAX_US = 10_000 * 366 * 86_400 * SECOND_US
_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d{1,3})?", re.ASCII)
_UNITS_US = {"us": 1, "ms": 1_000, "s": SECOND_US}


def from_datetime(moment: datetime) -> int:
    """Return microseconds since 1970 UTC; a moment without a zone counts as UTC."""
    aware = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
    return (aware - _EPOCH) // timedelta(microseconds=1)


def from_text(text: str, unit: str) -> int:
    """Return microseconds from a number or an ISO 8601 moment.

    Args:
        text: A number of `unit`, or ISO 8601 (without a zone: UTC).
        unit: `us`, `ms` or `s`.

    Raises:
        ValueError: `text` is neither, or the moment is too far from 1970.
    """
    number = _NUMBER.fullmatch(text)
    if number is None:
        return from_datetime(datetime.fromisoformat(text))
    exact = Decimal(text) * _UNITS_US[unit]
    if abs(exact) > MAX_US:
        raise ValueError(f"{text} is not within 10,000 years of 1970")
    return int(exact.to_integral_value())
