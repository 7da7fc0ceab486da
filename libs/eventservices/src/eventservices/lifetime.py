"""What is opened and closed, and that `async with` opens and closes."""

from abc import ABC, abstractmethod
from types import TracebackType
from typing import Self


class Closing(ABC):
    """Is open when it is made; the end of `async with` closes it."""

    @abstractmethod
    async def close(self) -> None:
        """Close; harmless where that was done."""

    async def __aenter__(self) -> Self:
        """Return it, open."""
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Close."""
        await self.close()


class Opening(Closing):
    """Is opened by `open`, or by the beginning of `async with`."""

    @abstractmethod
    async def open(self) -> Self:
        """Open, and return it."""

    async def __aenter__(self) -> Self:
        """Open."""
        return await self.open()


class Leaving(ABC):
    """Is open when it is made, and leaves without having to wait for anybody."""

    @abstractmethod
    def close(self) -> None:
        """Leave; harmless where that was done."""

    async def __aenter__(self) -> Self:
        """Return it."""
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Leave."""
        self.close()
