"""What all operations of a domain share: its state, its channels, and the order of changes."""

from collections.abc import Mapping
from typing import TypeVar

from eventservices.cns.channel import EventChannel
from eventservices.cns.domains.changing import Changes, change
from eventservices.cns.domains.errors import (
    ChannelNotFoundError,
    ClientTypeError,
    DomainDestroyedError,
)
from eventservices.cns.domains.journal import Journal
from eventservices.cns.domains.leases import Leases
from eventservices.cns.domains.logs.attributes import LogAttributes
from eventservices.cns.domains.qos import DomainQoS, ranges, refuse_admin
from eventservices.cns.domains.records import (
    AnyConnection,
    ChannelPlace,
    ConnectionID,
    DomainID,
    MemberID,
    MemberRecord,
)
from eventservices.cns.domains.running import Running
from eventservices.cns.domains.state import DomainState, Plan
from eventservices.cns.domains.typed.interfaces import Interface
from eventservices.cns.qos import PropertyRange

T = TypeVar("T")


class DomainCore:
    """What all operations of a domain share: its state, its channels, and the order of changes.

    Args:
        domain_id: The domain's identifier.
        state: Members, connections and settings.
        running: Open channels and running connections.
        journal: Keeps changes.
        interfaces: The declared interfaces, by name.

    Attributes:
        id: The domain's identifier.
        leases: The clients that joined from elsewhere.
        changes: Its changes, which go one after another.
    """

    def __init__(
        self,
        domain_id: DomainID,
        state: DomainState,
        running: Running,
        journal: Journal,
        interfaces: Mapping[str, Interface],
    ) -> None:
        self.id = domain_id
        self._interfaces = interfaces
        self.leases = Leases()
        self.changes = Changes()
        self._state = state
        self._running = running
        self._journal = journal
        self._destroyed = False

    @property
    def destroyed(self) -> bool:
        """Whether it was destroyed."""
        return self._destroyed

    @property
    def state(self) -> DomainState:
        """Its members, connections and settings; read only."""
        return self._state

    @property
    def running(self) -> Running:
        """Its open channels and running connections."""
        return self._running

    def check_alive(self) -> None:
        """Check that the domain is there.

        Raises:
            DomainDestroyedError: It was destroyed.
        """
        if self._destroyed:
            raise DomainDestroyedError(f"domain {self.id} was destroyed")

    async def _commit(self, plan: Plan[T]) -> T:
        """Write planned changes to the journal, then apply them; return the result."""
        await self._journal.write(self.id, plan.changes)
        for each in plan.changes:
            self._state.apply(each)
        return plan.result

    @change
    async def _add_member(self, record: MemberRecord, log: LogAttributes | None = None) -> MemberID:
        plan = self._state.plan_member(record)
        await self._running.open_member(plan.result, record, log)
        try:
            return await self._commit(plan)
        except BaseException:
            await self._running.close_member(plan.result, forget=True)
            raise

    @change
    async def _add_connection(self, connection: AnyConnection) -> ConnectionID:
        plan = self._state.plan_connection(connection)
        await self._running.open_connection(plan.result, connection)
        try:
            added = await self._commit(plan)
        except BaseException:
            await self._running.close_connections((plan.result,))
            raise
        ends = (connection.supplier_id, connection.consumer_id)
        self._running.announcements.changed(ends)
        return added

    def _channel(self, member_id: MemberID) -> EventChannel:
        self.check_alive()
        member = self._state.member(member_id)
        if member.place.gateway:
            raise ClientTypeError(f"channel {member_id} is the service {member.place.service!r}")
        channel = self._running.handles[member_id].channel
        if channel is None:
            reason = self._running.handles[member_id].reason
            raise ChannelNotFoundError(f"channel {member_id} is away: {reason}")
        return channel

    def get_qos(self) -> dict[str, int]:
        """Return both properties."""
        record = self._state.record
        return {
            str(DomainQoS.CYCLE_DETECTION): int(record.forbid_cycles),
            str(DomainQoS.DIAMOND_DETECTION): int(record.forbid_diamonds),
        }

    @change
    async def set_qos(self, required: Mapping[str, object]) -> None:
        """Change properties, all or none.

        Cycles, and diamonds, can be forbidden as long as there are none.

        Raises:
            UnsupportedQoSError: Some are not available; it lists all of these.
        """
        await self._commit(self._state.plan_qos(required))

    def validate_qos(self, required: Mapping[str, object]) -> dict[str, PropertyRange]:
        """Return the values that both properties may have, and change nothing.

        Raises:
            UnsupportedQoSError: As `set_qos`.
        """
        self.check_alive()
        self._state.plan_qos(required)
        return ranges(self._state.available())

    def get_admin(self) -> dict[str, object]:
        """Return the administrative properties: there are none."""
        return {}

    def set_admin(self, properties: Mapping[str, object]) -> None:
        """Change administrative properties.

        Raises:
            UnsupportedAdminError: There is any.
        """
        refuse_admin(properties)


def place_of(channel: EventChannel | ChannelPlace) -> ChannelPlace:
    """Return where a channel is.

    Raises:
        ClientTypeError: It is not a channel.
    """
    if isinstance(channel, EventChannel):
        return ChannelPlace(channel.my_factory.link.urls[0], channel.name)
    if isinstance(channel, ChannelPlace):
        return channel
    raise ClientTypeError(f"{type(channel).__name__} is not a channel")
