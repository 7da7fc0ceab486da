"""What an adapter holds natively: subscriptions and advertisements, shared by counting."""

import asyncio
from collections import Counter
from collections.abc import Iterable
from contextlib import suppress

from eventservices.errors import EventServiceError, NotConnectedError
from eventservices.siena import Callback, Client, Filter, Subscription


class Subscriptions:
    """Native subscriptions of one client, each made once however many want it.

    The client calls one callback once for a notification, however many of them match it.

    Args:
        client: Makes them.
        callback: Takes what they deliver.
    """

    def __init__(self, client: Client, callback: Callback) -> None:
        self._client = client
        self._callback = callback
        self._wanted: Counter[Filter] = Counter()
        self._made: dict[Filter, Subscription] = {}
        self._lock = asyncio.Lock()

    def __len__(self) -> int:
        """Return how many native subscriptions there are."""
        return len(self._made)

    async def hold(self, filters: Iterable[Filter]) -> None:
        """Want filters once more; all of them, or none where one cannot be made.

        Raises:
            EventServiceError: As the native client.
        """
        held: list[Filter] = []
        async with self._lock:
            try:
                for each in filters:
                    if each not in self._made:
                        self._made[each] = await self._client.subscribe(each, self._callback)
                    self._wanted[each] += 1
                    held.append(each)
            except BaseException:
                with suppress(EventServiceError):  # the error that made us undo it says enough
                    await self._release(held)
                raise

    async def release(self, filters: Iterable[Filter]) -> None:
        """Want filters once less; what nobody wants ends."""
        async with self._lock:
            await self._release(filters)

    async def _release(self, filters: Iterable[Filter]) -> None:
        for each in filters:
            self._wanted[each] -= 1
            if self._wanted[each] > 0:
                continue
            del self._wanted[each]
            with suppress(NotConnectedError):  # it has ended here; the others learn it later
                await self._client.cancel(self._made.pop(each))


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
        """Want an advertisement once less; what nobody wants is withdrawn."""
        async with self._lock:
            self._wanted[what] -= 1
            if self._wanted[what] > 0:
                return
            del self._wanted[what]
            with suppress(NotConnectedError):  # it has ended here; the others learn it later
                for ended in await self._client.unadvertise(what):
                    if ended in self._wanted:  # SIENA withdraws all that one covers
                        await self._client.advertise(ended)
