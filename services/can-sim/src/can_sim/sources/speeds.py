"""Speeds from positions: great-circle distance over time, for the interval that a sample ends."""

from collections.abc import Sequence
from itertools import pairwise

from can_sim.geometry import distance_m
from can_sim.moment import SECOND_US
from can_sim.sample import Sample, by_vehicle
from can_sim.sampling import in_order
from can_sim.tally import Tally

KMH_PER_MPS = 3.6


def with_speeds(samples: Sequence[Sample], tally: Tally) -> list[Sample]:
    """Return the samples with speeds computed; each vehicle's first has none (0).

    Args:
        samples: In any order; their speeds are ignored.
        tally: Counts what `in_order` leaves out.
    """
    result = []
    for rows in by_vehicle(samples).values():
        ordered = in_order(rows, tally)
        result.append(ordered[0]._replace(speed_kmh=0.0))
        result.extend(
            later._replace(speed_kmh=_speed_kmh(earlier, later))
            for earlier, later in pairwise(ordered)
        )
    return result


def _speed_kmh(earlier: Sample, later: Sample) -> float:
    distance = distance_m(earlier.lat, earlier.lon, later.lat, later.lon)
    return distance / ((later.time_us - earlier.time_us) / SECOND_US) * KMH_PER_MPS
