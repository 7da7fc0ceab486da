"""Times as text and numbers, to whole microseconds."""

import re
from datetime import UTC, datetime, timedelta
from decimal import Decimal

SECOND_US = 1_000_000
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
MAX_US = 10_000 * 366 * 86_400 * SECOND_US
MAX_CHARACTERS = 64
_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d{1,3})?", re.ASCII)
_UNITS_US = {"us": 1, "ms": 1_000, "s": SECOND_US}
_NANOSECOND = Decimal("0.001")
_SIZES = ((Decimal(10) ** 17, "ns"), (Decimal(10) ** 14, "us"), (Decimal(10) ** 11, "ms"))
"""From where on a number of no unit, counted from 1970, is in a smaller one."""
_DATE_TIME = re.compile(
    r"(?P<date>\d{4}-?\d{2}-?\d{2})(?:[T ]\s*(?P<clock>\d{2}:?\d{2}(?::?\d{2})?)"
    r"(?P<fraction>[.,]\d+)?\s*(?P<zone>Z|UTC|GMT|[+-]\d{2}(?::?\d{2})?)?)?",
    re.ASCII | re.IGNORECASE,
)


def from_datetime(moment: datetime) -> int:
    """Return microseconds since 1970 UTC; a moment without a zone counts as UTC."""
    aware = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
    return (aware - _EPOCH) // timedelta(microseconds=1)


def from_iso(text: str) -> int:
    """Return microseconds since 1970 UTC of an ISO 8601 date and time.

    White space around it is passed over, as `xs:dateTime` has it; the date's parts may be
    separated by `/`; a fraction may have any number of digits, those beyond microseconds are cut
    off; 24:00:00 is the next day's midnight, and a leap second (:60) the second after it. Without
    a zone it is UTC.

    Raises:
        ValueError: It is none.
    """
    shown = " ".join(text[:MAX_CHARACTERS].split())
    found = _DATE_TIME.fullmatch(text.strip().replace("/", "-")) if len(text) < 256 else None
    if found is None:
        raise ValueError(f"{shown!r} is not a time")
    clock = (found["clock"] or "00:00").replace(":", "").ljust(6, "0")
    fraction_us = int((found["fraction"] or ".0")[1:].ljust(6, "0")[:6])
    date = found["date"].replace("-", "")
    hour, minute, second = int(clock[:2]), int(clock[2:4]), int(clock[4:])
    whole_day = (hour, minute, second, fraction_us) == (24, 0, 0, 0)
    if not whole_day and (hour > 23 or minute > 59 or second > 60):
        raise ValueError(f"{shown!r} is not a time")
    try:
        day = datetime(int(date[:4]), int(date[4:6]), int(date[6:]), tzinfo=UTC)
    except ValueError:
        raise ValueError(f"{shown!r} is not a time") from None
    seconds = hour * 3600 + minute * 60 + second - _offset_s(found["zone"] or "", shown)
    return from_datetime(day) + seconds * SECOND_US + fraction_us


def _offset_s(zone: str, shown: str) -> int:
    if zone[:1] not in ("+", "-"):
        return 0
    digits = zone[1:].replace(":", "").ljust(4, "0")
    hours, minutes = int(digits[:2]), int(digits[2:])
    if hours * 60 + minutes > 14 * 60 or minutes > 59:
        raise ValueError(f"{shown!r} has an offset that no zone has")
    return (hours * 3600 + minutes * 60) * (-1 if zone[0] == "-" else 1)


def from_text(text: str, unit: str) -> int:
    """Return microseconds from a number or an ISO 8601 moment.

    Args:
        text: A number of `unit`, or ISO 8601 (without a zone: UTC).
        unit: `us`, `ms` or `s`; where empty, a number's size tells: seconds, or since 1970 in
            milliseconds, microseconds or nanoseconds.

    Raises:
        ValueError: `text` is neither, or the moment is too far from 1970.
    """
    number = _NUMBER.fullmatch(text) if len(text) <= MAX_CHARACTERS else None
    if number is None:
        return from_iso(text)
    exact = Decimal(text)
    unit = unit or next((smaller for least, smaller in _SIZES if abs(exact) >= least), "s")
    exact *= _NANOSECOND if unit == "ns" else _UNITS_US[unit]
    if abs(exact) > MAX_US:
        raise ValueError(f"{text} is not within 10,000 years of 1970")
    return int(exact.to_integral_value())
