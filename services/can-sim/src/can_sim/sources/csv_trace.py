"""Traces in CSV files: time, vehicle, lat, lon, speed under their usual names."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from can_sim.columns import (
    LATITUDES,
    LONGITUDES,
    MOST_SPEED,
    TIMES,
    find_degrees,
    find_speed,
    find_time,
)
from can_sim.errors import InputError
from can_sim.moment import from_text
from can_sim.opening import stem_of
from can_sim.sample import Sample, Sampling, Trace
from can_sim.sources.gaps import Gaps
from can_sim.sources.speeds import with_speeds
from can_sim.table import Row, Table, read_table
from can_sim.tally import Tally

VEHICLES = ("vehicle", "vehicle_id", "veh", "id", "vehicle id", "vehicleid", "device_id", "trip_id")
DATES = ("date", "date_utc", "utc_date", "gps_date", "gps date", "date utc", "utc date")
_CLOCK = re.compile(r"\d{1,2}:\d{2}(:\d{2})?.*")


def read(path: Path, tally: Tally) -> Trace:
    """Return the trace in a CSV file.

    Without a column for the vehicle the whole file is one vehicle, named like the file. Without a
    column for the speed it is computed from the positions.

    Args:
        path: The file; `.gz` is read through gzip.
        tally: Counts bad rows; notes what was assumed.

    Raises:
        InputError: The file cannot be read, a column is missing, or a row is bad and `tally`
            strict.
    """
    has_speed = False
    gaps = Gaps(str(path))

    def prepare(table: Table) -> Callable[[Row], Sample]:
        nonlocal has_speed
        speed, factor = _speed_column(table, tally)
        has_speed = bool(speed)
        return _reader(table, path, gaps, speed, factor)

    samples = read_table(path, tally, prepare)
    if has_speed:
        return Trace(samples, Sampling.LINEAR, gaps.found)
    return Trace(with_speeds(samples, tally), Sampling.INTERVAL, gaps.found)


def places_of(table: Table) -> tuple[str, str]:
    """Return the columns of latitude and longitude.

    Raises:
        InputError: One is missing.
    """
    lat = table.found(find_degrees(table.columns, LATITUDES), LATITUDES)
    return lat, table.found(find_degrees(table.columns, LONGITUDES), LONGITUDES)


@dataclass(frozen=True, slots=True)
class _Times:
    """Where the times of a table are.

    Attributes:
        column: Of times.
        unit: Of its numbers; empty where their size tells.
        date: Of dates, where times of day are in `column`; else empty.
    """

    column: str
    unit: str
    date: str

    def time_us(self, row: Row) -> int:
        text = row.text(self.column)
        if row.comma_is_decimal and ":" not in text:
            text = text.replace(",", ".")
        try:
            if self.date and _CLOCK.fullmatch(text):
                clock = text.rjust(len(text) + (text[1] == ":"), "0")
                return from_text(f"{row.text(self.date)} {clock}", "")
            return from_text(text, self.unit)
        except ValueError as error:
            told = str(error)
            shown = f"{text[:40]!r} is not a time"
            raise row.error(self.column, told if "offset" in told else shown) from None


def _reader(
    table: Table, path: Path, gaps: Gaps, speed: str, factor: float
) -> Callable[[Row], Sample]:
    times = _times_of(table)
    vehicle = table.find(VEHICLES)
    lat, lon = places_of(table)
    whole = stem_of(path)

    def read_row(row: Row) -> Sample:
        time_us = times.time_us(row)
        name = row.text(vehicle) if vehicle else whole
        place = row.place(lat, lon)
        sample = Sample(time_us, name, *place, _speed(row, speed, factor) if speed else 0.0)
        gaps.see(sample, row.line)
        return sample

    return read_row


def _times_of(table: Table) -> _Times:
    found = find_time(table.columns)
    date = table.find(DATES) or ""
    if found is None and date:
        found = (date, "")
    column = table.found(found[0] if found else None, tuple(TIMES))
    return _Times(column, found[1] if found else "", "" if date == column else date)


def _speed(row: Row, column: str, factor: float) -> float:
    value = row.number(column, -MOST_SPEED, MOST_SPEED)
    return value if factor == 1.0 else value * factor


def _speed_column(table: Table, tally: Tally) -> tuple[str, float]:
    found = find_speed(table.columns)
    if found is None:
        tally.note(f"{table.file}:1: has no speed column; speeds are computed from the positions")
        return "", 1.0
    column, factor = found
    if factor is None:
        reason = "names a unit that is not known; km/h, m/s, mph, knots and ft/s are"
        raise InputError(reason, table.file, table.header_line, column)
    if not factor:
        tally.note(f"{table.file}:1: column {column}: names no unit and is taken for km/h")
    return column, factor or 1.0
