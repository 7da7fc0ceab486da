"""Tasks that watch over the parts of a run; the end of one by an error ends the run."""

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any

from eventservices.ending import ended

from fes.errors import AdapterError


class Tasks:
    """Runs work in the background.

    Args:
        failed: Called with the reason why the run cannot continue, where some work raised an error.
    """

    def __init__(self, failed: Callable[[str], None]) -> None:
        self._failed = failed
        self._running: set[asyncio.Task[None]] = set()

    def begin(self, work: Coroutine[Any, Any, None], name: str) -> None:
        """Start some work; `name` is the part that it is about."""
        task = asyncio.create_task(work, name=name)
        self._running.add(task)
        task.add_done_callback(self._ended)

    async def stop(self) -> None:
        """Cancel all work."""
        await ended(*self._running)

    def _ended(self, task: asyncio.Task[None]) -> None:
        self._running.discard(task)
        error = None if task.cancelled() else task.exception()
        if isinstance(error, AdapterError):
            self._failed(str(error))
        elif error is not None:
            self._failed(f"{task.get_name()} is watched no more: {error!r}")


async def first_of(*works: Coroutine[Any, Any, Any] | asyncio.Task[Any]) -> None:
    """Wait for the first to finish, then cancel the others and await them."""
    tasks = [asyncio.ensure_future(each) for each in works]
    try:
        await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
    finally:
        await ended(*(task for task in tasks if not task.done()))
