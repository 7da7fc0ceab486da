"""The ledger: which window each event belongs to, for as many events as are kept."""

import re
from collections.abc import Iterable
from typing import Final

import msgspec

from analytics.inputs.files import Files

IDS: Final = "ids"
_SEQUENCE = re.compile(r"[0-9]{1,19}")
ORIGINS: Final = 20_000
"""Most origins of which the last event that was abandoned is known; the oldest is forgotten."""


class Entry(msgspec.Struct, frozen=True):
    """What one batch added: ids never seen before, and ids that were delivered."""

    fresh: list[str] = []
    delivered: list[str] = []


class Ledger:
    """Says of an event's id where its lines are kept.

    An event belongs to the window of the batch in which it was first seen. Windows are abandoned
    oldest first; a line about an event that was abandoned comes too late to be judged.

    Attributes:
        given_up: For each origin and epoch, the highest sequence that was abandoned.
    """

    def __init__(self, given_up: dict[str, int] | None = None) -> None:
        self.given_up = dict(given_up or {})
        self._windows: dict[str, int] = {}
        self._delivered: set[str] = set()
        self._fresh: dict[int, list[str]] = {}

    def __len__(self) -> int:
        """Return how many events are known."""
        return len(self._windows)

    def window(self, identity: str) -> int | None:
        """Return the window of an event; None if it is not known."""
        return self._windows.get(identity)

    def was_delivered(self, identity: str) -> bool:
        """Return whether an event was delivered before."""
        return identity in self._delivered

    def too_late(self, identity: str) -> bool:
        """Return whether an event that is not known may have been abandoned."""
        origin, sequence = split(identity)
        gone = 0 <= sequence <= self.given_up.get(origin, -1)
        return gone and identity not in self._windows

    def enter(self, window: int, entry: Entry) -> None:
        """Accept what a batch added; its fresh ids belong to `window`."""
        self._windows.update(dict.fromkeys(entry.fresh, window))
        self._delivered.update(entry.delivered)
        if entry.fresh:
            self._fresh[window] = entry.fresh

    def give_up(self, window: int) -> None:
        """Forget the events of a window."""
        for identity in self._fresh.pop(window, ()):
            self._windows.pop(identity, None)
            self._delivered.discard(identity)
            origin, sequence = split(identity)
            if sequence >= 0:
                highest = max(sequence, self.given_up.pop(origin, -1))
                self.given_up[origin] = highest
        while len(self.given_up) > ORIGINS:
            self.given_up.pop(next(iter(self.given_up)))


def split(identity: str) -> tuple[str, int]:
    """Return an identity's origin with its epoch, and its sequence; -1 where it has none."""
    origin, _, sequence = identity.rpartition("/")
    match = _SEQUENCE.fullmatch(sequence)
    return (origin, int(sequence)) if match else (identity, -1)


def load(files: Files, first: int, last: int, given_up: dict[str, int]) -> Ledger:
    """Return the ledger as it was after a batch.

    Args:
        files: Where the entries are kept.
        first: The oldest window that is kept.
        last: The batch.
        given_up: As it was then.
    """
    ledger = Ledger(given_up)
    for number in _numbers(files):
        if first <= number <= last:
            entry = msgspec.json.decode(files.read(_path(number)), type=Entry)
            ledger.enter(number, entry)
    return ledger


def save(files: Files, number: int, entry: Entry) -> None:
    """Keep what a batch added."""
    files.write(_path(number), msgspec.json.encode(entry))


def forget(files: Files, first: int) -> None:
    """Remove the entries before a batch."""
    for number in _numbers(files):
        if number < first:
            files.remove(_path(number))


def _numbers(files: Files) -> Iterable[int]:
    return sorted(int(name.partition(".")[0]) for name in files.sizes(IDS))


def _path(number: int) -> str:
    return f"{IDS}/{number:08d}.json"
