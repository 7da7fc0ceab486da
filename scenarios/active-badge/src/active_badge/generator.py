"""A day of sightings with the published margins, all at once; the rest is plausible.

A badge is worn by a user, is fixed to equipment, or is on no list. Each network has the published
number of sightings, each class of badges has, and together they are the published number. Equipment
stays at a station of its own; users come in the morning, walk, and leave in the evening.
"""

import random
from collections import Counter
from dataclasses import dataclass
from typing import Final

from active_badge.published import BIG_BROTHER, HOURS, NETWORKS, SIGHTINGS, STATIONS, Class

BADGE_BYTES: Final = 6
BADGES: Final[dict[Class, int]] = {"equipment": 90, "unlisted": 25, "user": 60}
PREFIX: Final[dict[Class, int]] = {"equipment": 0x10, "unlisted": 0x20, "user": 0x30}


@dataclass(frozen=True, slots=True)
class Sighting:
    """One sighting.

    Attributes:
        at_s: Seconds from the beginning of the recording.
        network: Of the station.
        station: Its name.
        badge: Six bytes.
    """

    at_s: float
    network: str
    station: str
    badge: bytes


@dataclass(frozen=True, slots=True)
class Day:
    """A recording.

    Attributes:
        sightings: In order of time.
        stations: By network.
        badges: By class.
    """

    sightings: tuple[Sighting, ...]
    stations: dict[str, tuple[str, ...]]
    badges: dict[Class, tuple[bytes, ...]]

    def of_class(self) -> dict[bytes, Class]:
        """Return the class of each badge."""
        return {badge: kind for kind, badges in self.badges.items() for badge in badges}


def make_day(seed: int) -> Day:
    """Return a day.

    Args:
        seed: Another draws another day with the same margins.
    """
    draw = random.Random(seed)
    stations = _stations()
    badges = {kind: _badges(kind, count, draw) for kind, count in BADGES.items()}
    networks = [name for name, count in NETWORKS.items() for _ in range(count)]
    classes: list[Class] = [kind for kind, count in BIG_BROTHER.values() for _ in range(count)]
    draw.shuffle(classes)
    homes = _homes(badges["equipment"], stations, draw)
    sightings = []
    for network, kind in zip(networks, classes, strict=True):
        if kind == "equipment":
            station, badge = draw.choice(homes[network])
        else:
            station, badge = draw.choice(stations[network]), draw.choice(badges[kind])
        sightings.append(Sighting(_time_s(kind, draw), network, station, badge))
    sightings.sort(key=lambda each: (each.at_s, each.network, each.badge))
    return Day(tuple(sightings), stations, badges)


def margins(day: Day) -> list[str]:
    """Return, in words, where a day is not as published."""
    found = []
    kinds = day.of_class()
    classes = Counter(kinds[each.badge] for each in day.sightings)
    networks = Counter(each.network for each in day.sightings)
    expected = dict(BIG_BROTHER.values())
    if len(day.sightings) != SIGHTINGS:
        found.append(f"{len(day.sightings)} sightings, not {SIGHTINGS}")
    if classes != expected:
        found.append(f"classes {dict(classes)}, not {expected}")
    if networks != NETWORKS:
        found.append(f"networks {dict(networks)}, not {NETWORKS}")
    if sum(map(len, day.stations.values())) != STATIONS:
        found.append(f"{sum(map(len, day.stations.values()))} stations, not {STATIONS}")
    if day.sightings and not 0 <= day.sightings[-1].at_s <= HOURS * 3600:
        found.append(f"it ends after {day.sightings[-1].at_s} s")
    return found


def _stations() -> dict[str, tuple[str, ...]]:
    """Return stations by network: one each, the rest by the networks' shares."""
    rest = STATIONS - len(NETWORKS)
    shares = {name: rest * count / SIGHTINGS for name, count in NETWORKS.items()}
    numbers = {name: 1 + int(share) for name, share in shares.items()}
    by_fraction = sorted(shares, key=lambda name: int(shares[name]) - shares[name])
    for name in by_fraction[: STATIONS - sum(numbers.values())]:
        numbers[name] += 1
    return {
        name: tuple(f"{name}/{number:02d}" for number in range(1, count + 1))
        for name, count in numbers.items()
    }


def _badges(kind: Class, count: int, draw: random.Random) -> tuple[bytes, ...]:
    found: dict[bytes, None] = {}
    while len(found) < count:
        found[bytes([PREFIX[kind]]) + draw.randbytes(BADGE_BYTES - 1)] = None
    return tuple(found)


def _homes(
    badges: tuple[bytes, ...], stations: dict[str, tuple[str, ...]], draw: random.Random
) -> dict[str, list[tuple[str, bytes]]]:
    """Return the equipment of each network, with the station that it is at."""
    homes: dict[str, list[tuple[str, bytes]]] = {name: [] for name in stations}
    names = list(stations)
    for number, badge in enumerate(badges):
        network = names[number % len(names)]
        homes[network].append((draw.choice(stations[network]), badge))
    return homes


def _time_s(kind: Class, draw: random.Random) -> float:
    """Return when a badge is sighted: equipment always, people by day (it begins at noon)."""
    if kind == "equipment":
        return round(draw.uniform(0, HOURS * 3600), 3)
    evening, morning = draw.triangular(0, 9, 3), draw.triangular(17.5, HOURS, 20.5)
    return round(3600 * (evening if draw.random() < 0.75 else morning), 3)
