"""Tasks that must not end while something is open: an error that nobody expected ends none."""

import asyncio
import logging
from collections.abc import Awaitable, Callable

log = logging.getLogger(__name__)

RESTART_S = 1.0
"""Pause before a task that failed restarts."""


async def lasting(act: Callable[[], Awaitable[None]]) -> None:
    """Do something until it returns; where it fails it is logged, and begun again.

    A task that died would leave behind a connection that looks open and that nobody keeps.

    Args:
        act: What is to be done; it is begun again from its beginning.
    """
    while True:
        try:
            await act()
        except Exception:
            task = asyncio.current_task()
            log.exception("task_failed", extra={"task": task.get_name() if task else ""})
            await asyncio.sleep(RESTART_S)
        else:
            return
