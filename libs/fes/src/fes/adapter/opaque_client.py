"""Opaque requests: an FES-aware client makes requests over its own event service.

It reuses the adapter of that event service, which encodes control events in the service's form.

Source:
    FES thesis, section 5.3.5; design, section 4.
"""

import asyncio
import contextlib
import logging
from collections.abc import AsyncIterator, Mapping
from typing import Any, Final, Self

from eventservices.ending import beside
from eventservices.stamp import Stamp as NativeStamp
from eventservices.stamp import Stamper

from fes.adapter.context import AdapterContext
from fes.adapter.inbound.acknowledgements import Answer
from fes.adapter.observed import Observed
from fes.adapter.pool import ConnectionPool
from fes.adapter.registry import adapter_class
from fes.adapter.stamps import from_native
from fes.control import ControlEvent, RequestType, to_event
from fes.errors import UnavailableError
from fes.federation.clock import FederationClock
from fes.mapping import Mapping as EventMapping
from fes.mapping import Native
from fes.model import Event

LEASE_S: Final = 60.0
"""How long a subscription lasts without renewal."""

RENEWALS: Final = 3
"""Renewals in one lease: two may be lost."""

_log = logging.getLogger(__name__)


class OpaqueClient:
    """Makes requests for one client of an event service.

    Args:
        kind: Kind of the event service, as in the federation file.
        service: Event service identifier: the Source of the requests.
        system: System identifier.
        client: Identifies the client; unique in the event service, and the same over restarts.
        brokers: Addresses of the event service's brokers.
        settings: The event service's settings.
        medium: Name of the medium of which the service is an access point; "" where it is not one.
        pool: Connections to share; one of its own where None.
    """

    def __init__(
        self,
        kind: str,
        service: str,
        *,
        system: str,
        client: str,
        brokers: tuple[str, ...],
        settings: Mapping[str, Any],
        medium: str = "",
        pool: ConnectionPool | None = None,
    ) -> None:
        self.service = service
        self.system = system
        self.client = client
        self._stamper = Stamper(client, service)
        self._adapter = adapter_class(kind)(
            AdapterContext(
                id=client,
                service=service,
                system=system,
                settings=settings,
                brokers=brokers,
                medium=medium,
                mapping=EventMapping(()),
                hears_control=False,
                pool=pool or ConnectionPool(),
                clock=FederationClock(),
            )
        )

    async def __aenter__(self) -> Self:
        """Connect.

        Raises:
            UnavailableError: The event service is away.
        """
        await self._adapter.connect(_Deaf())
        return self

    async def __aexit__(self, *_: object) -> None:
        """Disconnect."""
        await self._adapter.disconnect()

    async def subscribe(self, dist_list: str, filter_: str, lease_s: float = 0.0) -> str:
        """Make or renew a subscription.

        Args:
            dist_list: Where it shall be applied.
            filter_: In the filter language.
            lease_s: How long it lasts without renewal, seconds; 0 is for ever.

        Returns:
            The request id.
        """
        return await self._ask(RequestType.SUBSCRIPTION, dist_list, filter_, lease_s=lease_s)

    async def unsubscribe(self, dist_list: str, filter_: str) -> str:
        """Withdraw a subscription; return the request id."""
        return await self._ask(RequestType.UNSUBSCRIPTION, dist_list, filter_)

    @contextlib.asynccontextmanager
    async def holding(
        self, dist_list: str, filter_: str, lease_s: float = LEASE_S
    ) -> AsyncIterator[str]:
        """Subscribe for as long as a block runs.

        The subscription is a lease that is renewed three times in its life, so that it ends by
        itself where the client dies; it is withdrawn at the end of the block. While the event
        service is away it is not renewed; the next renewal makes it again.

        Args:
            dist_list: Where it shall be applied.
            filter_: In the filter language.
            lease_s: How long it lasts without renewal, seconds, more than 0.

        Yields:
            The id of the first request.
        """
        request = await self.subscribe(dist_list, filter_, lease_s)
        try:
            async with beside(self._renew(dist_list, filter_, lease_s), "renewing"):
                yield request
        finally:
            await self.unsubscribe(dist_list, filter_)

    async def announce(self, dist_list: str, event: Event) -> str:
        """Announce an event; return the request id."""
        return await self._ask(RequestType.ANNOUNCEMENT, dist_list, event=event)

    async def unannounce(self, dist_list: str, event: Event) -> str:
        """Withdraw an announcement; return the request id."""
        return await self._ask(RequestType.UNANNOUNCEMENT, dist_list, event=event)

    async def _renew(self, dist_list: str, filter_: str, lease_s: float) -> None:
        while True:
            await asyncio.sleep(lease_s / RENEWALS)
            try:
                await self.subscribe(dist_list, filter_, lease_s)
            except UnavailableError as error:
                _log.warning("not_renewed", extra={"client": self.client, "reason": str(error)})

    async def _ask(
        self,
        kind: RequestType,
        dist_list: str,
        filter_: str = "",
        *,
        event: Event | None = None,
        lease_s: float = 0.0,
    ) -> str:
        native = self._stamper.next()
        stamp, _ = from_native(native)
        control = ControlEvent(
            stamp=stamp,
            system=self.system,
            type=kind,
            source=self.service,
            dist_list=dist_list,
            filter=filter_,
            event=event,
            requester=self.client,
            version=stamp.time_us,
            expires_us=stamp.time_us + round(lease_s * 1e6) if lease_s else 0,
        )
        await self._adapter.publish_control(to_event(control), native)
        return control.id


class _Deaf:
    """Discards what the adapter receives: a client that only makes requests does not need it."""

    def heard(
        self, native: Native, stamp: NativeStamp | None, answer: Answer | None = None
    ) -> None:
        """Discard a native event."""

    def heard_control(self, event: Event, stamp: NativeStamp | None) -> None:
        """Discard a control event."""

    def observed(self, seen: Observed) -> None:
        """Discard what native clients declare."""

    def set_aside(self, reason: str, raw: bytes) -> None:
        """Discard what could not be read."""
