"""Typed event domains.

Source:
    OMG Management of Event Domains 1.0, module `CosTypedEventDomainAdmin`, with MEDIator's
    corrections: `get_typed_connection` is there, and the connect operations raise the exceptions of
    typed channels.
"""

from collections.abc import Iterable

from eventservices.cns.channel import EventChannel
from eventservices.cns.domains.core import place_of
from eventservices.cns.domains.domain import EventDomain
from eventservices.cns.domains.errors import (
    ClientTypeError,
    ConnectionNotFoundError,
    NoSuchImplementationError,
)
from eventservices.cns.domains.joining import or_destroy
from eventservices.cns.domains.records import (
    ChannelPlace,
    ChannelType,
    ConnectionID,
    MemberID,
    MemberRecord,
    NotificationStyle,
    TypedConnection,
)
from eventservices.cns.domains.typed.channel import TypedChannel
from eventservices.cns.domains.typed.clients import (
    TypedProxyPullConsumer,
    TypedProxyPullSupplier,
    TypedProxyPushConsumer,
    TypedProxyPushSupplier,
)


class TypedEventDomain(EventDomain):
    """A domain of typed and untyped channels; identifiers and graph are shared by both.

    Its operations raise, beside what those of `EventDomain` raise,

    * `NoSuchImplementationError`: no interface of that name is declared;
    * `InterfaceNotSupportedError`: a channel does not support the interface;
    * `ClientTypeError`: a channel is not typed.
    """

    async def add_typed_channel(
        self, channel: EventChannel | ChannelPlace, interfaces: Iterable[str]
    ) -> MemberID:
        """Add a channel that supports interfaces; errors as of `add_channel`."""
        supported = self._declared(interfaces)
        record = MemberRecord(place_of(channel), ChannelType.TYPED_CHANNEL, supported)
        return await self._add_member(record)

    def get_all_typed_channels(self) -> tuple[MemberID, ...]:
        """Return the identifiers of the typed channels, ascending."""
        members = self._state.members
        return tuple(each for each in self.get_all_channels() if members[each].kind.typed)

    def get_typed_channel(self, member_id: MemberID) -> TypedChannel:
        """Return a typed channel, as the domain has it open."""
        channel = self._channel(member_id)
        member = self._state.member(member_id)
        if not member.kind.typed:
            raise ClientTypeError(f"channel {member_id} is not typed")
        return TypedChannel(channel, member_id, member.interfaces, self._interfaces)

    async def add_typed_connection(self, connection: TypedConnection) -> ConnectionID:
        """Connect two typed channels by an interface; errors as of `add_connection`."""
        self._declared((connection.key,))
        if not isinstance(connection.notification_style, NotificationStyle):
            raise ClientTypeError(f"{connection.notification_style!r} is not a style")
        return await self._add_connection(connection)

    def get_all_typed_connections(self) -> tuple[ConnectionID, ...]:
        """Return the identifiers of the typed connections, ascending."""
        found = self._state.connections
        every = self.get_all_connections()
        return tuple(each for each in every if isinstance(found[each], TypedConnection))

    def get_typed_connection(self, connection_id: ConnectionID) -> TypedConnection:
        """Return a typed connection.

        Raises:
            ConnectionNotFoundError: There is none of that id, or it is untyped.
        """
        self.check_alive()
        found = self._state.connection(connection_id)
        if not isinstance(found, TypedConnection):
            raise ConnectionNotFoundError(f"connection {connection_id} is not typed")
        return found

    async def connect_typed_push_consumer(
        self, consumer: object, key: str, *, repetitions: bool = False
    ) -> TypedProxyPushSupplier:
        """Connect a consumer whose operations are called, at the default channel."""
        member_id = self._default_consumer()
        return await self.connect_typed_push_consumer_with_id(
            consumer, key, member_id, repetitions=repetitions
        )

    async def connect_typed_push_consumer_with_id(
        self, consumer: object, key: str, member_id: MemberID, *, repetitions: bool = False
    ) -> TypedProxyPushSupplier:
        """Connect a consumer whose operations are called, at a channel."""
        proxy = self.get_typed_channel(member_id).obtain_typed_push_supplier(key)
        await or_destroy(
            proxy.proxy, proxy.connect_typed_push_consumer(consumer, repetitions=repetitions)
        )
        return proxy

    async def connect_typed_pull_consumer(
        self, consumer: object, key: str, *, repetitions: bool = False
    ) -> TypedProxyPullSupplier:
        """Connect a consumer that pulls calls, at the default channel."""
        member_id = self._default_consumer()
        return await self.connect_typed_pull_consumer_with_id(
            consumer, key, member_id, repetitions=repetitions
        )

    async def connect_typed_pull_consumer_with_id(
        self, consumer: object, key: str, member_id: MemberID, *, repetitions: bool = False
    ) -> TypedProxyPullSupplier:
        """Connect a consumer that pulls calls, at a channel."""
        proxy = self.get_typed_channel(member_id).obtain_typed_pull_supplier(key)
        await or_destroy(
            proxy.proxy, proxy.connect_typed_pull_consumer(consumer, repetitions=repetitions)
        )
        return proxy

    async def connect_typed_push_supplier(
        self, supplier: object, key: str
    ) -> TypedProxyPushConsumer:
        """Connect a supplier that calls operations, at the default channel."""
        return await self.connect_typed_push_supplier_with_id(
            supplier, key, self._default_supplier()
        )

    async def connect_typed_push_supplier_with_id(
        self, supplier: object, key: str, member_id: MemberID
    ) -> TypedProxyPushConsumer:
        """Connect a supplier that calls operations, at a channel."""
        proxy = self.get_typed_channel(member_id).obtain_typed_push_consumer(key)
        await or_destroy(proxy.proxy, proxy.connect_typed_push_supplier(supplier))
        return proxy

    async def connect_typed_pull_supplier(
        self, supplier: object, key: str
    ) -> TypedProxyPullConsumer:
        """Connect a supplier from which calls are pulled, at the default channel."""
        return await self.connect_typed_pull_supplier_with_id(
            supplier, key, self._default_supplier()
        )

    async def connect_typed_pull_supplier_with_id(
        self, supplier: object, key: str, member_id: MemberID
    ) -> TypedProxyPullConsumer:
        """Connect a supplier from which calls are pulled, at a channel."""
        proxy = self.get_typed_channel(member_id).obtain_typed_pull_consumer(key)
        await or_destroy(proxy.proxy, proxy.connect_typed_pull_supplier(supplier))
        return proxy

    def _declared(self, interfaces: Iterable[str]) -> tuple[str, ...]:
        names = tuple(interfaces)
        for name in names:
            if name not in self._interfaces:
                raise NoSuchImplementationError(name)
        return names
