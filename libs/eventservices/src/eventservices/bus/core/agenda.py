"""What is due at which time: each key once, without a look at all of them."""

import heapq
from collections.abc import Iterator
from typing import Final, Generic, TypeVar

K = TypeVar("K")

GRAIN_US: Final = 8_192
"""Times are rounded up to multiples of it: those of one are kept together, and end in O(1)."""


class Agenda(Generic[K]):
    """Plans keys; a key that is planned again has its last time alone."""

    def __init__(self) -> None:
        self._plans: dict[K, int] = {}
        self._keys: dict[int, dict[K, None]] = {}
        self._grains: list[int] = []

    def __len__(self) -> int:
        """Return how many keys are planned."""
        return len(self._plans)

    def __contains__(self, key: K) -> bool:
        """Return whether a key is planned."""
        return key in self._plans

    def plan(self, key: K, at_us: int) -> None:
        """Plan a key; that replaces its former time."""
        grain = -(-at_us // GRAIN_US)
        former = self._plans.get(key)
        if former == grain:
            return
        if former is not None:
            del self._keys[former][key]
        self._plans[key] = grain
        keys = self._keys.get(grain)
        if keys is None:
            keys = self._keys[grain] = {}
            heapq.heappush(self._grains, grain)
        keys[key] = None

    def plan_by(self, key: K, at_us: int) -> None:
        """Plan a key, unless it is planned earlier already."""
        former = self._plans.get(key)
        if former is None or at_us < former * GRAIN_US:
            self.plan(key, at_us)

    def cancel(self, key: K) -> None:
        """Plan a key no longer."""
        grain = self._plans.pop(key, None)
        if grain is not None:
            del self._keys[grain][key]

    def first_us(self) -> int | None:
        """Return the earliest time; None where nothing is planned."""
        while self._grains and not self._keys[self._grains[0]]:
            del self._keys[heapq.heappop(self._grains)]
        return self._grains[0] * GRAIN_US if self._grains else None

    def due(self, now_us: int, most: int) -> Iterator[K]:
        """Return what is due, the earliest first; each is planned no longer.

        Args:
            now_us: The present.
            most: How many at most.
        """
        for _ in range(most):
            first_us = self.first_us()
            if first_us is None or first_us > now_us:
                return
            key, _ = self._keys[self._grains[0]].popitem()
            del self._plans[key]
            yield key
