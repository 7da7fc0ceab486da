"""Invocations of each event: 1, and the buses notified, and the sinks notified there.

The expectation comes from the sightings and the experiments' definitions alone.

Source:
    Smart-building thesis, section 6.4.
"""

from active_badge.experiments import Counted, Mode
from active_badge.generator import Day, Sighting
from active_badge.published import BIG_BROTHER, NETWORKS, Class


def expected(sighting: Sighting, kind: Class, mode: Mode) -> tuple[int, int]:
    """Return how many buses and sinks are notified of a sighting."""
    if mode == "unfiltered":
        return 3, 1 + len(BIG_BROTHER) + len(NETWORKS)
    brothers = sum(each == kind for each, _ in BIG_BROTHER.values())
    cameras = sum(each == sighting.network for each in NETWORKS)
    return 1 + bool(brothers) + bool(cameras), 1 + brothers + cameras


def breaches(day: Day, counted: Counted, mode: Mode) -> list[str]:
    """Return the events whose invocations are not those of the formula, in words."""
    kinds = day.of_class()
    found = []
    total = 0
    for key, sighting in counted.numbers.items():
        buses, sinks = expected(sighting, kinds[sighting.badge], mode)
        total += 1 + buses + sinks
        measured = (counted.notified.get(key, 0), counted.delivered.get(key, 0))
        if measured != (buses, sinks):
            found.append(f"{key}: {measured} buses and sinks notified, not {(buses, sinks)}")
    if len(counted.numbers) != len(day.sightings):
        found.append(f"{len(counted.numbers)} events, not {len(day.sightings)}")
    if counted.invocations != total:
        found.append(f"the buses counted {counted.invocations} invocations, not {total}")
    return found
