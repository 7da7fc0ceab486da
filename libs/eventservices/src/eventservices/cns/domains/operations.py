"""The operations of a domain that concern no client: channels, connections, defaults, the graph.

Source:
    OMG Management of Event Domains 1.0, interface `EventDomain`, with MEDIator's corrections.
"""

from collections.abc import Mapping, Sequence

from eventservices.cns.channel import EventChannel
from eventservices.cns.domains.changing import change, whole
from eventservices.cns.domains.core import DomainCore, place_of
from eventservices.cns.domains.errors import ClientTypeError, ConnectionNotFoundError
from eventservices.cns.domains.graph import (
    Bounded,
    Cycle,
    Diamond,
    DiamondView,
    elementary_cycles,
    list_diamonds,
    reached,
)
from eventservices.cns.domains.records import (
    ChannelPlace,
    Connection,
    ConnectionID,
    MemberID,
    MemberRecord,
    NotificationStyle,
)
from eventservices.cns.domains.state import DomainChange
from eventservices.cns.options import ClientType


class DomainOperations(DomainCore):
    """The operations of `EventDomain` that concern no client."""

    async def add_channel(self, channel: EventChannel | ChannelPlace) -> MemberID:
        """Add a channel, with clients that know of no domain, as it is.

        Args:
            channel: The channel, or where it is.

        Raises:
            ClientTypeError: It is not a channel.
            NotConnectedError: Its broker is away; nothing was added.
            AdminLimitExceededError: The domain has as many channels as it may.
        """
        return await self._add_member(MemberRecord(place_of(channel)))

    def get_all_channels(self) -> tuple[MemberID, ...]:
        """Return the identifiers of all members, ascending."""
        self.check_alive()
        return tuple(sorted(self._state.members))

    def get_channel(self, member_id: MemberID) -> EventChannel:
        """Return a channel, as the domain has it open.

        Raises:
            ChannelNotFoundError: There is none of that id, or its broker is away.
            ClientTypeError: It is an event service that only its gateway opens.
        """
        return self._channel(member_id)

    @change
    async def remove_channel(self, member_id: MemberID) -> None:
        """Remove a channel and its connections; the channel goes on without the domain.

        Raises:
            ChannelNotFoundError: There is none of that id.
        """
        plan = self._state.plan_member_removal(member_id)
        touched = self._neighbours(member_id)
        closed = await self._commit(plan)
        self.leases.forget_member(member_id)
        await self._running.close_connections(closed)
        await self._running.close_member(member_id, forget=True)
        self._running.announcements.changed(touched)

    async def add_connection(self, connection: Connection) -> ConnectionID:
        """Connect two channels; when this returns, events pass.

        Raises:
            ChannelNotFoundError: An end is not a channel of the domain.
            ClientTypeError: The form or the style is not valid.
            AlreadyExistsError: They are connected in this direction.
            CycleCreationForbiddenError: It would close a cycle, which is forbidden.
            DiamondCreationForbiddenError: It would make a diamond, which is forbidden.
            NotConnectedError: A broker is away. Whatever is raised, nothing was added.
        """
        for member_id in (connection.supplier_id, connection.consumer_id):
            self._state.member(member_id)
        if not isinstance(connection.ctype, ClientType):
            raise ClientTypeError(f"{connection.ctype!r} is not a form of event")
        if not isinstance(connection.notification_style, NotificationStyle):
            raise ClientTypeError(f"{connection.notification_style!r} is not a style")
        return await self._add_connection(connection)

    def get_all_connections(self) -> tuple[ConnectionID, ...]:
        """Return the identifiers of all connections, ascending."""
        self.check_alive()
        return tuple(sorted(self._state.connections))

    def get_connection(self, connection_id: ConnectionID) -> Connection:
        """Return a connection.

        Raises:
            ConnectionNotFoundError: There is none of that id, or it is typed.
        """
        self.check_alive()
        found = self._state.connection(connection_id)
        if not isinstance(found, Connection):
            raise ConnectionNotFoundError(f"connection {connection_id} is typed")
        return found

    @change
    async def remove_connection(self, connection_id: ConnectionID) -> None:
        """Remove a connection; when this returns, no event passes it any more.

        Raises:
            ConnectionNotFoundError: There is none of that id.
        """
        plan = self._state.plan_connection_removal(connection_id)
        found = self._state.connection(connection_id)
        await self._commit(plan)
        await self._running.close_connections((connection_id,))
        self._running.announcements.changed((found.supplier_id, found.consumer_id))

    def get_offer_channels(self, member_id: MemberID) -> tuple[MemberID, ...]:
        """Return the channels whose events reach a channel, itself never among them; ascending.

        Raises:
            ChannelNotFoundError: There is none of that id.
        """
        return self._reached(self._state.graph.predecessors, member_id)

    def get_subscription_channels(self, member_id: MemberID) -> tuple[MemberID, ...]:
        """Return the channels that a channel's events reach, itself never among them; ascending.

        Raises:
            ChannelNotFoundError: There is none of that id.
        """
        return self._reached(self._state.graph.successors, member_id)

    def get_cycles(self) -> Bounded[Cycle]:
        """Return the elementary cycles, each from its lowest channel on, sorted and bounded."""
        self.check_alive()
        if self._state.record.forbid_cycles:
            return Bounded()
        return elementary_cycles(self._state.graph)

    def get_diamonds(self, view: DiamondView = DiamondView.MINIMAL) -> Bounded[Diamond]:
        """Return the diamonds, ordered by their ends and bounded."""
        self.check_alive()
        if self._state.record.forbid_diamonds:
            return Bounded()
        return list_diamonds(self._state.graph, view)

    @property
    def default_consumer_channel(self) -> MemberID | None:
        """Where consumers are connected that name no channel; None without a channel."""
        return self._state.record.default_consumer

    @property
    def default_supplier_channel(self) -> MemberID | None:
        """Where suppliers are connected that name no channel; None without a channel."""
        return self._state.record.default_supplier

    @change
    async def set_default_consumer_channel(self, member_id: MemberID) -> None:
        """Make a channel the default one for consumers.

        Raises:
            ChannelNotFoundError: There is none of that id.
        """
        await self._commit(self._state.plan_defaults(consumer=member_id))

    @change
    async def set_default_supplier_channel(self, member_id: MemberID) -> None:
        """Make a channel the default one for suppliers; errors as of the other."""
        await self._commit(self._state.plan_defaults(supplier=member_id))

    async def destroy(self) -> None:
        """Close all connections and forget the domain; its channels go on. Idempotent."""
        async with self.changes.turn():
            await whole(self._destroy())

    async def close(self) -> None:
        """Stop running; the journal brings the domain back."""
        async with self.changes.turn():
            await self._running.close(forget=False)

    async def _destroy(self) -> None:
        if self._destroyed:
            return
        await self._journal.write(self.id, (DomainChange(None),))
        self._destroyed = True
        await self._running.close(forget=True)

    def _reached(
        self, neighbours: Mapping[MemberID, set[MemberID]], member_id: MemberID
    ) -> tuple[MemberID, ...]:
        self.check_alive()
        self._state.member(member_id)
        return tuple(sorted(reached(neighbours, {member_id}) - {member_id}))

    def _neighbours(self, member_id: MemberID) -> Sequence[MemberID]:
        graph = self._state.graph
        return tuple(graph.successors[member_id] | graph.predecessors[member_id])
