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
    r"(?P<date>\d{4}-?\d{2}-?\d{2}|\d{4}-?W\d{2}-?\d|\d{4}-\d{3})"
    r"(?:[T ]\s*(?P<clock>\d{2}:?\d{2}(?::?\d{2})?|\d:\d{2}(?::\d{2})?)"
    r"(?P<fraction>[.,]\d+)?(?:\s*(?P<half>[ap])\.?m\.?(?![a-z]))?"
    r"\s*(?P<zone>Z|UTC|GMT|[+-]\d{2}(?::?\d{2})?)?(?:\[[^\[\]]{1,40}\])?)?",
    re.ASCII | re.IGNORECASE,
)

_CLOCK = r"(?P<clock>\d{1,2}:\d{2}(?::\d{2}(?:[.,]\d+)?)?(?:\s*[ap]\.?m\.?)?)"
_ZONE = r"(?P<zone>Z|(?:UTC|GMT)?[+-]\d{2}:?\d{2}|UTC|GMT)?"
_NAMED = re.ASCII | re.IGNORECASE
_DAY_FIRST = re.compile(
    rf"(?P<day>\d{{1,2}})\.(?P<month>\d{{1,2}})\.(?P<year>\d{{4}}),?\s+{_CLOCK}\s*{_ZONE}", _NAMED
)
_DAY_AND_NAME = re.compile(
    r"(?:[a-z]{3},\s+)?(?P<day>\d{1,2})[-\s](?P<month>[a-z]{3})[-\s](?P<year>\d{4})\s+"
    rf"{_CLOCK}\s*{_ZONE}",
    _NAMED,
)
_NAME_AND_DAY = re.compile(
    rf"[a-z]{{3}}\s+(?P<month>[a-z]{{3}})\s+(?P<day>\d{{1,2}})\s+{_CLOCK}\s*{_ZONE}\s+(?P<year>\d{{4}})",
    _NAMED,
)
_MONTHS = {
    name: number
    for number, name in enumerate(
        ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"], 1
    )
}


def from_datetime(moment: datetime) -> int:
    """Return microseconds since 1970 UTC; a moment without a zone counts as UTC."""
    aware = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
    return (aware - _EPOCH) // timedelta(microseconds=1)


def from_iso(text: str) -> int:
    """Return microseconds since 1970 UTC of an ISO 8601 date and time.

    White space around it is passed over, as `xs:dateTime` has it; the date's parts may be
    separated by `/`, or be the year's week and day, or its day; AM or PM may follow the time, and
    a zone's name in brackets (RFC 9557) the offset; a fraction may have any number of digits,
    those beyond microseconds are cut off; 24:00:00 is the next day's midnight, and a leap second
    (:60) the second after it. Without a zone it is UTC.

    Raises:
        ValueError: It is none.
    """
    shown = " ".join(text[:MAX_CHARACTERS].split())
    found = _DATE_TIME.fullmatch(text.strip().replace("/", "-")) if len(text) < 256 else None
    if found is None:
        raise ValueError(f"{shown!r} is not a time")
    clock = found["clock"] or "00:00"
    clock = (f"0{clock}" if clock[1:2] == ":" else clock).replace(":", "").ljust(6, "0")
    fraction_us = int((found["fraction"] or ".0")[1:].ljust(6, "0")[:6])
    hour, minute, second = int(clock[:2]), int(clock[2:4]), int(clock[4:])
    if half := (found["half"] or "").lower():
        if not 1 <= hour <= 12:
            raise ValueError(f"{shown!r} is not a time")
        hour = hour % 12 + (12 if half == "p" else 0)
    whole_day = (hour, minute, second, fraction_us) == (24, 0, 0, 0)
    if not whole_day and (hour > 23 or minute > 59 or second > 60):
        raise ValueError(f"{shown!r} is not a time")
    try:
        day = _day(found["date"].upper())
    except ValueError:
        raise ValueError(f"{shown!r} is not a time") from None
    seconds = hour * 3600 + minute * 60 + second - _offset_s(found["zone"] or "", shown)
    return from_datetime(day) + seconds * SECOND_US + fraction_us


def _day(date: str) -> datetime:
    """Return the midnight of a calendar, week or ordinal date."""
    if re.fullmatch(r"\d{4}-\d{3}", date):
        first = datetime(int(date[:4]), 1, 1, tzinfo=UTC)
        day = first + timedelta(days=int(date[5:]) - 1)
        if day.year != first.year:
            raise ValueError(date)
        return day
    return datetime.fromisoformat(date.replace("-", "")).replace(tzinfo=UTC)


def _offset_s(zone: str, shown: str) -> int:
    if zone[:1] not in ("+", "-"):
        return 0
    digits = zone[1:].replace(":", "").ljust(4, "0")
    hours, minutes = int(digits[:2]), int(digits[2:])
    if hours * 60 + minutes > 14 * 60 or minutes > 59:
        raise ValueError(f"{shown!r} has an offset that no zone has")
    return (hours * 3600 + minutes * 60) * (-1 if zone[0] == "-" else 1)


def _in_iso(text: str) -> str:
    """Return a moment in ISO 8601 whose day cannot be treated as its month; others as they are."""
    if len(text) > MAX_CHARACTERS:
        return text
    found = _DAY_FIRST.fullmatch(text) or _DAY_AND_NAME.fullmatch(text)
    found = found or _NAME_AND_DAY.fullmatch(text)
    if found is None:
        return text
    month = found["month"].lower()
    number = int(month) if month.isdecimal() else _MONTHS.get(month, 0)
    zone = (found["zone"] or "").upper().replace("UTC+", "+").replace("GMT+", "+")
    zone = zone.replace("UTC-", "-").replace("GMT-", "-")
    return f"{found['year']}-{number:02d}-{int(found['day']):02d} {found['clock']}{zone}"


def from_text(text: str, unit: str) -> int:
    """Return microseconds from a number or an ISO 8601 moment.

    Args:
        text: A number of `unit`, or ISO 8601 (without a zone: UTC), or another form in which day
            and month cannot be exchanged: `01.03.2026 10:00:00`, `01-Mar-2026 10:00:00`,
            `Sun Mar 01 10:00:00 GMT+01:00 2026`.
        unit: `us`, `ms` or `s`; where empty, a number's size tells: seconds, or since 1970 in
            milliseconds, microseconds or nanoseconds.

    Raises:
        ValueError: `text` is neither, or the moment is too far from 1970.
    """
    number = _NUMBER.fullmatch(text) if len(text) <= MAX_CHARACTERS else None
    if number is None:
        return from_iso(_in_iso(text))
    exact = Decimal(text)
    unit = unit or next((smaller for least, smaller in _SIZES if abs(exact) >= least), "s")
    exact *= _NANOSECOND if unit == "ns" else _UNITS_US[unit]
    if abs(exact) > MAX_US:
        raise ValueError(f"{text} is not within 10,000 years of 1970")
    return int(exact.to_integral_value())
