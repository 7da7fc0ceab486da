"""Samples: where a vehicle was and how fast it went, at one moment."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum
from typing import NamedTuple


class Sample(NamedTuple):
    """One moment of one vehicle.

    Attributes:
        time_us: The trace's time, microseconds (since 1970 UTC, or since the trace began).
        vehicle: Name of the vehicle.
        lat: Latitude, WGS 84 degrees.
        lon: Longitude, WGS 84 degrees.
        speed_kmh: Speed, km/h; negative in reverse.
    """

    time_us: int
    vehicle: str
    lat: float
    lon: float
    speed_kmh: float


class Sampling(Enum):
    """States how a trace is brought to one sample a second."""

    LINEAR = "linear"
    """Positions and speeds lie on straight lines between the samples."""
    INTERVAL = "interval"
    """Positions lie on straight lines; a speed applies to the interval that its sample ends."""
    KEPT = "kept"
    """The samples have times of their own and stay as they are."""


Gap = tuple[str, int]
"""Vehicle and time (microseconds) of a sample far from the one before."""


@dataclass(frozen=True, slots=True)
class Trace:
    """What a source tells of a fleet.

    Attributes:
        samples: In any order.
        sampling: How they are brought to one a second.
        gaps: File and line of samples that are far from the one before, by vehicle and time.
    """

    samples: Sequence[Sample]
    sampling: Sampling
    gaps: Mapping[Gap, str] = field(default_factory=dict, compare=False)


def by_vehicle(samples: Sequence[Sample]) -> dict[str, list[Sample]]:
    """Return the samples of each vehicle, vehicles in order of their first appearance."""
    vehicles: dict[str, list[Sample]] = {}
    for sample in samples:
        vehicles.setdefault(sample.vehicle, []).append(sample)
    return vehicles
