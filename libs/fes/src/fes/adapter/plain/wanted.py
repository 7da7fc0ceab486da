"""What filters need of a broker: topics by subscription, made active together."""

from abc import ABC, abstractmethod
from collections.abc import Iterator


class Wanted(ABC):
    """Keeps the topics that each subscription needs; a subclass makes them active."""

    def __init__(self) -> None:
        self._wanted: dict[int, tuple[str, ...]] = {}

    async def want(self, number: int, patterns: tuple[str, ...]) -> None:
        """Subscribe to what a filter needs, and wait until the broker has it active.

        Raises:
            EventServiceError: As for the link; what was active stays.
        """
        before = self._wanted.get(number)
        self._wanted[number] = patterns
        try:
            await self._settle()
        except BaseException:
            self._wanted.pop(number, None)
            if before is not None:
                self._wanted[number] = before
            raise

    async def forget(self, number: int) -> None:
        """End what only one filter needs.

        Raises:
            EventServiceError: As for the link.
        """
        if self._wanted.pop(number, None) is not None:
            await self._settle()

    def _patterns(self) -> Iterator[str]:
        """Yield all topics, those of several subscriptions more than once."""
        for patterns in self._wanted.values():
            yield from patterns

    @abstractmethod
    async def _settle(self) -> None:
        """Make active what is needed now, and end what is not."""
