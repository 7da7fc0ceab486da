"""A pool of airs, so that many parts of one process share their connections."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass

from eventservices.steam.air import Air
from eventservices.steam.settings import AirSettings


@dataclass(slots=True)
class _Shared:
    air: Air
    users: int


class AirPool:
    """Opens an air for its first user and closes it after the last.

    Airs are distinguished by broker and name; settings of later users must be the first one's but
    for the client id.
    """

    def __init__(self) -> None:
        self._shared: dict[tuple[str, str], _Shared] = {}
        self._turn = asyncio.Lock()

    @asynccontextmanager
    async def share(
        self, settings: AirSettings, clock_us: Callable[[], int] | None = None
    ) -> AsyncIterator[Air]:
        """Lend the air that `settings` name, open.

        Raises:
            NotConnectedError: The broker does not answer in time.
            RefusedError: The broker does not accept this client.
        """
        key = (settings.url, settings.name)
        async with self._turn:
            shared = self._shared.get(key)
            if shared is None:
                air = Air(settings, clock_us)
                await air.open()
                shared = self._shared[key] = _Shared(air, 0)
            shared.users += 1
        try:
            yield shared.air
        finally:
            shared.users -= 1
            if shared.users == 0:
                del self._shared[key]
                await shared.air.close()
