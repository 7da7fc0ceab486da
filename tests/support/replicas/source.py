"""What an event service keeps until it is answered for, and how its consumer hands it over.

As a persistent CNS channel and its adapter's intake do: up to a window of events goes to the
gateway without waiting for answers; what is refused waits a while, and nothing newer passes it.
"""

from heapq import heapify, heappop, heappush
from typing import TYPE_CHECKING

from support.simulation.timeline import MS, SECOND, Timeline

if TYPE_CHECKING:
    from support.replicas.natives import Item, NativeAdapter

WINDOW = 256
"""Events that a consumer hands over and does not wait for: as many as that of a CNS channel."""

AGAIN_US = (50 * MS, 500 * MS)
"""How long an event waits that was not taken."""

UNANSWERED_US = 4 * SECOND
"""After how long one that is handed over alone is delivered again where nobody answered."""


class Source:
    """Keeps events, and hands them over to one adapter after the other.

    Args:
        town: Its timeline.
        window: Most events that wait for an answer.

    Attributes:
        deepest: Most events that ever waited for an answer at once.
    """

    def __init__(self, town: Timeline, window: int) -> None:
        self.window = window
        self.deepest = 0
        self._town = town
        self._items: dict[int, Item] = {}
        self._number = 0
        self._waiting: list[int] = []  # a heap
        self._sent: dict[int, int] = {}
        self._serial = 0
        self._rests_until_us = 0
        self._adapter: NativeAdapter | None = None
        self._going = False

    def __len__(self) -> int:
        """Return how many events are kept."""
        return len(self._items)

    def add(self, item: "Item") -> None:
        """Keep one more event."""
        self._number += 1
        self._items[self._number] = item
        heappush(self._waiting, self._number)
        self._pump()

    def connect(self, adapter: "NativeAdapter") -> None:
        """Hand over to an adapter, beginning with the oldest that is kept."""
        self._adapter = adapter
        self._waiting = list(self._items)
        heapify(self._waiting)
        self._sent.clear()
        self._rests_until_us = 0
        self._pump()

    def disconnect(self) -> None:
        """Hand over to nobody."""
        self._adapter = None

    def _pump(self) -> None:
        if self._going or not self._waiting:
            return
        self._going = True
        rest_us = max(0, self._rests_until_us - self._town.now_us)
        self._town.at(rest_us + self._town.rng.randint(200, 2 * MS), self._go)

    def _go(self) -> None:
        self._going = False
        if self._adapter is not None:
            self._adapter.process.do(self._hand_over, self._adapter)

    def _hand_over(self, adapter: "NativeAdapter") -> None:
        """Hand over what waits, as steps of the adapter's process."""
        while adapter is self._adapter and self._waiting and len(self._sent) < self.window:
            if self._rests_until_us > self._town.now_us:
                self._pump()
                return
            self._hand_over_one(heappop(self._waiting), adapter)

    def _hand_over_one(self, number: int, adapter: "NativeAdapter") -> None:
        self._serial += 1
        serial = self._sent[number] = self._serial
        self.deepest = max(self.deepest, len(self._sent))

        def answer(taken: bool) -> None:  # noqa: FBT001 - the seam's own signature
            if adapter.process.alive and self._sent.get(number) == serial:
                self._answered(number, taken=taken)

        if self.window == 1:
            self._town.at(UNANSWERED_US, lambda: answer(taken=False))
        adapter.hear(self._items[number], answer)

    def _answered(self, number: int, *, taken: bool) -> None:
        del self._sent[number]
        if taken:
            del self._items[number]
        else:
            self._rests_until_us = self._town.now_us + self._town.rng.randint(*AGAIN_US)
            heappush(self._waiting, number)
        self._pump()
