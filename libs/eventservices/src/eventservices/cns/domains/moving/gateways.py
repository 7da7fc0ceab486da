"""Connections to members that are other event services: each is a subscription at a gateway.

Source:
    MEDIator binds the Java Message Service by a bridge; here the federation is the bridge.
"""

import asyncio
import logging
from typing import Final, Protocol

import msgspec

from eventservices.backoff import Backoff
from eventservices.cns.domains.errors import ClientTypeError
from eventservices.cns.domains.moving.handles import RETRY_S
from eventservices.cns.domains.records import AnyConnection, ConnectionID
from eventservices.cns.domains.state import DomainState
from eventservices.ending import ended
from eventservices.errors import NotConnectedError
from eventservices.lasting import lasting

log = logging.getLogger(__name__)

MOST_ENDING: Final = 10_000
"""Most subscriptions that are still to be ended; the oldest is left to its gateway."""

EVERYTHING: Final = "subject LIKE '%'"
"""A filter that every event passes."""


class Subscription(msgspec.Struct, frozen=True):
    """A subscription at a gateway.

    Attributes:
        gateway: Address of the gateway.
        source: The event service whose clients are to receive.
        dist_list: The event service that supplies.
        requester: Names the connection.
    """

    gateway: str
    source: str
    dist_list: str
    requester: str


class Subscribing(Protocol):
    """Makes subscriptions at gateways."""

    async def subscribe(self, subscription: Subscription) -> None:
        """Make a subscription; idempotent.

        Raises:
            NotConnectedError: The gateway does not answer, or refuses.
        """

    async def unsubscribe(self, subscription: Subscription) -> None:
        """End a subscription; idempotent, errors as of the other."""


class GatewayConnections:
    """The connections of a domain that gateways make.

    Args:
        name: Names the domain among the requesters of a federation.
        state: The domain's state.
        subscribing: Makes subscriptions; None where no gateway can be reached.

    Attributes:
        left: Subscriptions left to their gateways, since too many were still to be ended.
    """

    def __init__(self, name: str, state: DomainState, subscribing: Subscribing | None) -> None:
        self._name = name
        self._state = state
        self._subscribing = subscribing
        self._made: dict[ConnectionID, Subscription] = {}
        self._ending: dict[ConnectionID, Subscription] = {}
        self._retrying: asyncio.Task[None] | None = None
        self.left = 0

    async def connect(self, connection_id: ConnectionID, record: AnyConnection) -> None:
        """Make the subscription of a connection.

        Raises:
            ClientTypeError: An end is not an event service of the federation.
            NotConnectedError: The gateway does not answer, or refuses.
        """
        subscription = self._subscription(connection_id, record)
        if self._subscribing is None:
            raise ClientTypeError("no gateway can be reached from here")
        await self._subscribing.subscribe(subscription)
        self._made[connection_id] = subscription

    def restore(self, connection_id: ConnectionID, record: AnyConnection) -> None:
        """Record a connection whose subscription the gateway kept over a restart."""
        self._made[connection_id] = self._subscription(connection_id, record)

    async def disconnect(self, connection_id: ConnectionID) -> None:
        """End the subscription of a connection, where it has one.

        Where its gateway is away it is ended later: the connection was removed all the same.
        """
        subscription = self._made.pop(connection_id, None)
        if subscription is None or self._subscribing is None:
            return
        try:
            await self._subscribing.unsubscribe(subscription)
        except NotConnectedError as error:
            told = {"requester": subscription.requester, "reason": str(error)}
            log.warning("subscription_not_ended", extra=told)
            self._end_later(connection_id, subscription, self._subscribing)

    async def close(self) -> None:
        """Try no more to end subscriptions; idempotent."""
        await ended(self._retrying)

    def _end_later(
        self, connection_id: ConnectionID, subscription: Subscription, subscribing: Subscribing
    ) -> None:
        if len(self._ending) >= MOST_ENDING:
            left = self._ending.pop(next(iter(self._ending)))
            self.left += 1
            log.warning("subscription_left", extra={"requester": left.requester})
        self._ending[connection_id] = subscription
        if self._retrying is None or self._retrying.done():
            retrying = lasting(lambda: self._retry(subscribing))
            self._retrying = asyncio.create_task(retrying, name=f"{self._name}-unsubscribe")

    async def _retry(self, subscribing: Subscribing) -> None:
        backoff = Backoff(*RETRY_S)
        while self._ending:
            await asyncio.sleep(backoff.pause_s())
            for connection_id, subscription in tuple(self._ending.items()):
                try:
                    await subscribing.unsubscribe(subscription)
                except NotConnectedError:
                    continue
                self._ending.pop(connection_id, None)

    def _subscription(self, connection_id: ConnectionID, record: AnyConnection) -> Subscription:
        places = [
            self._state.member(each).place for each in (record.supplier_id, record.consumer_id)
        ]
        supplier, consumer = places
        for place in places:
            if not place.service:
                raise ClientTypeError(
                    f"{place.channel!r} is not an event service of the federation"
                )
        gateway = consumer.gateway or supplier.gateway
        requester = f"{self._name}-{connection_id}"
        return Subscription(gateway, consumer.service, supplier.service, requester)
