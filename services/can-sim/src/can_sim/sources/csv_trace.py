"""Traces in CSV files: time, vehicle, lat, lon, speed under their usual names."""

from collections.abc import Callable
from pathlib import Path

from can_sim.moment import from_text
from can_sim.opening import stem_of
from can_sim.sample import Sample, Sampling, Trace
from can_sim.sources.speeds import with_speeds
from can_sim.table import Row, Table, read_table
from can_sim.tally import Tally

TIMES = {
    "time_us": "us",
    "timestamp_us": "us",
    "time_ms": "ms",
    "time_s": "s",
    "epoch_s": "s",
    "time": "s",
    "timestamp": "s",
    "time_utc": "s",
}
VEHICLES = ("vehicle", "vehicle_id", "veh", "id")
LATITUDES = ("lat", "latitude", "y")
LONGITUDES = ("lon", "lng", "longitude", "x")
SPEEDS_KMH = {"speed_kmh": 1.0, "speed_mps": 3.6, "speed_mph": 1.609344, "speed": 1.0}
"""What a speed column's number is multiplied by; plain `speed` is taken for km/h."""


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

    def prepare(table: Table) -> Callable[[Row], Sample]:
        nonlocal has_speed
        speed, factor = _speed_column(table, tally)
        has_speed = bool(speed)
        return _reader(table, path, speed, factor)

    samples = read_table(path, tally, prepare)
    if has_speed:
        return Trace(samples, Sampling.LINEAR)
    return Trace(with_speeds(samples, tally), Sampling.INTERVAL)


def _reader(table: Table, path: Path, speed: str, factor: float) -> Callable[[Row], Sample]:
    time = table.need(tuple(TIMES))
    unit = TIMES[time.lower()]
    vehicle = table.find(VEHICLES)
    lat, lon = table.need(LATITUDES), table.need(LONGITUDES)
    whole = stem_of(path)

    def read_row(row: Row) -> Sample:
        return Sample(
            _time_us(row, time, unit),
            row.text(vehicle) if vehicle else whole,
            row.number(lat, -90, 90),
            row.number(lon, -180, 180),
            _speed(row, speed, factor) if speed else 0.0,
        )

    return read_row


def _speed(row: Row, column: str, factor: float) -> float:
    value = row.number(column, -10_000, 10_000)
    return value if factor == 1.0 else value * factor


def _time_us(row: Row, column: str, unit: str) -> int:
    text = row.text(column)
    try:
        return from_text(text, unit)
    except ValueError:
        raise row.error(column, f"{text[:40]!r} is not a time") from None


def _speed_column(table: Table, tally: Tally) -> tuple[str, float]:
    for name, factor in SPEEDS_KMH.items():
        longer = [c for c in table.columns if c.lower().startswith(f"{name}_") and "_" in name]
        found = table.find([name]) or next(iter(longer), None)
        if found is None:
            continue
        if name == "speed":
            tally.note(f"{table.file}:1: column {found}: names no unit and is taken for km/h")
        return found, factor
    tally.note(f"{table.file}:1: has no speed column; speeds are computed from the positions")
    return "", 1.0
