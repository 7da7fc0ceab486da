"""What is published, and what is requested. No I/O; shared by clients and judge."""

import random
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Final

SUBJECT: Final = "Reading"
CHANNEL: Final = "readings"
VALUES: Final = 100
"""A reading's value is 0 to one less than this."""

WITNESS: Final = "witness"
"""A client that requests all that there is at the far end, and so sees what nobody requested."""


@dataclass(frozen=True, slots=True)
class Asked:
    """What one client requests: readings whose value lies in a range.

    Attributes:
        name: Of the client.
        at_least: The smallest value.
        at_most: The largest.
    """

    name: str
    at_least: int
    at_most: int

    def wants(self, value: int) -> bool:
        """Return whether a reading of this value is requested."""
        return self.at_least <= value <= self.at_most


READERS: Final = (Asked("low", 0, 59), Asked("middle", 50, 89))
"""The clients at the far end. The federation's file requests the same for them."""


@dataclass(frozen=True, slots=True)
class Reading:
    """One event.

    Attributes:
        origin: The station that publishes it.
        number: Counts the station's readings, from 1.
        value: What the readers' filters test.
    """

    origin: str
    number: int
    value: int


def is_asked_for(value: int) -> bool:
    """Return whether anyone requests a reading of this value."""
    return any(each.wants(value) for each in READERS)


def expected_by(name: str, value: int) -> bool:
    """Return whether a client has to get a reading of this value."""
    if name == WITNESS:
        return is_asked_for(value)
    return any(each.name == name and each.wants(value) for each in READERS)


def clients() -> tuple[str, ...]:
    """Return the names of all clients at the far end."""
    return (*(each.name for each in READERS), WITNESS)


def stream(asked: int, origins: int, seed: int) -> Iterator[Reading]:
    """Yield readings, of one station after the other, until so many of them are requested.

    Args:
        asked: How many readings someone requests.
        origins: How many stations there are.
        seed: Of the values.
    """
    chance = random.Random(seed)
    made = 0
    while asked:
        value = chance.randrange(VALUES)
        yield Reading(f"station-{made % origins + 1}", made // origins + 1, value)
        made += 1
        asked -= is_asked_for(value)


def deliveries(readings: Iterable[Reading]) -> int:
    """Return how many deliveries readings make at all clients together."""
    return sum(expected_by(name, each.value) for each in readings for name in clients())
