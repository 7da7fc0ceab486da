"""`clock.json`: when the clock of a run began, for parts that are started one by one."""

import json
from argparse import Namespace
from pathlib import Path
from typing import Final

from can_sim.errors import InputError
from can_sim.moment import MAX_US

MAX_BYTES: Final = 4096
FIELDS: Final = ("start_us", "wall_start_us", "speed")


def apply_clock(options: Namespace) -> None:
    """Let the run's clock file represent the options of `run` that tell the clock.

    Args:
        options: `clock` is the file, or None; `clock_start_us`, `clock_start_wall_us` and
            `speedup` are set from its `start_us`, `wall_start_us` (microseconds since 1970 UTC, of
            the trace and of the wall) and `speed`.

    Raises:
        InputError: The file is absent or not valid; names the field.
    """
    if options.clock is None:
        return
    start_us, wall_start_us, speed = _read(options.clock)
    options.clock_start_us = round(start_us)
    options.clock_start_wall_us = round(wall_start_us)
    options.speedup = speed


def _read(path: Path) -> tuple[float, float, float]:
    try:
        with path.open("rb") as file:
            told = json.loads(file.read(MAX_BYTES))
    except OSError as error:
        raise InputError(error.strerror or str(error), str(path)) from error
    except ValueError as error:
        raise InputError(f"is not JSON: {error}", str(path)) from error
    start_us, wall_start_us, speed = (_number(told, name, path) for name in FIELDS)
    if speed <= 0:
        raise InputError(f"speed: {speed} is not above 0", str(path))
    return start_us, wall_start_us, speed


def _number(told: object, name: str, path: Path) -> float:
    value = told.get(name) if isinstance(told, dict) else None
    if isinstance(value, bool) or not isinstance(value, int | float) or not abs(value) <= MAX_US:
        raise InputError(f"{name}: {value!r} is not a number within {MAX_US}", str(path))
    return value
