"""The settings of a log, and their checks."""

from collections.abc import Sequence
from enum import IntEnum
from typing import Final

import msgspec

from eventservices.cns.domains.logs.errors import (
    InvalidLogFullActionError,
    InvalidMaskError,
    InvalidThresholdError,
    InvalidTimeError,
    InvalidTimeIntervalError,
    UnsupportedLogQoSError,
)

MOST_THRESHOLDS: Final = 100
MOST_MASKS: Final = 100
_TIME_MAX: Final = 2**63 - 1


class LogFullAction(IntEnum):
    """What a full log does."""

    WRAP = 0
    HALT = 1


class LogQoS(IntEnum):
    """How safe a record is when its write has returned."""

    NONE = 0
    FLUSH = 1
    RELIABILITY = 2


class TimeInterval(msgspec.Struct, frozen=True):
    """When a log is on duty at all.

    Attributes:
        start: Ticks of 100 ns since 1582-10-15; 0 from the beginning.
        stop: Likewise; 0 for ever.
    """

    start: int = 0
    stop: int = 0


class Time24(msgspec.Struct, frozen=True, order=True):
    """A time of a day, UTC."""

    hour: int
    minute: int


class Time24Interval(msgspec.Struct, frozen=True):
    """A part of a day; both ends belong to it."""

    start: Time24
    stop: Time24


class WeekMaskItem(msgspec.Struct, frozen=True):
    """Days and the parts of them when a log is on duty.

    Attributes:
        days: Sum of Sunday 1, Monday 2, Tuesday 4 … Saturday 64.
        intervals: Parts of these days; the whole days where there are none.
    """

    days: int
    intervals: tuple[Time24Interval, ...] = ()


class LogAttributes(msgspec.Struct, frozen=True):
    """The settings of a log.

    Attributes:
        full_action: What it does when it is full.
        max_size: Octets; 0 for no limit.
        max_record_life_s: After which records are removed, seconds; 0 for never.
        locked: Whether nothing is written.
        forwarding: Whether connections that begin at the log move its events on.
        interval: When it is on duty at all.
        week_mask: When in a week; always where it is empty.
        thresholds: Per cent of `max_size`, ascending.
        qos: How safe records are.
        constraint: Which events are logged, in ETCL; all where it is empty.
    """

    full_action: LogFullAction = LogFullAction.WRAP
    max_size: int = 0
    max_record_life_s: int = 0
    locked: bool = False
    forwarding: bool = True
    interval: TimeInterval = TimeInterval()
    week_mask: tuple[WeekMaskItem, ...] = ()
    thresholds: tuple[int, ...] = ()
    qos: LogQoS = LogQoS.NONE
    constraint: str = ""


def checked_action(value: int) -> LogFullAction:
    """Return an action.

    Raises:
        InvalidLogFullActionError: It is neither to wrap nor to halt.
    """
    try:
        return LogFullAction(value)
    except ValueError:
        raise InvalidLogFullActionError(f"{value!r} is neither wrap 0 nor halt 1") from None


def checked_qos(value: int) -> LogQoS:
    """Return a quality of service.

    Raises:
        UnsupportedLogQoSError: It is none of `LogQoS`.
    """
    try:
        return LogQoS(value)
    except ValueError:
        raise UnsupportedLogQoSError(value) from None


def checked_thresholds(values: Sequence[int]) -> tuple[int, ...]:
    """Return thresholds in ascending order, each once.

    Raises:
        InvalidThresholdError: One is not 0 to 100, or there are too many.
    """
    if len(values) > MOST_THRESHOLDS:
        raise InvalidThresholdError(f"there are more than {MOST_THRESHOLDS} thresholds")
    for value in values:
        if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value <= 100:
            raise InvalidThresholdError(f"{value!r} is not 0 to 100 per cent")
    return tuple(sorted(set(values)))


def checked_interval(interval: TimeInterval) -> TimeInterval:
    """Return an interval.

    Raises:
        InvalidTimeError: An end is not a time.
        InvalidTimeIntervalError: It ends before it begins.
    """
    for moment in (interval.start, interval.stop):
        if not 0 <= moment <= _TIME_MAX:
            raise InvalidTimeError(f"{moment} is not a time")
    if interval.stop and interval.stop < interval.start:
        raise InvalidTimeIntervalError("the interval ends before it begins")
    return interval


def checked_mask(mask: Sequence[WeekMaskItem]) -> tuple[WeekMaskItem, ...]:
    """Return a week mask.

    Raises:
        InvalidMaskError: It names no day or an unknown one, or has too many items.
        InvalidTimeError: A time is not a time of a day.
        InvalidTimeIntervalError: A part of a day ends before it begins.
    """
    if len(mask) > MOST_MASKS:
        raise InvalidMaskError(f"there are more than {MOST_MASKS} items")
    for item in mask:
        if not 1 <= item.days <= 127:
            raise InvalidMaskError(f"{item.days} names no days; Sunday is 1, Saturday 64")
        for part in item.intervals:
            for time in (part.start, part.stop):
                if not (0 <= time.hour <= 23 and 0 <= time.minute <= 59):
                    raise InvalidTimeError(f"{time.hour}:{time.minute} is not a time of a day")
            if part.stop < part.start:
                raise InvalidTimeIntervalError("a part of a day ends before it begins")
    return tuple(mask)
