"""Keeps events until a consumer pulls them."""

import asyncio

from eventservices.cns.core import Core
from eventservices.cns.errors import DisconnectedError
from eventservices.cns.outlet import Outlet
from eventservices.cns.qos.terms import Terms
from eventservices.cns.queueing import Item


class PullOutlet(Outlet):
    """Returns events to a consumer that pulls, at once or when there are any.

    Args:
        core: The channel's inside.
        terms: The proxy's properties.
    """

    def __init__(self, core: Core, terms: Terms) -> None:
        super().__init__(core, terms)
        self._news = asyncio.Event()

    def take(self, count: int) -> list[Item]:
        """Return the events to deliver next, none where there are none.

        Args:
            count: Most events.
        """
        self._expire()
        items = self._queue.head(count, self._core.now_us())
        self._take_out(items)
        self.delivered += len(items)
        self._settle()
        return items

    def hold(self, count: int) -> list[Item]:
        """Return the same, but finished only when the consumer confirms it, or puts it back."""
        self._expire()
        items = self._queue.head(count, self._core.now_us())
        for item in items:
            self._queue.remove(item)
        self.delivered += len(items)
        self._settle()
        return items

    async def wait(self, count: int, *, held: bool = False) -> list[Item]:
        """Return the events to deliver next, as soon as there is one.

        Args:
            count: Most events.
            held: Whether they are finished later.

        Raises:
            DisconnectedError: The proxy was destroyed meanwhile.
        """
        while True:
            if self._closed:
                raise DisconnectedError("the proxy was destroyed while its consumer waited")
            items = self.hold(count) if held else self.take(count)
            if items:
                return items
            self._news.clear()
            await self._news.wait()

    def close(self) -> None:
        """Drop what waits, and let nobody wait any more."""
        super().close()
        self._news.set()

    def _work(self) -> None:
        if self.pending:
            self._news.set()

    def _next_us(self) -> int | None:
        return None
