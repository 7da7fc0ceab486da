"""A bounded set of short tasks that nobody waits for."""

import asyncio
import logging
from collections.abc import Coroutine
from typing import Any

from eventservices.ending import ended

log = logging.getLogger(__name__)

MAX_TASKS = 1000
"""Most tasks at a time; further ones are not started, and counted."""


class Background:
    """Runs short coroutines started from plain functions.

    Attributes:
        refused: Coroutines that were not started because `MAX_TASKS` ran.
    """

    def __init__(self) -> None:
        self.refused = 0
        self._tasks: set[asyncio.Task[None]] = set()

    def start(self, work: Coroutine[Any, Any, None]) -> None:
        """Start `work`, unless too many run; what it raises is logged."""
        if len(self._tasks) >= MAX_TASKS:
            self.refused += 1
            work.close()
            if self.refused == 1:
                log.warning("background_task_refused", extra={"running": len(self._tasks)})
            return
        task = asyncio.get_running_loop().create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._done)

    async def close(self) -> None:
        """End what still runs."""
        await ended(*self._tasks)

    def _done(self, task: asyncio.Task[None]) -> None:
        self._tasks.discard(task)
        if not task.cancelled() and task.exception() is not None:
            log.error("background_task_failed", exc_info=task.exception())
