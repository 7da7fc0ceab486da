"""A fleet in the made-up town: the same for the same seed."""

from random import Random

from can_sim.errors import InputError
from can_sim.moment import SECOND_US
from can_sim.sample import Sample, Sampling, Trace
from can_sim.sampling import MAX_SAMPLES
from can_sim.town.driver import Driver
from can_sim.town.roads import Town

MAX_VEHICLES = 9_999


def drive(vehicles: int, duration_s: int, seed: int) -> Trace:
    """Return how a fleet drives; each vehicle tells of itself once a second.

    Vehicles tell at different moments of the second, as unlike clocks do.

    Args:
        vehicles: How many, 1 to `MAX_VEHICLES`; named `FES0001` and so on.
        duration_s: How long, seconds from time 0.
        seed: Bends the town and draws the drivers.

    Raises:
        InputError: There are too many vehicles, or none, or more than `MAX_SAMPLES` samples.
    """
    if not 1 <= vehicles <= MAX_VEHICLES:
        raise InputError(f"--vehicles: {vehicles} is not within 1 to {MAX_VEHICLES}")
    if vehicles * duration_s > MAX_SAMPLES:
        raise InputError(
            f"--duration: {vehicles} vehicles for {duration_s:.6g} s have more than {MAX_SAMPLES}"
            " samples"
        )
    town = Town(seed)
    samples: list[Sample] = []
    for index in range(vehicles):
        name = f"FES{index + 1:04d}"
        driver = Driver(town, Random(f"{name}/{seed}"))
        offset_us = index * SECOND_US // vehicles // 1000 * 1000
        samples += _told(driver, name, offset_us, duration_s)
    return Trace(samples, Sampling.KEPT)


def _told(driver: Driver, name: str, offset_us: int, duration_s: int) -> list[Sample]:
    samples = []
    for second in range(duration_s):
        lat, lon = driver.position()
        samples.append(
            Sample(
                second * SECOND_US + offset_us,
                name,
                round(lat, 7),
                round(lon, 7),
                round(driver.speed_kmh, 2),
            )
        )
        driver.advance(1.0)
    return samples
