"""Open channels of domains, and the connections to their brokers."""

import asyncio
import logging
from collections.abc import Awaitable, Callable
from typing import Final
from weakref import WeakValueDictionary

from eventservices.backoff import Backoff
from eventservices.cns.channel import EventChannel
from eventservices.cns.connection import Connection
from eventservices.cns.domains.errors import ClientTypeError
from eventservices.cns.domains.records import ChannelPlace
from eventservices.cns.options import ChannelOptions
from eventservices.cns.qos.properties import QoS
from eventservices.ending import ended
from eventservices.errors import EventServiceError
from eventservices.natslink import LinkOptions

log = logging.getLogger(__name__)

CLIENT: Final = "event-domain"
"""Client name of a domain at a channel; what it announces there is what others announced."""

RETRY_S: Final = (0.2, 5.0, 30.0)
"""Shortest and longest pause between attempts to reach a broker, and when one counts as lasting."""


class Brokers:
    """One connection to each broker, shared by all domains.

    Args:
        link: How connections behave.
        home_of: Returns the name of the event service in stamps made at a channel, where an event
            came without; the channel's name by default.
    """

    def __init__(
        self,
        link: LinkOptions | None = None,
        home_of: Callable[[ChannelPlace], str] = lambda place: place.channel,
    ) -> None:
        self._link = link
        self._home_of = home_of
        self._connections: dict[str, Connection] = {}
        # A lock is there while somebody opens: addresses that lead nowhere leave nothing.
        self._opening: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()

    def connected(self, broker: str) -> bool:
        """Return whether the connection to a broker is there."""
        connection = self._connections.get(broker)
        return connection is not None and connection.connected

    async def open(self, place: ChannelPlace) -> EventChannel:
        """Open a channel.

        Raises:
            ClientTypeError: The place is not a channel of the CNS.
            InvalidChannelNameError: The name cannot be used.
            MalformedError: The broker's address is not valid.
            NotConnectedError: The broker did not answer in time.
            RefusedError: It refused the credentials.
        """
        if place.gateway:
            raise ClientTypeError(f"{place.service!r} is not a channel of the CNS")
        connection = await self._connection(place.broker)
        stored = connection.link.jetstream
        qos = {str(QoS.CONNECTION_RELIABILITY): 1} if stored else {}
        options = ChannelOptions(client=CLIENT, home=self._home_of(place))
        return await connection.open_channel(place.channel, options, qos=qos)

    async def close(self) -> None:
        """Close all connections, and the channels that are open over them."""
        connections, self._connections = tuple(self._connections.values()), {}
        for connection in connections:
            await connection.close()

    async def _connection(self, broker: str) -> Connection:
        lock = self._opening.setdefault(broker, asyncio.Lock())
        async with lock:
            if broker not in self._connections:
                made = Connection(broker, name=CLIENT, link=self._link)
                try:
                    await made.open()
                except BaseException:
                    await made.close()
                    raise
                self._connections[broker] = made
            return self._connections[broker]


class Handle:
    """A member's channel: open, or about to be.

    Args:
        place: Where the channel is.
        brokers: Opens it.
        on_open: Called each time it was opened.

    Attributes:
        place: Where the channel is.
        reason: Why it is not open; empty where it is, or was not tried.
    """

    def __init__(
        self,
        place: ChannelPlace,
        brokers: Brokers,
        on_open: Callable[[EventChannel], Awaitable[None]],
    ) -> None:
        self.place = place
        self.reason = ""
        self._brokers = brokers
        self._on_open = on_open
        self._channel: EventChannel | None = None
        self._there = asyncio.Event()
        self._retrying: asyncio.Task[None] | None = None

    @property
    def connected(self) -> bool:
        """Whether the channel is open and its broker there."""
        return self._channel is not None and self._brokers.connected(self.place.broker)

    @property
    def channel(self) -> EventChannel | None:
        """The channel; None while it is not open."""
        return self._channel

    async def open(self) -> EventChannel:
        """Open the channel; errors as of `Brokers.open`."""
        self._channel = await self._brokers.open(self.place)
        await self._on_open(self._channel)
        self.reason = ""
        self._there.set()
        return self._channel

    def open_later(self) -> None:
        """Open the channel as soon as its broker is there."""
        name = f"event-domain-open-{self.place.channel}"
        self._retrying = asyncio.create_task(self._retry(), name=name)

    async def wait(self) -> EventChannel:
        """Return the channel as soon as it is open."""
        while self._channel is None:
            await self._there.wait()
        return self._channel

    async def confirmed(self) -> bool:
        """Return whether the broker confirms that it has all that was published."""
        try:
            if self._channel is not None:
                await self._channel.my_factory.link.flush()
        except EventServiceError:
            return False
        return self._channel is not None

    async def close(self) -> None:
        """Close the channel here; it stays open for others."""
        await ended(self._retrying)
        if self._channel is not None:
            await self._channel.close()

    async def _retry(self) -> None:
        backoff = Backoff(*RETRY_S)
        while self._channel is None:
            await asyncio.sleep(backoff.pause_s())
            try:
                await self.open()
            except EventServiceError as error:
                if not self.reason:
                    details = {"channel": self.place.channel, "reason": str(error)}
                    log.warning("channel_not_opened", extra=details)
                self.reason = str(error)
