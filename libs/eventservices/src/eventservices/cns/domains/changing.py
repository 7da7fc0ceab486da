"""Changes of a domain: one after another, and each to its end."""

import asyncio
import functools
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine
from contextlib import asynccontextmanager
from typing import Any, Concatenate, Final, ParamSpec, Protocol, TypeVar

from eventservices.cns.errors import AdminLimitExceededError

T = TypeVar("T")
P = ParamSpec("P")

MOST_WAITING: Final = 20_000
"""Most changes of a domain that wait for their turn."""


class Changes:
    """Has the changes of a domain go one after another.

    Attributes:
        waiting: Changes that run or wait.
        refused: Changes that were refused because `MOST_WAITING` waited.
    """

    def __init__(self) -> None:
        self.waiting = 0
        self.refused = 0
        self._lock = asyncio.Lock()

    @asynccontextmanager
    async def turn(self) -> AsyncIterator[None]:
        """Wait for the changes before this one.

        Raises:
            AdminLimitExceededError: `MOST_WAITING` wait already.
        """
        if self.waiting >= MOST_WAITING:
            self.refused += 1
            raise AdminLimitExceededError("MaxWaitingChanges", MOST_WAITING)
        self.waiting += 1
        try:
            async with self._lock:
                yield
        finally:
            self.waiting -= 1


class Changing(Protocol):
    """Is what `change` needs of a domain."""

    changes: Changes

    def check_alive(self) -> None:
        """Raise where the domain was destroyed."""


D = TypeVar("D", bound=Changing)


def change(
    operation: Callable[Concatenate[D, P], Coroutine[Any, Any, T]],
) -> Callable[Concatenate[D, P], Awaitable[T]]:
    """Make an operation wait for its turn, and go on to its end though its caller is cancelled.

    Else what is in the journal, what the domain has and what runs of it could differ.
    """

    @functools.wraps(operation)
    async def in_turn(domain: D, /, *arguments: P.args, **options: P.kwargs) -> T:
        async with domain.changes.turn():
            domain.check_alive()
            return await whole(operation(domain, *arguments, **options))

    return in_turn


async def whole(work: Coroutine[Any, Any, T]) -> T:
    """Return what work returns; where the caller is cancelled, it is once the work has ended."""
    task = asyncio.ensure_future(work)
    cancelled = False
    while not task.done():
        try:
            await asyncio.wait((task,))
        except asyncio.CancelledError:
            cancelled = True
    if cancelled and not task.cancelled() and task.exception() is None:
        raise asyncio.CancelledError
    return task.result()
