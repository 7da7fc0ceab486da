"""Stories: of a file of sightings, or made up."""

import csv
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from random import Random
from typing import Final

from building_walk.errors import WalkError
from building_walk.story import Mail, Person, Restart, Sighting, Story

COLUMNS: Final = ("badge", "station", "network")
STATIONS: Final = tuple((f"net{n}", f"sensor{n}{m}") for n in range(1, 5) for m in range(3))
STAY: Final = (5, 9)
"""Least and most steps that somebody stays in a room, where the walk is made up."""

MAIL_EVERY: Final = 2
"""Steps from one mail to the next."""

MOST_ROWS: Final = 100_000
WALKER: Final = "ann"
BADGES: Final = {"ann": "00000000000a", "bob": "00000000000b"}
VISITORS: Final = {"eve": "00000000000e", "guy": "00000000000f"}

Place = tuple[str, str]
"""Room and station."""


@dataclass(frozen=True, slots=True)
class Track:
    """Where a badge was, second by second.

    Attributes:
        badge: Hexadecimal.
        places: One for each step.
    """

    badge: str
    places: tuple[Place, ...]


def read(path: Path) -> Track:
    """Return the track in a file of sightings: CSV with badge, station and network.

    Raises:
        WalkError: It cannot be read, or a line is not a sighting of the one badge; names the line.
    """
    try:
        with path.open(encoding="utf-8", newline="") as file:
            rows = list(islice(csv.DictReader(file), MOST_ROWS + 1))
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise WalkError(f"{path}: cannot be read: {error}") from error
    if not rows or len(rows) > MOST_ROWS:
        raise WalkError(f"{path}: {len(rows)} sightings are not 1 .. {MOST_ROWS}")
    for line, row in enumerate(rows, 2):
        if not all(row.get(name) for name in COLUMNS):
            raise WalkError(f"{path}:{line}: badge, station or network is missing")
        if row["badge"] != rows[0]["badge"]:
            raise WalkError(f"{path}:{line}: a second badge, {row['badge'][:40]}")
        if not row["network"].isalnum() or not row["network"].isascii() or len(row["network"]) > 4:
            raise WalkError(f"{path}:{line}: network {row['network'][:40]!r} is not 1 to 4 letters")
        if not row["station"].isalnum():
            raise WalkError(f"{path}:{line}: station {row['station'][:40]!r} is not alphanumeric")
    badge = rows[0]["badge"].lower()
    if len(badge) != 12 or set(badge) - set("0123456789abcdef"):
        raise WalkError(f"{path}:2: badge {badge[:40]!r} is not six bytes in hexadecimal")
    return Track(badge, tuple((row["network"], row["station"]) for row in rows))


def wander(steps: int, chance: Random, stations: Sequence[Place] = STATIONS) -> list[Place]:
    """Return a made-up track: some steps in a room, then in another."""
    rooms = sorted({room for room, _ in stations})
    places: list[Place] = []
    room = chance.choice(rooms)
    while len(places) < steps:
        own = [each for each in stations if each[0] == room]
        places += [chance.choice(own) for _ in range(chance.randint(*STAY))]
        room = chance.choice([each for each in rooms if each != room] or rooms)
    return places[:steps]


def tell(
    steps: int, seed: int, step_s: float, track: Track | None = None, restarts: Sequence[str] = ()
) -> Story:
    """Return a story.

    Args:
        steps: How many; a shorter track begins again.
        seed: Of what is made up.
        step_s: Seconds of a step.
        track: The walk of the first badge; made up where None.
        restarts: Processes that are killed, one after the other, evenly spread.
    """
    chance = Random(seed)
    stations = sorted(set(track.places)) if track else list(STATIONS)
    rooms = tuple(dict.fromkeys(room for room, _ in stations))
    badges = {**BADGES, **VISITORS} | ({WALKER: track.badge} if track else {})
    rights = {"ann": rooms, "bob": rooms[::2], "eve": rooms[:1], "guy": ()}
    tracks = {name: wander(steps, chance, stations) for name in badges}
    if track:
        tracks[WALKER] = [track.places[step % len(track.places)] for step in range(steps)]
    sightings = tuple(
        Sighting(step, name, *places[step], not step or places[step][0] != places[step - 1][0])
        for step in range(steps)
        for name, places in tracks.items()
    )
    owners = list(BADGES)
    return Story(
        step_s,
        {name: Person(badges[name], name in BADGES, tuple(rights[name])) for name in badges},
        {room: tuple(each for own, each in stations if own == room) for room in rooms},
        sightings,
        tuple(
            Mail(step, owners[at % len(owners)])
            for at, step in enumerate(range(1, steps - 1, MAIL_EVERY))
        ),
        tuple(
            Restart((at + 1) * steps // (len(restarts) + 1), name)
            for at, name in enumerate(restarts)
        ),
    )
