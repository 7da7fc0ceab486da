"""The state of a domain: members, connections, defaults and quality of service. No I/O.

Each operation is planned first, which changes nothing and raises where it is refused; what was
planned is written to a journal and then applied. A restart applies what the journal has.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, Generic, TypeVar

import msgspec

from eventservices.cns.domains.errors import (
    AlreadyExistsError,
    ChannelNotFoundError,
    ClientTypeError,
    ConnectionNotFoundError,
    CycleCreationForbiddenError,
    DiamondCreationForbiddenError,
    InterfaceNotSupportedError,
)
from eventservices.cns.domains.graph import (
    Digraph,
    cycle_of,
    has_cycle,
    has_diamond,
    makes_diamond,
    new_diamonds,
)
from eventservices.cns.domains.qos import DomainQoS, judge_qos
from eventservices.cns.domains.records import (
    AnyConnection,
    ConnectionID,
    DomainRecord,
    MemberID,
    MemberRecord,
    TypedConnection,
)
from eventservices.cns.errors import AdminLimitExceededError

T = TypeVar("T")

MOST_MEMBERS: Final = 20_000
"""Most channels of a domain."""

MOST_CONNECTIONS: Final = 200_000
"""Most connections of a domain."""


class DomainChange(msgspec.Struct, frozen=True, tag="domain"):
    """The domain's own record changed; `record` is None where the domain was destroyed."""

    record: DomainRecord | None


class MemberChange(msgspec.Struct, frozen=True, tag="member"):
    """A member was added; `record` is None where it was removed."""

    member_id: MemberID
    record: MemberRecord | None


class ConnectionChange(msgspec.Struct, frozen=True, tag="connection"):
    """A connection was added; `record` is None where it was removed."""

    connection_id: ConnectionID
    record: AnyConnection | None


Change = DomainChange | MemberChange | ConnectionChange


@dataclass(frozen=True, slots=True)
class Plan(Generic[T]):
    """A permitted operation.

    Attributes:
        result: What it returns.
        changes: What it changes, in order.
    """

    result: T
    changes: tuple[Change, ...]


class DomainState:
    """Keeps the state of a domain.

    Args:
        record: Of the domain.

    Attributes:
        record: Of the domain, as it is now.
        members: By identifier.
        connections: By identifier.
        graph: Members and connections as a graph.
    """

    def __init__(self, record: DomainRecord) -> None:
        self.record = record
        self.members: dict[MemberID, MemberRecord] = {}
        self.connections: dict[ConnectionID, AnyConnection] = {}
        self.graph = Digraph()
        self._between: dict[tuple[MemberID, MemberID], ConnectionID] = {}

    def member(self, member_id: MemberID) -> MemberRecord:
        """Return a member.

        Raises:
            ChannelNotFoundError: There is none of that id.
        """
        try:
            return self.members[member_id]
        except KeyError:
            raise ChannelNotFoundError(f"the domain has no channel {member_id}") from None

    def connection(self, connection_id: ConnectionID) -> AnyConnection:
        """Return a connection.

        Raises:
            ConnectionNotFoundError: There is none of that id.
        """
        try:
            return self.connections[connection_id]
        except KeyError:
            reason = f"the domain has no connection {connection_id}"
            raise ConnectionNotFoundError(reason) from None

    def available(self) -> dict[str, int]:
        """Return the highest value that each property of quality of service may have now."""
        record = self.record
        cyclic = not record.forbid_cycles and has_cycle(self.graph)
        doubled = not record.forbid_diamonds and has_diamond(self.graph)
        return {
            DomainQoS.CYCLE_DETECTION: int(not cyclic),
            DomainQoS.DIAMOND_DETECTION: int(not doubled),
        }

    def plan_qos(self, required: Mapping[str, object]) -> Plan[None]:
        """Plan to change the quality of service, all properties or none.

        Raises:
            UnsupportedQoSError: Some are not available; it lists all of these.
        """
        values = judge_qos(required, self.available())
        record = self.record
        cycles = values.get(DomainQoS.CYCLE_DETECTION, record.forbid_cycles)
        diamonds = values.get(DomainQoS.DIAMOND_DETECTION, record.forbid_diamonds)
        changed = msgspec.structs.replace(
            record, forbid_cycles=bool(cycles), forbid_diamonds=bool(diamonds)
        )
        return Plan(None, (DomainChange(changed),))

    def plan_member(self, member: MemberRecord) -> Plan[MemberID]:
        """Plan to add a member; the first becomes both defaults.

        Raises:
            AdminLimitExceededError: There are `MOST_MEMBERS`.
        """
        if len(self.members) >= MOST_MEMBERS:
            raise AdminLimitExceededError("MaxChannels", MOST_MEMBERS)
        record, fresh = self.record, self.record.next_member
        changed = msgspec.structs.replace(
            record,
            next_member=fresh + 1,
            default_supplier=_or(record.default_supplier, fresh),
            default_consumer=_or(record.default_consumer, fresh),
        )
        return Plan(fresh, (MemberChange(fresh, member), DomainChange(changed)))

    def plan_member_removal(self, member_id: MemberID) -> Plan[tuple[ConnectionID, ...]]:
        """Plan to remove a member and its connections; the result is these.

        Where it was a default channel, the lowest that remains succeeds it.

        Raises:
            ChannelNotFoundError: There is none of that id.
        """
        self.member(member_id)
        ends = tuple(sorted(self.connections_of(member_id)))
        others = min((other for other in self.members if other != member_id), default=None)
        record = self.record
        changed = msgspec.structs.replace(
            record,
            default_supplier=_succeeding(record.default_supplier, member_id, others),
            default_consumer=_succeeding(record.default_consumer, member_id, others),
        )
        closed = (ConnectionChange(connection, None) for connection in ends)
        return Plan(ends, (*closed, MemberChange(member_id, None), DomainChange(changed)))

    def plan_connection(self, connection: AnyConnection) -> Plan[ConnectionID]:
        """Plan to connect two channels.

        Raises:
            ChannelNotFoundError: An end is not a channel of the domain.
            ClientTypeError: A typed connection is to join what is not typed.
            InterfaceNotSupportedError: A typed channel does not have the interface.
            AlreadyExistsError: They are connected in this direction.
            CycleCreationForbiddenError: It would close a cycle, which the domain forbids.
            DiamondCreationForbiddenError: It would make a diamond, which the domain forbids.
            AdminLimitExceededError: There are `MOST_CONNECTIONS`.
        """
        ends = (connection.supplier_id, connection.consumer_id)
        members = tuple(map(self.member, ends))
        if isinstance(connection, TypedConnection):
            for member_id, member in zip(ends, members, strict=True):
                _check_typed(connection.key, member_id, member)
        if ends in self._between:
            raise AlreadyExistsError(*ends)
        if len(self.connections) >= MOST_CONNECTIONS:
            raise AdminLimitExceededError("MaxConnections", MOST_CONNECTIONS)
        self._check_graph(*ends)
        fresh = self.record.next_connection
        changed = msgspec.structs.replace(self.record, next_connection=fresh + 1)
        return Plan(fresh, (ConnectionChange(fresh, connection), DomainChange(changed)))

    def plan_connection_removal(self, connection_id: ConnectionID) -> Plan[None]:
        """Plan to remove a connection.

        Raises:
            ConnectionNotFoundError: There is none of that id.
        """
        self.connection(connection_id)
        return Plan(None, (ConnectionChange(connection_id, None),))

    def plan_defaults(
        self, *, supplier: MemberID | None = None, consumer: MemberID | None = None
    ) -> Plan[None]:
        """Plan to make a channel the default one for suppliers, or for consumers.

        Raises:
            ChannelNotFoundError: There is none of that id.
        """
        for member_id in (supplier, consumer):
            if member_id is not None:
                self.member(member_id)
        changed = msgspec.structs.replace(
            self.record,
            default_supplier=_or(supplier, self.record.default_supplier),
            default_consumer=_or(consumer, self.record.default_consumer),
        )
        return Plan(None, (DomainChange(changed),))

    def connections_of(self, member_id: MemberID) -> set[ConnectionID]:
        """Return the connections that begin or end at a member."""
        after = ((member_id, other) for other in self.graph.successors[member_id])
        before = ((other, member_id) for other in self.graph.predecessors[member_id])
        return {self._between[ends] for ends in (*after, *before)}

    def apply(self, change: Change) -> None:
        """Apply a change that was planned, or that a journal returned."""
        match change:
            case DomainChange(record):
                self.record = record or self.record
            case MemberChange(member_id, None):
                del self.members[member_id]
                self.graph.remove_vertex(member_id)
            case MemberChange(member_id, member) if member is not None:
                self.members[member_id] = member
                self.graph.add_vertex(member_id)
            case ConnectionChange(connection_id, None):
                ended = self.connections.pop(connection_id)
                self.graph.remove_edge(ended.supplier_id, ended.consumer_id)
                del self._between[ended.supplier_id, ended.consumer_id]
            case ConnectionChange(connection_id, connection) if connection is not None:
                self.connections[connection_id] = connection
                self.graph.add_edge(connection.supplier_id, connection.consumer_id)
                self._between[connection.supplier_id, connection.consumer_id] = connection_id

    def _check_graph(self, supplier: MemberID, consumer: MemberID) -> None:
        forbid_cycles = self.record.forbid_cycles
        if forbid_cycles and (cycle := cycle_of(self.graph, supplier, consumer)):
            raise CycleCreationForbiddenError(cycle)
        if self.record.forbid_diamonds and makes_diamond(self.graph, supplier, consumer):
            diamonds = new_diamonds(self.graph, supplier, consumer, acyclic=forbid_cycles)
            raise DiamondCreationForbiddenError(diamonds)


def _check_typed(interface: str, member_id: MemberID, member: MemberRecord) -> None:
    if not member.kind.typed:
        raise ClientTypeError(f"channel {member_id} is not typed")
    if interface not in member.interfaces:
        raise InterfaceNotSupportedError(interface, member_id)


def _or(first: MemberID | None, second: MemberID | None) -> MemberID | None:
    return second if first is None else first


def _succeeding(
    default: MemberID | None, removed: MemberID, heir: MemberID | None
) -> MemberID | None:
    return heir if default == removed else default
