"""Lone readings that no vehicle can have: noise of a bus or a logger among good frames."""

from collections.abc import Iterator
from dataclasses import dataclass

from can_sim.moment import SECOND_US
from can_sim.tally import Tally

MAX_KMH_PER_S = 60.0
"""Largest change of a vehicle's speed: 17 m/s², beyond what brakes and tyres do."""
LEAST_KMH = 5.0
"""Smaller steps are of the sensor's resolution."""
NEAR_US = 2 * SECOND_US
"""Readings further apart say nothing about one another."""


@dataclass(frozen=True, slots=True)
class Reading:
    """A speed that a frame tells.

    Attributes:
        time_us: Of the log.
        vehicle: Name of the vehicle.
        speed_kmh: Speed, km/h.
        sender: Address of the sender where the bus has such; -1 elsewhere.
    """

    time_us: int
    vehicle: str
    speed_kmh: float
    sender: int = -1


def without_outliers(readings: Iterator[Reading], tally: Tally) -> Iterator[Reading]:
    """Yield the readings but for those that jump away from both neighbours, which agree.

    Args:
        readings: In the log's order.
        tally: Counts `implausible`.
    """
    windows: dict[tuple[str, int], list[Reading]] = {}
    for reading in readings:
        window = windows.setdefault((reading.vehicle, reading.sender), [])
        window.append(reading)
        if len(window) < 3:
            continue
        before, middle, after = window
        if _jumps(before, middle) and _jumps(middle, after) and not _jumps(before, after):
            place = f"{middle.speed_kmh:.1f} km/h of {middle.vehicle} at {middle.time_us} µs"
            tally.skip("implausible", place=place)
            window[:] = [before, after]
        else:
            yield before
            window[:] = [middle, after]
    for window in windows.values():
        yield from window


def _jumps(one: Reading, other: Reading) -> bool:
    change = abs(other.speed_kmh - one.speed_kmh)
    apart_us = abs(other.time_us - one.time_us)
    if apart_us > NEAR_US:
        return False
    return change > max(LEAST_KMH, MAX_KMH_PER_S * apart_us / SECOND_US)
