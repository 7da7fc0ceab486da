"""Tasks that a gateway cannot do without: where one ends unexpectedly, somebody is notified."""

import asyncio
import logging
from collections.abc import Callable, Coroutine

_log = logging.getLogger(__name__)

Failed = Callable[[str], None]
"""Called with the reason why a task ended."""


def watched(act: Coroutine[None, None, None], name: str, failed: Failed) -> asyncio.Task[None]:
    """Start a task that runs until it is cancelled.

    Args:
        act: The coroutine.
        name: Name of the task.
        failed: Called once where it ends by itself, by an error or without one.
    """

    def ended(task: asyncio.Task[None]) -> None:
        if task.cancelled():
            return
        error = task.exception()
        _log.error("task_ended", extra={"task": name}, exc_info=error)
        failed(f"{name} ended: {error!r}" if error else f"{name} ended")

    task = asyncio.create_task(act, name=name)
    task.add_done_callback(ended)
    return task
