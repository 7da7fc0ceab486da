"""Moments of CORBA, and ISO 8601 text.

Source:
    OMG Time Service 1.1, section 1.3.2: `TimeBase::UtcT`, 100 ns since 15 October 1582.
"""

import re
from datetime import UTC, datetime, timedelta
from typing import Final

TICKS_PER_S: Final = 10_000_000
"""TimeT counts in units of 100 ns."""

_EPOCH: Final = datetime(1582, 10, 15, tzinfo=UTC)
_DAY_MINUTES: Final = 24 * 60
_MOMENT: Final = re.compile(
    r"(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(?:\.(\d{1,7}))?(?:Z|([+-])(\d\d):(\d\d))", re.ASCII
)


def utc_of(text: str) -> tuple[int, int] | None:
    """Return ticks since 15 October 1582 and displacement in minutes of an ISO 8601 text."""
    found = _MOMENT.fullmatch(text)
    if found is None:
        return None
    second, fraction, sign, hours, minutes = found.groups()
    try:
        local = datetime.fromisoformat(second).replace(tzinfo=UTC) - _EPOCH
    except ValueError:
        return None
    displacement = 0 if sign is None else int(f"{sign}1") * (int(hours) * 60 + int(minutes))
    seconds = local.days * 86_400 + local.seconds - displacement * 60
    ticks = seconds * TICKS_PER_S + int((fraction or "0").ljust(7, "0"))
    return (ticks, displacement) if ticks >= 0 else None


def text_of(ticks: int, minutes: int) -> str | None:
    """Return a UtcT as ISO 8601 text; None where no calendar has it."""
    if ticks < 0 or not -_DAY_MINUTES < minutes < _DAY_MINUTES:
        return None
    seconds, fraction = divmod(ticks, TICKS_PER_S)
    try:
        moment = _EPOCH + timedelta(seconds=seconds) + timedelta(minutes=minutes)
    except OverflowError:
        return None
    text = moment.replace(tzinfo=None).isoformat()
    if fraction:
        text += f".{fraction:07}".rstrip("0")
    sign, ahead = "+" if minutes >= 0 else "-", abs(minutes)
    return text + (f"{sign}{ahead // 60:02}:{ahead % 60:02}" if minutes else "Z")
