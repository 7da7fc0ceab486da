"""Where vehicles were, requested by time."""

from bisect import bisect_left

from can_sim.errors import InputError
from can_sim.geometry import between, longitude_between
from can_sim.moment import SECOND_US
from can_sim.sample import Trace, by_vehicle
from can_sim.sampling import in_order
from can_sim.tally import Tally

EDGE_US = SECOND_US
"""How far beyond its ends a trace still tells a position: clocks differ by that much."""


class Positions:
    """Positions from a trace; a trace of one vehicle applies to any vehicle.

    Args:
        trace: What a source gave.
        file: Its name, for errors.
        tally: Counts what `in_order` leaves out.

    Raises:
        InputError: The trace is empty.
    """

    def __init__(self, trace: Trace, file: str, tally: Tally) -> None:
        if not trace.samples:
            raise InputError(f"holds no position with a time; {tally.explain()}", file)
        self.file = file
        self._rows = {
            vehicle: in_order(rows, tally) for vehicle, rows in by_vehicle(trace.samples).items()
        }
        self._times = {
            vehicle: [row.time_us for row in rows] for vehicle, rows in self._rows.items()
        }
        self._shift_us = 0

    @property
    def start_us(self) -> int:
        """When the first vehicle's trace begins, as `at` counts."""
        return min(times[0] for times in self._times.values()) + self._shift_us

    @property
    def end_us(self) -> int:
        """When the last vehicle's trace ends, as `at` counts."""
        return max(times[-1] for times in self._times.values()) + self._shift_us

    def align(self, start_us: int) -> None:
        """Move the whole trace in time so that it begins at `start_us`."""
        self._shift_us += start_us - self.start_us

    def at(self, vehicle: str, time_us: int) -> tuple[float, float] | None:
        """Return a vehicle's latitude and longitude at a moment; None where nobody knows."""
        name = next(iter(self._rows)) if len(self._rows) == 1 else vehicle
        times = self._times.get(name)
        if times is None:
            return None
        moment = time_us - self._shift_us
        if not times[0] - EDGE_US <= moment <= times[-1] + EDGE_US:
            return None
        index = min(max(bisect_left(times, moment), 1), len(times) - 1)
        if len(times) == 1:
            index = 0
        earlier, later = self._rows[name][max(index - 1, 0)], self._rows[name][index]
        span = later.time_us - earlier.time_us
        share = min(max((moment - earlier.time_us) / span, 0.0), 1.0) if span else 0.0
        return (
            between(earlier.lat, later.lat, share),
            longitude_between(earlier.lon, later.lon, share),
        )
