"""Stamps: the identity of an event, the same wherever in the federation it surfaces."""

import re
from typing import NamedTuple

import msgspec

from fes.errors import EventError

MAX_NAME = 512
"""Longest origin or home, in characters."""

_INT64 = 2**63 - 1
_CONTROL = re.compile(r"[\x00-\x1f\x7f\ud800-\udfff]")


EventKey = tuple[str, int, int, str]
"""Origin, epoch, sequence and home: equal for all copies of an event."""


class Identity(NamedTuple):
    """An event's identity without its home; unique among the events of one home."""

    origin: str
    epoch: int
    sequence: int

    def __str__(self) -> str:
        """Return the identity as text, `origin/epoch/sequence`."""
        return f"{self.origin}/{self.epoch}/{self.sequence}"


class Stamp(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """The identity of an event, with when and where it was first published.

    Attributes:
        origin: Name of the publisher.
        epoch: Increases whenever the publisher lost its counter.
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
        """The identity, without the home."""
        return Identity(self.origin, self.epoch, self.sequence)

    @property
    def key(self) -> EventKey:
        """The identity and the home within which it is unique: equal for all copies of an event."""
        return self.origin, self.epoch, self.sequence, self.home


def check_stamp(stamp: Stamp) -> Stamp:
    """Return `stamp` if its fields are in range.

    Raises:
        EventError: A field is out of range; the message names it.
    """
    for what, name in (("origin", stamp.origin), ("home", stamp.home)):
        if not 0 < len(name) <= MAX_NAME:
            raise EventError(f"stamp's {what} has {len(name)} characters, not 1 to {MAX_NAME}")
        if _CONTROL.search(name):
            raise EventError(f"stamp's {what} has a control character: {name[:60]!r}")
    if not 0 <= stamp.epoch <= _INT64 or not 1 <= stamp.sequence <= _INT64:
        raise EventError("stamp's epoch or sequence is out of range")
    if not -_INT64 <= stamp.time_us <= _INT64:
        raise EventError("stamp's time is out of range")
    return stamp
