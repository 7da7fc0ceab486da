"""A connection to a broker, shared by any number of channels."""

import asyncio
import logging
import secrets
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Self

from eventservices.cns.background import Background
from eventservices.cns.changes import Member
from eventservices.cns.channel import EventChannel
from eventservices.cns.core import Core
from eventservices.cns.dispatch import Dispatcher
from eventservices.cns.errors import ChannelNotFoundError
from eventservices.cns.membership import Address, Membership
from eventservices.cns.notices import member_of, state_of
from eventservices.cns.options import ChannelOptions
from eventservices.cns.persistent.keeper import Keeper
from eventservices.cns.persistent.publisher import Publisher
from eventservices.cns.persistent.store import Storage, Store
from eventservices.cns.qos.admin_holder import AdminProperties
from eventservices.cns.subjects import (
    CHANGE_PREFIX,
    EVENT_PREFIX,
    INBOX_PREFIX,
    KEEP_PREFIX,
    channel_token,
)
from eventservices.ending import ended
from eventservices.errors import EventServiceError
from eventservices.lasting import lasting
from eventservices.lifetime import Opening
from eventservices.natslink import LinkOptions, NatsLink

log = logging.getLogger(__name__)

BEAT_S = 5.0
"""Time between two signs of life of a member, seconds."""


class Connection(Opening):
    """Connects to the broker of one event service, and opens its channels.

    It has the role of OMG's `EventChannelFactory`; hundreds of channels share one connection.

    Args:
        urls: Address of the NATS server, or of several equal ones.
        name: Of the client, as the broker and the members of channels see it.
        link: How the connection behaves.
        beat_s: Time between two signs of life, seconds; who misses three counts as gone.
        clock_us: Producer's time for stamps, microseconds since 1970 UTC; by default the wall
            clock.
    """

    def __init__(
        self,
        urls: str | Sequence[str],
        *,
        name: str = "cns-client",
        link: LinkOptions | None = None,
        beat_s: float = BEAT_S,
        clock_us: Callable[[], int] | None = None,
    ) -> None:
        addresses = [urls] if isinstance(urls, str) else list(urls)
        self.name = name
        options = replace(link or LinkOptions(), name=name)
        self.link = NatsLink(addresses, options)
        keeper = Keeper(addresses, options)
        self._storage = Storage(keeper, Publisher(keeper))
        self._beat_s = beat_s
        self._clock_us = clock_us
        self._channels: dict[EventChannel, Membership] = {}
        self._next_id = 0
        self._background = Background()
        self._found_again = asyncio.Event()
        self._keeper: asyncio.Task[None] | None = None
        self._closed = False

    @property
    def channels(self) -> tuple[EventChannel, ...]:
        """The channels that are open here."""
        return tuple(self._channels)

    @property
    def connected(self) -> bool:
        """Whether the broker seems to be there; `probe` proves it."""
        return self.link.connected

    async def open(self) -> Self:
        """Connect.

        Raises:
            NotConnectedError: The broker did not answer in time.
            RefusedError: It refused the credentials.
        """
        self.link.on_connected.append(self._found_again.set)
        await self.link.open()
        self._keeper = asyncio.create_task(lasting(self._keep), name=f"cns-keeper-{self.name}")
        return self

    async def close(self) -> None:
        """Close all channels and disconnect; harmless when repeated, and while others wait."""
        if self._closed:
            return
        self._closed = True
        await ended(self._keeper)
        try:
            for channel in self.channels:
                await channel.close()
        finally:
            await self._background.close()
            await self._storage.publisher.close()
            await self._storage.keeper.close()
            await self.link.close()

    async def open_channel(
        self,
        name: str,
        options: ChannelOptions | None = None,
        *,
        qos: Mapping[str, object] | None = None,
        admin: Mapping[str, object] | None = None,
    ) -> EventChannel:
        """Open a channel; it comes into being with its first client.

        Args:
            name: Any text; it is percent-encoded for the broker.
            options: See `ChannelOptions`.
            qos: Properties of quality of service; see `EventChannel.set_qos`.
            admin: Administrative properties; see `EventChannel.set_admin`.

        Raises:
            InvalidChannelNameError: The name cannot be used.
            MalformedError: The client's name or `beat_s` is out of range.
            NotConnectedError: The broker did not confirm in time.
            UnsupportedQoSError: Some of `qos` cannot be had.
            UnsupportedAdminError: Some of `admin` cannot be had.
        """
        core = self._make_core(name, options or ChannelOptions())
        core.admin.set(admin or {})
        self._next_id += 1
        channel = EventChannel(core, self, self._next_id, self._forget, qos or {})
        self._channels[channel] = core.membership
        try:
            await core.membership.join()
            await self.link.flush()
        except BaseException:
            await channel.close()
            raise
        return channel

    async def create_channel(
        self, initial_qos: Mapping[str, object], initial_admin: Mapping[str, object]
    ) -> tuple[EventChannel, int]:
        """Open a channel under a name that nobody has; its `name` lets others open it.

        Returns:
            The channel, and its id here.

        Raises:
            UnsupportedQoSError: Some of `initial_qos` cannot be had.
            UnsupportedAdminError: Some of `initial_admin` cannot be had.
            NotConnectedError: The broker did not confirm in time.
        """
        name = f"channel-{secrets.token_hex(8)}"
        channel = await self.open_channel(name, qos=initial_qos, admin=initial_admin)
        return channel, channel.my_id

    def get_all_channels(self) -> tuple[int, ...]:
        """Return the ids of the channels that are open here."""
        return tuple(channel.my_id for channel in self._channels)

    def get_event_channel(self, channel_id: int) -> EventChannel:
        """Return a channel that is open here.

        Raises:
            ChannelNotFoundError: There is none of that id.
        """
        for channel in self._channels:
            if channel.my_id == channel_id:
                return channel
        raise ChannelNotFoundError(f"there is no channel {channel_id}")

    async def probe(self, *, shared: bool = False) -> float:
        """Prove that messages to oneself are received.

        Returns:
            The round trip in seconds.

        Raises:
            NotConnectedError: None was received in time; the connection is then rebuilt.
            RefusedError: The server refuses a subscription.
        """
        return await self.link.probe(shared=shared)

    def _make_core(self, name: str, options: ChannelOptions) -> Core:
        token = channel_token(name)
        unique = secrets.token_hex(8)
        member = Member(unique, options.client or self.name, beat_s=self._beat_s)
        member_of(state_of(member))  # else the others would not accept its state
        address = Address(CHANGE_PREFIX + token, INBOX_PREFIX + unique)
        subject = EVENT_PREFIX + token
        dispatcher = Dispatcher(self.link, subject, KEEP_PREFIX + token, options.set_aside)
        admin = AdminProperties()
        return Core(
            name=name,
            home=options.home or name,
            subject=subject,
            link=self.link,
            membership=Membership(self.link, self._background, address, member, time.monotonic),
            dispatcher=dispatcher,
            store=Store(self._storage, self.link, token, options, admin, dispatcher.read),
            background=self._background,
            options=options,
            clock_us=self._clock_us,
            admin=admin,
        )

    def _forget(self, channel: EventChannel) -> None:
        self._channels.pop(channel, None)

    async def _keep(self) -> None:
        while True:
            found = False
            try:
                async with asyncio.timeout(self._beat_s):
                    found = await self._found_again.wait()
            except TimeoutError:
                pass
            self._found_again.clear()
            for channel, membership in tuple(self._channels.items()):
                if found:
                    channel.connection_found_again()
                await _tend(membership, found_again=found)


async def _tend(membership: Membership, *, found_again: bool) -> None:
    try:
        await (membership.rejoin() if found_again else membership.beat())
    except EventServiceError:
        log.exception("membership_not_told")
