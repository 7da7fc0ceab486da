"""Waiting for something to become true, without guessing how long it lasts."""

import asyncio
import time
from collections.abc import Awaitable, Callable
from typing import Any


async def eventually(
    check: Callable[[], Any | Awaitable[Any]], within_s: float = 30.0, what: str = ""
) -> Any:
    """Wait until `check` returns something true, and return that.

    Args:
        check: A function, plain or async; an AssertionError in it counts as not yet.
        within_s: Longest wait.
        what: What is waited for, for the message.

    Raises:
        AssertionError: It did not become true in time.
    """
    deadline = time.monotonic() + within_s
    last: object = None
    while True:
        try:
            result = check()
            value = await result if isinstance(result, Awaitable) else result
            if value:
                return value
            last = value
        except AssertionError as error:
            last = error
        if time.monotonic() > deadline:
            raise AssertionError(f"not within {within_s} s: {what or check} (last: {last!r:.500})")
        await asyncio.sleep(0.01)
