"""Stamps: the identity of an event, the same wherever in the federation it surfaces."""

from typing import NamedTuple

import msgspec


class Identity(NamedTuple):
    """What makes two copies the same event."""

    origin: str
    epoch: int
    sequence: int

    def __str__(self) -> str:
        """Return the identity as people write it, `origin/epoch/sequence`."""
        return f"{self.origin}/{self.epoch}/{self.sequence}"


class Stamp(msgspec.Struct, frozen=True, array_like=True):
    """The identity of an event, with when and where it was first published.

    Attributes:
        origin: Name of the publisher.
        epoch: Grows whenever the publisher lost its counter.
        sequence: Counts the publisher's events within an epoch.
        time_us: The *producer's* time, microseconds since 1970 UTC.
        home: Event service where the event was first published.

    Source:
        design, section 3.
    """

    origin: str
    epoch: int
    sequence: int
    time_us: int
    home: str

    @property
    def identity(self) -> Identity:
        """What makes two copies the same event."""
        return Identity(self.origin, self.epoch, self.sequence)
