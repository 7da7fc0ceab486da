"""A pool of connections that several adapters of one process share."""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any

from fes.recent import Latest


@dataclass(slots=True)
class _Shared:
    connection: Any
    close: Callable[[Any], Awaitable[None]]
    users: int = 0


class ConnectionPool:
    """Opens a connection once for all that acquire one key, and closes it after the last release.

    A process that hosts many adapters of one broker has one connection instead of many.
    """

    def __init__(self) -> None:
        self._shared: dict[object, _Shared] = {}
        self._locks: dict[object, asyncio.Lock] = {}
        self._latest: dict[object, Latest[Any]] = {}

    def latest(self, key: object) -> Latest[Any]:
        """Return the cache of the last decoded message that all share under one key.

        What one connection receives is passed to every adapter on it, one after the other; so the
        first of them decodes it for all.
        """
        return self._latest.setdefault(key, Latest())

    @property
    def open(self) -> int:
        """Connections that are open."""
        return len(self._shared)

    async def acquire(
        self,
        key: object,
        open_: Callable[[], Awaitable[Any]],
        close: Callable[[Any], Awaitable[None]],
    ) -> Any:
        """Return the connection of `key`, which the first call opens.

        Args:
            key: Identifies the connection, e.g. kind and addresses.
            open_: Opens it.
            close: Closes it.
        """
        async with self._lock(key):
            shared = self._shared.get(key)
            if shared is None:
                shared = _Shared(await open_(), close)
                self._shared[key] = shared
            shared.users += 1
            return shared.connection

    async def release(self, key: object) -> None:
        """Release a connection; the last release closes it."""
        async with self._lock(key):
            shared = self._shared.get(key)
            if shared is None:
                return
            shared.users -= 1
            if shared.users == 0:
                del self._shared[key]
                await shared.close(shared.connection)

    def _lock(self, key: object) -> asyncio.Lock:
        return self._locks.setdefault(key, asyncio.Lock())
