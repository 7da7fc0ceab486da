"""Waiting for something to become true."""

import asyncio
import inspect
import time
from collections.abc import Awaitable, Callable

from persistent_scenario.errors import RunningError

LOOK_S = 0.05


async def until(holds: Callable[[], bool | Awaitable[bool]], within_s: float, what: str) -> None:
    """Wait until a check returns True.

    Args:
        holds: States whether it does.
        within_s: Longest wait.
        what: Named in the error where the wait was in vain.

    Raises:
        RunningError: It did not become true in time.
    """
    deadline = time.monotonic() + within_s
    while True:
        found = holds()
        if await found if inspect.isawaitable(found) else found:
            return
        if time.monotonic() > deadline:
            raise RunningError(f"waited {within_s:g} s for {what}")
        await asyncio.sleep(LOOK_S)
