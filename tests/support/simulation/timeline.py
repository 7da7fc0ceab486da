"""Time in a world: what happens when, one after the other."""

import heapq
import random
from collections.abc import Callable

SECOND = 1_000_000
MS = 1_000


class Timeline:
    """Has things happen in the order of their times; a seed decides every delay.

    Args:
        seed: Decides.
    """

    def __init__(self, seed: int) -> None:
        self.rng = random.Random(seed)
        self.now_us = 1_000 * SECOND
        self.start_us = self.now_us
        self.broken: list[str] = []
        self.storm_steps = 20_000
        self._queue: list[tuple[int, int, Callable[[], None]]] = []
        self._count = 0
        self._channels: dict[object, int] = {}

    def at(self, delay_us: int, act: Callable[[], None]) -> None:
        """Have something happen later."""
        self._count += 1
        heapq.heappush(self._queue, (self.now_us + delay_us, self._count, act))

    def over(self, channel: object, act: Callable[[], None]) -> None:
        """Have something arrive over a channel that keeps its order."""
        when = self.now_us + self.rng.randint(MS, 5 * MS)
        when = max(when, self._channels.get(channel, 0))
        self._channels[channel] = when
        self.at(when - self.now_us, act)

    def run(self, until_us: int) -> int:
        """Let the time go on; returns the number of steps, at most `storm_steps`."""
        limit = self.storm_steps
        steps = 0
        while self._queue and self._queue[0][0] <= until_us and steps < limit:
            self.now_us, _, act = heapq.heappop(self._queue)
            act()
            steps += 1
        if steps == limit:
            self.broken.append(f"storm: {limit} steps and no end")
        self.now_us = max(self.now_us, until_us)
        return steps
