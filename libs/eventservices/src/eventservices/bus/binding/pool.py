"""Workers, more or fewer by the backlog; work of one key keeps its order.

Source:
    Smart-building thesis, section 5.2, "Monitor Thread".
"""

import asyncio
import logging
from collections import Counter, deque
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from itertools import count
from types import TracebackType
from typing import Final, Self

from eventservices.ending import ended

log = logging.getLogger(__name__)

Work = Callable[[], Awaitable[None]]

AT_ONCE: Final = 32
"""Works after which a worker lets others have a turn: what waits for nothing never lets them."""


@dataclass(frozen=True, slots=True)
class PoolSettings:
    """How a pool behaves.

    Attributes:
        least: Workers at least.
        most: Workers at most.
        low: Backlog at or under which there is a worker less, with each look of the monitor.
        high: Backlog over which there is a worker more.
        limit: Largest backlog; beyond, work is refused.
    """

    least: int = 1
    most: int = 8
    low: int = 8
    high: int = 64
    limit: int = 100_000


class WorkerPool:
    """Performs work, that of each key in its order.

    Args:
        name: For the log.
        settings: See there.
    """

    def __init__(self, name: str, settings: PoolSettings) -> None:
        self._name = name
        self._settings = settings
        self._waiting: dict[str, deque[Work]] = {}
        self._ready: deque[str] = deque()
        self._wake = asyncio.Semaphore(0)
        self._workers: set[asyncio.Task[None]] = set()
        self._surplus = 0
        self.backlog = 0
        self.counters: Counter[str] = Counter()

    @property
    def workers(self) -> int:
        """How many workers there are, less those that are to end."""
        return len(self._workers) - self._surplus

    def put(self, key: str, work: Work) -> bool:
        """Add work; return whether there was room."""
        if self.backlog >= self._settings.limit:
            self.counters["refused"] += 1
            return False
        self.backlog += 1
        queue = self._waiting.get(key)
        if queue is None:
            self._waiting[key] = deque((work,))
            self._make_ready(key)
        else:
            queue.append(work)
        if self.backlog > self._settings.high and self.workers < self._settings.most:
            self._grow()
        return True

    def monitor(self) -> None:
        """Compare the backlog with its limits, and start or end a worker."""
        settings = self._settings
        if self.backlog > settings.high and self.workers < settings.most:
            self._grow()
        elif self.backlog <= settings.low and self.workers > settings.least:
            self._surplus += 1
            self.counters["shrunk"] += 1
            self._wake.release()

    async def __aenter__(self) -> Self:
        """Start the least number of workers."""
        for _ in range(self._settings.least):
            self._start()
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """End the workers, with what they do."""
        await ended(*self._workers)

    def _grow(self) -> None:
        self.counters["grown"] += 1
        if self._surplus:
            self._surplus -= 1
            return
        self._start()

    def _start(self) -> None:
        task = asyncio.create_task(self._work(), name=f"bus-{self._name}")
        self._workers.add(task)
        task.add_done_callback(self._workers.discard)

    def _make_ready(self, key: str) -> None:
        self._ready.append(key)
        self._wake.release()

    async def _work(self) -> None:
        for number in count(1):
            if number % AT_ONCE == 0:
                await asyncio.sleep(0)
            await self._wake.acquire()
            if self._surplus:
                self._surplus -= 1
                if self._ready:
                    self._wake.release()
                return
            if not self._ready:
                continue
            await self._perform(self._ready.popleft())

    async def _perform(self, key: str) -> None:
        queue = self._waiting[key]
        work = queue.popleft()
        try:
            await work()
        except Exception:
            self.counters["failed"] += 1
            log.exception("work_failed", extra={"pool": self._name, "key": key[:200]})
        finally:
            self.backlog -= 1
            if queue:
                self._make_ready(key)
            else:
                del self._waiting[key]
