"""The native advertisements of an adapter, shared by counting their users."""

import asyncio
from collections import Counter
from contextlib import suppress

from eventservices.errors import NotConnectedError
from eventservices.siena import Client, Filter


class Advertisements:
    """Native advertisements of one client, each made once for all its users.

    Args:
        client: Advertises natively.
    """

    def __init__(self, client: Client) -> None:
        self._client = client
        self._wanted: Counter[Filter] = Counter()
        self._lock = asyncio.Lock()

    async def hold(self, what: Filter) -> None:
        """Add a user of an advertisement; the first makes it.

        Raises:
            EventServiceError: As for the native client.
        """
        async with self._lock:
            if what not in self._wanted:
                with suppress(NotConnectedError):  # active here; others are notified later
                    await self._client.advertise(what)
            self._wanted[what] += 1

    async def release(self, what: Filter) -> None:
        """Remove a user of an advertisement; the last one withdraws it."""
        async with self._lock:
            self._wanted[what] -= 1
            if self._wanted[what] > 0:
                return
            del self._wanted[what]
            with suppress(NotConnectedError):  # it has ended here; other clients are notified later
                for ended in await self._client.unadvertise(what):
                    if ended in self._wanted:  # SIENA withdraws all that one covers
                        await self._client.advertise(ended)
