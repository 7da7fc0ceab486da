"""The calendar: which times of the bus are reserved for hard real-time frames.

A slot comes again every period. Two slots never meet exactly if they do not meet within the
greatest common divisor of their periods, so a slot is found by looking at the others' ends only.

Source:
    Slots of COSMIC's hard real-time channels; disjointness of periodic intervals: Korst et al.,
    "Periodic multiprocessor scheduling", 1991.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from math import gcd
from typing import Final

from eventservices.errors import MalformedError, RefusedError

MAX_SLOTS: Final = 1024
MAX_TURNS: Final = 1024
"""Most turns of another slot after which a new one is tried."""


@dataclass(frozen=True, slots=True)
class Slot:
    """A time of the bus that belongs to one channel of one node.

    Attributes:
        node: Node number.
        etag: The channel.
        period_us: Time between two beginnings.
        length_us: From its beginning to its deadline.
        offset_us: Its beginning, counted from 1970 UTC, within the period.
    """

    node: int
    etag: int
    period_us: int
    length_us: int
    offset_us: int = 0

    def __post_init__(self) -> None:
        """Check that it fits its period.

        Raises:
            MalformedError: It does not.
        """
        if not 0 < self.length_us <= self.period_us or self.offset_us < 0:
            raise MalformedError(f"a slot of {self.length_us} µs in {self.period_us} µs")

    def next_start_us(self, now_us: int) -> int:
        """Return the first beginning at or after a moment."""
        return now_us + (self.offset_us - now_us) % self.period_us

    def deadline_us(self, moment_us: int) -> int:
        """Return the end of the latest slot that had begun at a moment."""
        return moment_us - (moment_us - self.offset_us) % self.period_us + self.length_us

    def meets(self, other: "Slot") -> bool:
        """Return whether the two ever overlap."""
        step = gcd(self.period_us, other.period_us)
        after = (other.offset_us - self.offset_us) % step
        before = (self.offset_us - other.offset_us) % step
        return after < self.length_us or before < other.length_us


class Calendar:
    """Keeps the slots of one bus.

    Args:
        planned: Slots that are fixed beforehand, the same in every process on the bus.

    Raises:
        MalformedError: Two of them overlap.
    """

    def __init__(self, planned: Iterable[Slot] = ()) -> None:
        self._slots: dict[tuple[int, int], Slot] = {}
        self._planned: set[tuple[int, int]] = set()
        for slot in planned:
            if any(slot.meets(other) for other in self._slots.values()):
                raise MalformedError(f"slot of node {slot.node}, etag {slot.etag} meets another")
            self._slots[slot.node, slot.etag] = slot
            self._planned.add((slot.node, slot.etag))

    def __iter__(self) -> Iterator[Slot]:
        """Yield the slots that are reserved."""
        return iter(self._slots.values())

    def find(self, node: int, etag: int) -> Slot | None:
        """Return the slot of a node's channel; None where it has none."""
        return self._slots.get((node, etag))

    def reserve(self, wanted: Slot) -> Slot:
        """Reserve a slot of a period and length, wherever there is room; planned ones stay.

        Raises:
            RefusedError: There is no room.
        """
        planned = self.find(wanted.node, wanted.etag)
        if planned is not None:
            if planned.period_us > wanted.period_us or planned.length_us < wanted.length_us:
                raise RefusedError(f"the slot planned for etag {wanted.etag} is too small")
            return planned
        if len(self._slots) >= MAX_SLOTS:
            raise RefusedError(f"the calendar has {MAX_SLOTS} slots already")
        for offset_us in (0, *self._ends(wanted.period_us)):
            slot = Slot(wanted.node, wanted.etag, wanted.period_us, wanted.length_us, offset_us)
            if not any(slot.meets(other) for other in self._slots.values()):
                self._slots[slot.node, slot.etag] = slot
                return slot
        raise RefusedError(
            f"no slot of {wanted.length_us} µs every {wanted.period_us} µs is free on this bus"
        )

    def release(self, slot: Slot) -> None:
        """Release a slot; planned ones, and those released before, stay unchanged."""
        key = (slot.node, slot.etag)
        if key not in self._planned and self._slots.get(key) == slot:
            del self._slots[key]

    def _ends(self, period_us: int) -> list[int]:
        """Return where a slot may begin right after another, in each of the other's turns."""
        ends: set[int] = set()
        for slot in self._slots.values():
            step = gcd(slot.period_us, period_us)
            first = (slot.offset_us + slot.length_us) % step
            ends.update(range(first, period_us, step)[:MAX_TURNS])
        return sorted(ends)
