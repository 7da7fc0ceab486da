"""The city's clients on SIENA: a native one that receives, an FES-aware one for requests."""

import asyncio
import logging
import time
from collections.abc import Callable
from contextlib import AsyncExitStack
from dataclasses import asdict
from typing import Final, Self

from eventservices.errors import EventServiceError
from eventservices.natslink import LinkOptions
from eventservices.siena import Callback, Connection, Options, where
from fes.adapter.opaque_client import OpaqueClient
from fes.errors import FesError, UnavailableError

from traffic_control.city import KIND, City
from traffic_control.errors import AwayError, InputError
from traffic_control.limit import SUBJECT

log = logging.getLogger(__name__)

CLIENT: Final = "traffic-control"
"""Requester of the limits; the same over restarts."""

PROBE_S: Final = 2.0
STALE_S: Final = 10.0
"""Age from which the last round trip proves nothing any more."""

OPEN_S: Final = 3.0
"""Longest time for one attempt to connect."""

FIRST_RETRY_S, MOST_RETRY_S = 0.2, 5.0


class Siena:
    """Connects to the city's SIENA service; use as `async with`.

    Args:
        city: Where the service is.
        hear: Called with every Speed event.
        clock_s: Monotonic seconds.

    """

    def __init__(
        self, city: City, hear: Callback, clock_s: Callable[[], float] = time.monotonic
    ) -> None:
        self._city = city
        self._hear = hear
        self._clock_s = clock_s
        self._stack = AsyncExitStack()
        self._connection: Connection | None = None
        self._asker: OpaqueClient | None = None
        self._proved_s: float | None = None
        self._reason = "not connected yet"

    @property
    def fault(self) -> str:
        """Why the service cannot be used; "" where a round trip was proved recently."""
        if self._proved_s is None:
            return self._reason
        age_s = self._clock_s() - self._proved_s
        return f"no round trip for {age_s:.0f} s: {self._reason}" if age_s > STALE_S else ""

    @property
    def counters(self) -> dict[str, int]:
        """Counters of the native connection."""
        return {} if self._connection is None else asdict(self._connection.counters)

    async def __aenter__(self) -> Self:
        """Do nothing yet: `connect` connects."""
        return self

    async def __aexit__(self, *_: object) -> None:
        """Disconnect; idempotent."""
        await self._stack.aclose()

    async def subscribe(self, dist_list: str, filter_: str, lease_s: float = 0.0) -> str:
        """Make or renew an opaque subscription; see `OpaqueClient.subscribe`.

        Raises:
            UnavailableError: The service is away, or not connected yet.
        """
        return await self._opaque().subscribe(dist_list, filter_, lease_s)

    async def unsubscribe(self, dist_list: str, filter_: str) -> str:
        """Withdraw an opaque subscription; see `OpaqueClient.unsubscribe`.

        Raises:
            UnavailableError: The service is away, or not connected yet.
        """
        return await self._opaque().unsubscribe(dist_list, filter_)

    async def connect(self) -> None:
        """Try to connect until it succeeds.

        Raises:
            InputError: The service's settings are not valid; a retry does not help.
        """
        pause_s = FIRST_RETRY_S
        while True:
            try:
                await self._connect_once()
            except AwayError as error:
                self._reason = str(error)
                log.warning("siena_away", extra={"error": self._reason})
                await asyncio.sleep(pause_s)
                pause_s = min(MOST_RETRY_S, pause_s * 2)
            else:
                return

    async def watch(self) -> None:
        """Prove a round trip every few seconds, until cancelled."""
        while True:
            await self.prove()
            await asyncio.sleep(PROBE_S)

    async def prove(self) -> None:
        """Make a round trip, and note whether it came back."""
        if self._connection is None:
            return
        try:
            await self._connection.probe(shared=True)
        except EventServiceError as error:
            self._reason = str(error)
            return
        if self._connection.settled:
            self._proved_s = self._clock_s()
        else:
            self._reason = "subscriptions are not active at every server yet"

    async def _connect_once(self) -> None:
        city = self._city
        async with AsyncExitStack() as stack:
            try:
                connection = await stack.enter_async_context(_native(city))
                client = connection.client(f"{CLIENT}.offenders", role=CLIENT)
                await client.subscribe(where(("FES_Subject", "=", SUBJECT)), self._hear)
                asker = await stack.enter_async_context(self._client())
            except (EventServiceError, FesError) as error:
                raise _as_ours(error) from error
            self._stack = stack.pop_all()
        self._connection, self._asker = connection, asker
        await self.prove()

    def _opaque(self) -> OpaqueClient:
        if self._asker is None:
            raise UnavailableError(f"event service {self._city.service} is not connected yet")
        return self._asker

    def _client(self) -> OpaqueClient:
        city = self._city
        return OpaqueClient(
            KIND,
            city.service,
            system=city.system,
            client=CLIENT,
            brokers=city.brokers,
            settings=city.settings,
        )


def _native(city: City) -> Connection:
    options = Options(link=LinkOptions(name=CLIENT, open_timeout_s=OPEN_S))
    index = city.settings.get("index")
    return Connection(city.brokers, city.service, index=index, options=options)


def _as_ours(error: EventServiceError | FesError) -> AwayError | InputError:
    return AwayError(str(error)) if error.retryable else InputError(str(error))
