"""The advertisements that an adapter holds natively, shared by counting."""

import asyncio
from collections import Counter
from contextlib import suppress

from eventservices.errors import NotConnectedError
from eventservices.siena import Client, Filter


class Advertisements:
    """Native advertisements of one client, each made once however many want it.

    Args:
        client: Makes them.
    """

    def __init__(self, client: Client) -> None:
        self._client = client
        self._wanted: Counter[Filter] = Counter()
        self._lock = asyncio.Lock()

    async def hold(self, what: Filter) -> None:
        """Want an advertisement once more.

        Raises:
            EventServiceError: As the native client.
        """
        async with self._lock:
            if what not in self._wanted:
                with suppress(NotConnectedError):  # it holds here; the others learn it later
                    await self._client.advertise(what)
            self._wanted[what] += 1

    async def release(self, what: Filter) -> None:
        """Want an advertisement once less; what nobody requests is withdrawn."""
        async with self._lock:
            self._wanted[what] -= 1
            if self._wanted[what] > 0:
                return
            del self._wanted[what]
            with suppress(NotConnectedError):  # it has ended here; the others learn it later
                for ended in await self._client.unadvertise(what):
                    if ended in self._wanted:  # SIENA withdraws all that one covers
                        await self._client.advertise(ended)
