"""The drive: a vehicle goes up and down a street with two monitors, now slow, now fast."""

import math
import random
from collections.abc import Iterator
from dataclasses import dataclass

from traffic_control_events.story import FASTEST_MPH, SLOWEST_MPH, START_US

MPS_PER_MPH = 0.44704
METRES_PER_DEGREE = 111_195.08
LAT, LON = 53.3438, -6.2546
"""Where the street begins; it leads east."""

STREET_M = 900.0
WAVE_S = 17.0
"""How long the vehicle reads from one slow moment to the next."""

BRAKE_EVERY = 5


@dataclass(frozen=True, slots=True)
class Moment:
    """A second of the drive.

    Attributes:
        time_us: Microseconds since 1970 UTC.
        along_m: How far along the street the vehicle is, metres.
        rate_mph: Its speed, to a tenth.
        brakes: Whether it reports that it brakes.
    """

    time_us: int
    along_m: float
    rate_mph: float
    brakes: bool


def drive(seconds: int, seed: int) -> Iterator[Moment]:
    """Yield the seconds of a drive; the same for the same arguments.

    Args:
        seconds: How many.
        seed: Of what is by chance.
    """
    chance = random.Random(seed)
    driven_m, phase = 0.0, chance.uniform(0, 2 * math.pi)
    for second in range(seconds):
        rate_mph = _rate_mph(second, phase, chance)
        brakes = second % BRAKE_EVERY == BRAKE_EVERY - 1
        yield Moment(START_US + second * 1_000_000, folded_m(driven_m), rate_mph, brakes)
        driven_m += rate_mph * MPS_PER_MPH


def folded_m(driven_m: float) -> float:
    """Return where on the street a vehicle is that turns around at both its ends.

    Args:
        driven_m: Metres driven.
    """
    beyond_m = driven_m % (2 * STREET_M)
    return min(beyond_m, 2 * STREET_M - beyond_m)


def place(along_m: float) -> tuple[float, float]:
    """Return latitude and longitude, degrees, of a place along the street.

    Args:
        along_m: Metres from where it begins.
    """
    east = along_m / METRES_PER_DEGREE / math.cos(math.radians(LAT))
    return LAT, round(LON + east, 7)


def _rate_mph(second: int, phase: float, chance: random.Random) -> float:
    middle, swing = (FASTEST_MPH + SLOWEST_MPH) / 2, (FASTEST_MPH - SLOWEST_MPH) / 2
    wave = middle + swing * math.sin(phase + 2 * math.pi * second / WAVE_S)
    return round(min(FASTEST_MPH, max(SLOWEST_MPH, wave + chance.uniform(-5, 5))), 1)
