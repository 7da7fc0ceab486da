"""The names that columns of places, times and speeds usually have.

A name is compared by its words: `GPS Latitude (deg)`, `gpsLatitude` and `gps_latitude` are the
words gps and latitude, and a unit. What a logger puts around the word that counts is passed over.
"""

import re
from collections.abc import Iterable
from typing import NamedTuple

_UNIT = re.compile(r"[(\[{]([^)\]}]*)[)\]}]")
_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_WORDS = re.compile(r"[^\W_]+")
_AROUND = frozenset(
    (
        "gps",
        "gnss",
        "position",
        "pos",
        "location",
        "loc",
        "stop",
        "wgs84",
        "wgs",
        "device",
        "vehicle",
        "veh",
        "point",
        "start",
    )
)
"""Words that say whose place, time or speed it is."""

LATITUDES = ("lat", "latitude", "y")
LONGITUDES = ("lon", "lng", "long", "longitude", "x")
_DEGREES = frozenset(
    ("", "deg", "degree", "degrees", "°", "dd", "d", "decimal", "decimaldegrees", "n/s", "e/w")
)
TIMES = {
    "time_us": "us",
    "timestamp_us": "us",
    "time_ms": "ms",
    "time_s": "s",
    "epoch_s": "s",
    "time": "",
    "timestamp": "",
    "time_utc": "",
}
"""Unit of the numbers of the usual columns; empty where their size reports it."""
_TIME_NAMES = (
    "time",
    "timestamp",
    "time_stamp",
    "datetime",
    "date_time",
    "utc",
    "utc_time",
    "time_utc",
    "utc_datetime",
    "local_time",
    "epoch",
    "epoch_time",
    "unix",
    "unix_time",
    "unix_timestamp",
    "unixtime",
    "recorded_at",
    "created_at",
    "t",
    "ts",
)
_TIME_UNITS = {
    "us": "us",
    "usec": "us",
    "µs": "us",
    "μs": "us",
    "micros": "us",
    "microseconds": "us",
    "ms": "ms",
    "msec": "ms",
    "millis": "ms",
    "milliseconds": "ms",
    "s": "s",
    "sec": "s",
    "secs": "s",
    "seconds": "s",
    "utc": "",
    "gmt": "",
    "iso": "",
    "": "",
}
SPEEDS_KMH = {"speed_kmh": 1.0, "speed_mps": 3.6, "speed_mph": 1.609344, "speed": 1.0}
"""What a speed column's number is multiplied by; plain `speed` is treated as km/h."""
_SPEED_NAMES = (
    "speed",
    "velocity",
    "spd",
    "ground_speed",
    "groundspeed",
    "speed_over_ground",
    "sog",
    "speed_gps",
    "obd_speed",
    "speed_obd",
    "wheel_speed",
)
KMH_PER_UNIT = {
    "kmh": 1.0,
    "km/h": 1.0,
    "kph": 1.0,
    "km_h": 1.0,
    "kmph": 1.0,
    "mph": 1.609344,
    "mi/h": 1.609344,
    "mi_h": 1.609344,
    "m/s": 3.6,
    "mps": 3.6,
    "m_s": 3.6,
    "meters/second": 3.6,
    "metres/second": 3.6,
    "kn": 1.852,
    "kt": 1.852,
    "kts": 1.852,
    "knot": 1.852,
    "knots": 1.852,
    "ft/s": 1.09728,
    "fps": 1.09728,
}
"""What a speed in a unit is multiplied by to give km/h."""
MOST_SPEED = 10_000.0
"""What no speed is above or, with its sign, below, in any unit."""


class Column(NamedTuple):
    """What a column's name says.

    Attributes:
        words: Its words in lower case, joined by `_`, without those around them.
        unit: What is in brackets, in lower case without spaces.
    """

    words: str
    unit: str


def column_of(name: str) -> Column:
    """Return what a column's name says."""
    units = _UNIT.findall(name)
    bare = _CAMEL.sub("_", _UNIT.sub(" ", name))
    words = [word.lower() for word in _WORDS.findall(bare)]
    while len(words) > 1 and words[0] in _AROUND:
        words = words[1:]
    unit = units[-1].lower().replace(" ", "") if units else ""
    return Column("_".join(words), unit)


def find_degrees(columns: Iterable[str], names: tuple[str, ...]) -> str | None:
    """Return the column of a latitude or longitude in degrees; None where there is none.

    A column whose name tells another unit (`lat_e7`, `Latitude (rad)`) is none.
    """
    said = [(column, column_of(column)) for column in columns]
    for name in names:
        for column, (words, unit) in said:
            ends = words.removeprefix(name).strip("_").replace("_", "")
            if words.startswith(name) and words[len(name) : len(name) + 1] in ("", "_"):
                told = {"ns": "n/s", "ew": "e/w", "wgs84": ""}.get(ends, ends)
                if told in _DEGREES and unit in _DEGREES:
                    return column
    return None


def find_time(columns: Iterable[str]) -> tuple[str, str] | None:
    """Return the column of times and the unit of its numbers; None where there is none.

    The unit is empty where the name reports none.
    """
    present = {column.lower(): column for column in columns}
    for name, unit in TIMES.items():
        if name in present:
            return present[name], unit
    said = [(column, column_of(column)) for column in columns]
    for name in _TIME_NAMES:
        for column, (words, unit) in said:
            rest = words.removeprefix(name)
            if words == name and unit in _TIME_UNITS:
                return column, _TIME_UNITS[unit]
            if words.startswith(f"{name}_") and rest[1:] in _TIME_UNITS and not unit:
                return column, _TIME_UNITS[rest[1:]]
    return None


def find_speed(columns: Iterable[str]) -> tuple[str, float | None] | None:
    """Return the column of speeds and what its numbers are multiplied by to give km/h.

    Returns:
        None where there is no such column; a factor of None where its unit is not known, and of
        0 where it reports none.
    """
    columns = list(columns)
    for name, factor in SPEEDS_KMH.items():
        for column in columns:
            lower = column.lower()
            if "_" in name and (lower == name or lower.startswith(f"{name}_")):
                return column, factor
    said = [(column, column_of(column)) for column in columns]
    for name in _SPEED_NAMES:
        for column, (words, unit) in said:
            if words == name:
                return column, _factor(unit, name)
            told = {"ms": "m/s"}.get(told := words.removeprefix(f"{name}_"), told)
            if words.startswith(f"{name}_") and told in KMH_PER_UNIT and not unit:
                return column, KMH_PER_UNIT[told]
    return None


def _factor(unit: str, name: str) -> float | None:
    if not unit:
        return KMH_PER_UNIT["knots"] if name == "sog" else 0.0
    return KMH_PER_UNIT.get(unit)
