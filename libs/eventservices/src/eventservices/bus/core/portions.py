"""Long work in portions: each turn of the event loop does a bounded number of pieces."""

from collections import deque
from collections.abc import Callable, Hashable, Iterable, Iterator
from typing import Final, TypeVar

PIECES: Final = 500
"""Most pieces of long work between two ticks. A piece ends, or requests, one thing."""

EXAMINED: Final = 16
"""How many things that turn out to need nothing count as one piece."""

MOST_WORK: Final = 100_000
"""Most works that wait; those that may be left out are, beyond."""

Work = Iterator[int]
"""Does a part with each step, and returns how many pieces that was."""

T = TypeVar("T")


class Portions:
    """Performs works in the order in which they came, one at a time.

    What is done between two portions of a work has to find a consistent state: a work goes over a
    copy of keys, and looks at each again before it does anything.
    """

    def __init__(self) -> None:
        self.left = PIECES
        self.performed = 0
        self._waiting: deque[tuple[Hashable, Callable[[], Work]]] = deque()
        self._keys: set[Hashable] = set()
        self._begun: Work | None = None
        self._running = False

    def __len__(self) -> int:
        """Return how many works are not done."""
        return len(self._waiting) + (self._begun is not None)

    def __contains__(self, key: Hashable) -> bool:
        """Return whether a work waits that was not begun yet."""
        return key in self._keys

    @property
    def is_full(self) -> bool:
        """Whether what may be left out is left out."""
        return len(self._waiting) >= MOST_WORK

    def add(self, key: Hashable, begin: Callable[[], Work]) -> None:
        """Add a work, unless the same waits already, and perform what this turn has room for.

        Args:
            key: Names the work.
            begin: Starts it, when its turn comes.
        """
        if key not in self._keys:
            self._keys.add(key)
            self._waiting.append((key, begin))
        self._run()

    def tick(self) -> None:
        """Perform the next portion."""
        self.left = PIECES
        self._run()

    def _run(self) -> None:
        if self._running:
            return
        self._running = True
        try:
            while self.left > 0 and (self._begun is not None or self._waiting):
                if self._begun is None:
                    key, begin = self._waiting.popleft()
                    self._keys.discard(key)
                    self._begun = begin()
                self._step(self._begun)
        finally:
            self._running = False

    def _step(self, work: Work) -> None:
        pieces = next(work, None)
        if pieces is None:
            self._begun, pieces = None, 1
        self.left -= pieces
        self.performed += pieces


def examined(things: Iterable[T], pieces: Callable[[T], int]) -> Work:
    """Go over things, and return the pieces of each that needs any.

    Args:
        things: A copy, since what it was made of changes meanwhile.
        pieces: Does what one thing needs, and returns how many pieces that was; 0 for nothing.
    """
    skipped = 0
    for thing in things:
        done = pieces(thing)
        skipped += not done
        if done or skipped % EXAMINED == 0:
            yield done or 1
