"""Presence: which beacons are active, as far as one who listens knows."""

from dataclasses import dataclass
from typing import Generic, Literal, TypeVar

from eventservices.steam.beacon import Announcement, Membership

MISSED_BEACONS = 3
"""Beacons that must be missing before their sender counts as gone."""

Beacon = Announcement | Membership
Change = Literal["began", "changed", "ended"]

_B = TypeVar("_B", bound=Beacon)
_Key = tuple[type, str, str, int]


@dataclass(frozen=True, slots=True)
class _Seen(Generic[_B]):
    beacon: _B
    until_s: float


class Presence(Generic[_B]):
    """Keeps the latest beacon of every announcement and membership.

    Args:
        limit: Most that it keeps. More are counted, not kept, and accepted at a later beacon
            when others have gone.

    Attributes:
        not_kept: Beacons that there was no room for.
    """

    def __init__(self, limit: int) -> None:
        self.not_kept = 0
        self._limit = limit
        self._seen: dict[_Key, _Seen[_B]] = {}

    @property
    def beacons(self) -> list[_B]:
        """The latest beacon of all that is active, in the order in which they began."""
        return [seen.beacon for seen in self._seen.values()]

    def take(self, beacon: _B, now_s: float) -> Change | None:
        """Accept a beacon in.

        Args:
            beacon: What was received.
            now_s: Monotonic time; seconds.

        Returns:
            What it changes; None where it confirms what is known, or was not kept.
        """
        key = _key(beacon)
        before = self._seen.get(key)
        if not beacon.present:
            return None if self._seen.pop(key, None) is None else "ended"
        if before is None and len(self._seen) >= self._limit:
            self.not_kept += 1
            return None
        self._seen[key] = _lasting(beacon, now_s)
        if before is None:
            return "began"
        return None if _form(before.beacon) == _form(beacon) else "changed"

    def expire(self, now_s: float, *, attentive: bool) -> list[_B]:
        """Forget those of whom too many beacons are missing.

        Args:
            now_s: Monotonic time; seconds.
            attentive: Whether beacons could be received lately; where not, all get more time.

        Returns:
            The last beacon of each that is forgotten.
        """
        if not attentive:
            for key, seen in self._seen.items():
                self._seen[key] = _lasting(seen.beacon, now_s)
            return []
        gone = [key for key, seen in self._seen.items() if seen.until_s < now_s]
        return [self._seen.pop(key).beacon for key in gone]


def _lasting(beacon: _B, now_s: float) -> _Seen[_B]:
    return _Seen(beacon, now_s + MISSED_BEACONS * beacon.period_s)


def _key(beacon: Beacon) -> _Key:
    number = beacon.number if isinstance(beacon, Membership) else 0
    return type(beacon), beacon.sender.node, beacon.subject, number


def _form(beacon: Beacon) -> object:
    return beacon.content if isinstance(beacon, Membership) else beacon.proximity
