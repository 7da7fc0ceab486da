"""Shared native subscriptions: each is made once, and ends with the last that needs it."""

import asyncio
from collections import Counter
from collections.abc import Awaitable, Callable, Hashable, Iterable
from typing import Generic, TypeVar

Wanted = TypeVar("Wanted", bound=Hashable)
Native = TypeVar("Native")


class Held(Generic[Wanted, Native]):
    """Makes each needed native subscription once, and ends it when nothing needs it any more.

    Args:
        make: Makes a native subscription.
        end: Ends one; it does not raise.
    """

    def __init__(
        self,
        make: Callable[[Wanted], Awaitable[Native]],
        end: Callable[[Native], Awaitable[None]],
    ) -> None:
        self._make = make
        self._end = end
        self._needed: dict[int, tuple[Wanted, ...]] = {}
        self._users: Counter[Wanted] = Counter()
        self._made: dict[Wanted, Native] = {}
        self._changing = asyncio.Lock()

    def __len__(self) -> int:
        """Return how many native subscriptions there are."""
        return len(self._made)

    async def add(self, number: int, wanted: Iterable[Wanted]) -> None:
        """Make the native subscriptions that one subscription needs.

        One of the same number is replaced.

        Raises:
            EventServiceError: As for `make`; then nothing was changed.
        """
        needed = tuple(dict.fromkeys(wanted))
        async with self._changing:
            fresh: dict[Wanted, Native] = {}
            try:
                for each in needed:
                    if each not in self._made:
                        fresh[each] = await self._make(each)
            except BaseException:
                for native in fresh.values():
                    await self._end(native)
                raise
            self._made |= fresh
            self._users.update(needed)
            await self._leave(self._needed.get(number, ()))
            self._needed[number] = needed

    async def remove(self, number: int) -> None:
        """End what only this subscription needs; idempotent."""
        async with self._changing:
            await self._leave(self._needed.pop(number, ()))

    async def _leave(self, unneeded: tuple[Wanted, ...]) -> None:
        self._users.subtract(unneeded)
        for each in unneeded:
            if self._users[each] <= 0:
                del self._users[each]
                await self._end(self._made.pop(each))
