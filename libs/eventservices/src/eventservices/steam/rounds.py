"""Rounds: what is done again and again while something is open."""

import asyncio
import logging
from collections.abc import Awaitable, Callable

from eventservices.ending import ended

_log = logging.getLogger(__name__)


class Rounds:
    """Runs actions at intervals until it is closed.

    An action that fails is counted, logged when it did not fail the time before, and goes on with
    its next turn.

    Attributes:
        failed: Turns that failed.
    """

    def __init__(self) -> None:
        self.failed = 0
        self._tasks: list[asyncio.Task[None]] = []

    def every(self, period_s: float, action: Callable[[], Awaitable[None]]) -> None:
        """Run an action now and then every `period_s` seconds of wall time."""
        self._tasks.append(asyncio.create_task(self._repeat(period_s, action)))

    async def close(self) -> None:
        """Stop all actions; harmless where they have stopped."""
        tasks, self._tasks = self._tasks, []
        await ended(*tasks)

    async def _repeat(self, period_s: float, action: Callable[[], Awaitable[None]]) -> None:
        loop = asyncio.get_running_loop()
        failed, due_s = False, loop.time()
        while True:
            try:
                await action()
            except Exception:  # noqa: BLE001 - a round that failed must not be the last
                self.failed += 1
                if not failed:
                    _log.exception("round failed")
                failed = True
            else:
                failed = False
            # A long round does not delay the next; missed ones are not made up.
            due_s = max(due_s + period_s, loop.time())
            await asyncio.sleep(due_s - loop.time())
