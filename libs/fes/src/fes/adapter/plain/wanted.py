"""What filters need of a broker, by subscription, made active together."""

import asyncio
from abc import ABC, abstractmethod
from collections.abc import Hashable, Mapping
from typing import Generic, TypeVar

NeedT = TypeVar("NeedT", bound=Hashable)


class Wanted(ABC, Generic[NeedT]):
    """Keeps what each subscription needs, e.g. its topics; a subclass makes it active.

    Changes are made one after another.
    """

    def __init__(self) -> None:
        self._wanted: Mapping[int, tuple[NeedT, ...]] = {}
        self._change = asyncio.Lock()

    async def want(self, number: int, needs: tuple[NeedT, ...]) -> None:
        """Subscribe to what a filter needs, and wait until the broker has it active.

        Raises:
            EventServiceError: As for the link; what was active stays.
        """
        async with self._change:
            await self._changed({**self._wanted, number: needs})

    async def forget(self, number: int) -> None:
        """End what only one filter needs; idempotent.

        Raises:
            EventServiceError: As for the link; another call ends what is left.
        """
        async with self._change:
            if number in self._wanted:
                rest = {each: needs for each, needs in self._wanted.items() if each != number}
                await self._changed(rest)

    async def _changed(self, wanted: Mapping[int, tuple[NeedT, ...]]) -> None:
        needed = dict.fromkeys(each for needs in wanted.values() for each in needs)
        await self._settle(tuple(needed))
        self._wanted = wanted

    @abstractmethod
    async def _settle(self, needed: tuple[NeedT, ...]) -> None:
        """Make active what is needed now, each once, and end what is not."""
