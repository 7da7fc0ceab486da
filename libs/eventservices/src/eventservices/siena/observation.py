"""A stream of what is declared: those of now first, then each change, for as long as one reads."""

import asyncio
from collections.abc import AsyncIterator, Callable
from typing import Self

from eventservices.lifetime import Opening
from eventservices.siena.presence import Kind
from eventservices.siena.seen import Observer, Seen, withdrawal

_Key = tuple[str, Kind, str, object, object]


class Observation(Opening, AsyncIterator[Seen]):
    """What other clients declare, as `async for`; `Connection.observation` makes it.

    It loses nothing and grows with nothing but what is declared: where a reader is slow, what was
    declared and withdrawn since is left out, and what changed again is reported as it is now.

    Args:
        attach: Notifies an observer of all, and returns what ends that.
    """

    def __init__(self, attach: Callable[[Observer], Callable[[], None]]) -> None:
        self._attach = attach
        self._detach: Callable[[], None] | None = None
        self._present: dict[_Key, Seen] = {}
        self._told: dict[_Key, Seen] = {}
        self._changed: dict[_Key, None] = {}
        self._news = asyncio.Event()
        self._closed = False

    def __len__(self) -> int:
        """Return how many declarations may have changed since they were reported."""
        return len(self._changed)

    async def open(self) -> Self:
        """Begin; what is declared now is reported first."""
        if self._detach is None and not self._closed:
            self._detach = self._attach(self._note)
        return self

    async def close(self) -> None:
        """End; a reader that waits is notified that there is no more."""
        self._closed = True
        self._news.set()
        detach, self._detach = self._detach, None
        if detach is not None:
            detach()

    async def __anext__(self) -> Seen:
        """Return what was declared or withdrawn next."""
        while not self._closed:
            seen = self._next()
            if seen is not None:
                return seen
            self._news.clear()
            await self._news.wait()
        raise StopAsyncIteration

    def _note(self, seen: Seen) -> None:
        key = (seen.connection, seen.kind, seen.party, seen.filter, seen.pattern)
        if not seen.withdrawn:
            self._present[key] = seen
        else:
            self._present.pop(key, None)
        if key in self._present or key in self._told:
            self._changed[key] = None
            self._news.set()
        else:
            self._changed.pop(key, None)

    def _next(self) -> Seen | None:
        while self._changed:
            key = next(iter(self._changed))
            told, now = self._told.pop(key, None), self._present.get(key)
            if told is not None and told != now:
                return withdrawal(told)  # and what there is instead comes next
            del self._changed[key]
            if now is not None:
                self._told[key] = now
            if told is None and now is not None:
                return now
        return None
