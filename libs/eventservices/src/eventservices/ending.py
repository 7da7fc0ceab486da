"""The end of tasks, also of one whose cancellation a library swallows.

`asyncio.wait_for` of Python 3.11 returns a result that came in the same turn as the cancellation,
and the task goes on as if nobody had cancelled it (bpo-37658); `nats-py` requests by it. Who
cancelled once would wait forever.
"""

import asyncio
import logging
from collections.abc import AsyncIterator, Awaitable, Coroutine
from contextlib import asynccontextmanager
from typing import Any, Final, TypeVar

log = logging.getLogger(__name__)

AGAIN_S: Final = 5.0
"""After how long a task that goes on is cancelled again; so long it may clean up undisturbed."""

CANCELLATIONS: Final = 10
"""How often a task is cancelled; one that goes on after them is left, with a warning."""

T = TypeVar("T")


async def cancellable(act: Awaitable[T]) -> T:
    """Await what may swallow a cancellation, and be cancelled nevertheless.

    Args:
        act: What a library does.

    Raises:
        CancelledError: The task was cancelled meanwhile.
    """
    task = asyncio.current_task()
    before = task.cancelling() if task is not None else 0
    result = await act
    if task is not None and task.cancelling() > before:
        raise asyncio.CancelledError
    return result


@asynccontextmanager
async def beside(work: Coroutine[Any, Any, T], name: str) -> AsyncIterator[asyncio.Task[T]]:
    """Run work beside a block; it ends with the block, and the block does not end with it.

    Args:
        work: What it raises is for who reads the task.
        name: Of its task.

    Yields:
        The task.
    """
    task = asyncio.create_task(work, name=name)
    try:
        yield task
    finally:
        await ended(task)


async def ended(*tasks: asyncio.Task[Any] | None, again_s: float = AGAIN_S) -> None:
    """Cancel tasks and wait until they have ended, however they do; harmless where they had.

    Args:
        tasks: None among them counts as ended.
        again_s: Seconds between two cancellations of one task.
    """
    pending = {task for task in tasks if task is not None}
    for _ in range(CANCELLATIONS):
        for task in pending:
            task.cancel()
        if pending:
            done, pending = await asyncio.wait(pending, timeout=again_s)
            await asyncio.gather(*done, return_exceptions=True)
    for task in pending:
        log.warning("task_not_ended", extra={"task": task.get_name()})
