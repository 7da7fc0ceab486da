"""The order of effects: rows are on the disk before what they belong to is performed."""

import asyncio
import logging
from collections import deque
from collections.abc import Callable
from typing import Final, Generic, TypeVar

from eventservices.bus.binding.store import BusStore

log = logging.getLogger(__name__)

T = TypeVar("T")

RETRY_S: Final = 0.5

AT_ONCE: Final = 32
"""Steps after which others have a turn: thousands may have waited for one write."""


class Storing(Generic[T]):
    """Performs effects in their order; those of one write are stored together.

    Args:
        store: Accepts the rows.
        perform: Performs the outputs of one step.

    Attributes:
        failures: Writes that the store did not accept; each was tried again.
    """

    def __init__(self, store: BusStore, perform: Callable[[list[T]], None]) -> None:
        self.failures = 0
        self._store = store
        self._perform = perform
        self._waiting: deque[tuple[dict[str, bytes | None], list[T]]] = deque()
        self._to_do = asyncio.Event()

    def __len__(self) -> int:
        """Return how many steps wait."""
        return len(self._waiting)

    def take(self, rows: dict[str, bytes | None], outputs: list[T]) -> None:
        """Perform a step, at once where nothing has to be stored before."""
        if rows or self._waiting:
            self._waiting.append((rows, outputs))
            self._to_do.set()
        else:
            self._perform(outputs)

    async def run(self) -> None:
        """Store and perform, until cancelled."""
        while True:
            await self._to_do.wait()
            self._to_do.clear()
            while self._waiting:
                batch = list(self._waiting)
                await self._write({key: row for rows, _ in batch for key, row in rows.items()})
                for number, (_, outputs) in enumerate(batch, 1):
                    # What comes meanwhile waits behind the batch: the order stays.
                    self._perform(outputs)
                    self._waiting.popleft()
                    if number % AT_ONCE == 0:
                        await asyncio.sleep(0)

    async def _write(self, rows: dict[str, bytes | None]) -> None:
        while rows:
            try:
                await asyncio.to_thread(self._store.write, rows)
            except OSError:
                self.failures += 1
                log.exception("rows_not_stored")
                await asyncio.sleep(RETRY_S)
            else:
                return
