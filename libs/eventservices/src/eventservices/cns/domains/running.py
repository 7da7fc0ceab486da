"""The running part of a domain: open channels, and connections that move events."""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from eventservices.cns.channel import EventChannel
from eventservices.cns.domains.logs.attributes import LogAttributes
from eventservices.cns.domains.logs.manager import LogManager
from eventservices.cns.domains.logs.notify_log import NotifyLog
from eventservices.cns.domains.moving.announcements import Announcements
from eventservices.cns.domains.moving.gateways import GatewayConnections, Subscribing
from eventservices.cns.domains.moving.handles import Brokers, Handle
from eventservices.cns.domains.moving.mover import Mover, MoverSpec
from eventservices.cns.domains.records import (
    AnyConnection,
    ConnectionID,
    DomainID,
    MemberID,
    MemberRecord,
    TypedConnection,
)
from eventservices.cns.domains.state import DomainState
from eventservices.cns.domains.typed.interfaces import Interface
from eventservices.cns.options import ClientType
from eventservices.errors import NotConnectedError

AT_ONCE: Final = 32
"""Most channels or connections that are closed at the same time."""


@dataclass(frozen=True, slots=True)
class DomainOptions:
    """How the domains of a factory run.

    Attributes:
        name: Names the service at brokers; must stay the same over a restart.
        most_connections: Most connections that an event passes where cycles are authorised.
        poll_s: Time between two looks of a pull connection that had nothing, seconds.
        interfaces: The declared interfaces, by name.
        logs: Folder of all logs; None for logs that a restart forgets.
        positions: Folder of how far each connection has moved events; None where a restart counts
            again.
        subscribing: Makes subscriptions at gateways, for members that are other event services.
    """

    name: str = "domains"
    most_connections: int = 64
    poll_s: float = 0.1
    interfaces: Mapping[str, Interface] = field(default_factory=dict)
    logs: Path | None = None
    positions: Path | None = None
    subscribing: Subscribing | None = None


class Running:
    """Opens and closes channels and connections as a domain's operations need it.

    Args:
        domain: The domain's identifier.
        state: The domain's state.
        brokers: Opens channels.
        options: How connections run.
    """

    def __init__(
        self, domain: DomainID, state: DomainState, brokers: Brokers, options: DomainOptions
    ) -> None:
        self.handles: dict[MemberID, Handle] = {}
        self.movers: dict[ConnectionID, Mover] = {}
        self.logs: dict[MemberID, NotifyLog] = {}
        folder = options.logs and options.logs / f"domain-{domain}"
        self._logs = LogManager(folder)
        self.gateways = GatewayConnections(
            f"event-domain-{options.name}-{domain}", state, options.subscribing
        )
        self.announcements = Announcements(lambda: state.graph)
        self._domain = domain
        self._state = state
        self._brokers = brokers
        self._options = options

    async def open_member(
        self, member_id: MemberID, member: MemberRecord, log: LogAttributes | None = None
    ) -> None:
        """Open a channel, and make its log where it has one; errors as of both."""
        if member.place.gateway:
            return  # its gateway has it open
        handle = self.handles[member_id] = self._handle(member_id, member)
        try:
            await handle.open()
            if log is not None:
                made = await asyncio.to_thread(self._logs.make_over, member_id, log)
                self.logs[member_id] = NotifyLog(made, handle, self._log_name(member_id))
                await self.logs[member_id].start_now()
        except BaseException:
            await self.close_member(member_id, forget=log is not None)
            raise

    async def open_connection(self, connection_id: ConnectionID, record: AnyConnection) -> None:
        """Run a connection; errors as of `Mover.start_now`.

        Raises:
            NotConnectedError: A channel's broker is away, which is known at once.
        """
        for member_id in (record.supplier_id, record.consumer_id):
            handle = self.handles.get(member_id)
            if handle is not None and not handle.connected:
                reason = handle.reason or "its broker does not answer"
                raise NotConnectedError(f"channel {member_id} is away: {reason}")
        mover = self._mover(connection_id, record)
        if mover is None:
            await self.gateways.connect(connection_id, record)
        else:
            await mover.start_now()
            self.movers[connection_id] = mover

    async def restore(self) -> None:
        """Run all channels and connections of the domain, each as soon as its brokers answer."""
        for member_id, member in self._state.members.items():
            if not member.place.gateway:
                handle = self.handles[member_id] = self._handle(member_id, member)
                handle.open_later()
                if member.kind.log:
                    found = await asyncio.to_thread(self._logs.open, member_id)
                    self.logs[member_id] = NotifyLog(found, handle, self._log_name(member_id))
                    self.logs[member_id].start()
        for connection_id, record in self._state.connections.items():
            mover = self._mover(connection_id, record)
            if mover is None:
                self.gateways.restore(connection_id, record)
            else:
                self.movers[connection_id] = mover
                mover.start()

    async def close_connections(
        self, connections: Sequence[ConnectionID], *, forget: bool = True
    ) -> None:
        """End connections; for one that ends for good no event waits."""
        if forget:
            for each in connections:
                await self.gateways.disconnect(each)
        ended = [self.movers.pop(each) for each in connections if each in self.movers]
        for index in range(0, len(ended), AT_ONCE):
            part = ended[index : index + AT_ONCE]
            await asyncio.gather(*(mover.close(forget=forget) for mover in part))

    async def close_member(self, member_id: MemberID, *, forget: bool = False) -> None:
        """Close a channel here; it stays open for others.

        Args:
            member_id: The member.
            forget: Whether its log, where it has one, is destroyed with its records.
        """
        self.announcements.remove(member_id)
        log = self.logs.pop(member_id, None)
        if log is not None:
            await log.close()
            if forget:
                await asyncio.to_thread(self._logs.destroy, (member_id,))
        handle = self.handles.pop(member_id, None)
        if handle is not None:
            await handle.close()

    async def close(self, *, forget: bool) -> None:
        """End everything."""
        await self.announcements.close()
        await self.close_connections(tuple(self._state.connections), forget=forget)
        await self.gateways.close()
        for member_id in tuple(self.handles):
            await self.close_member(member_id, forget=forget)
        await asyncio.to_thread(self._logs.close)

    def _handle(self, member_id: MemberID, member: MemberRecord) -> Handle:
        async def opened(channel: EventChannel) -> None:
            self.announcements.add(member_id, channel)

        return Handle(member.place, self._brokers, opened)

    def _mover(self, connection_id: ConnectionID, record: AnyConnection) -> Mover | None:
        ends = (self.handles.get(record.supplier_id), self.handles.get(record.consumer_id))
        if ends[0] is None or ends[1] is None:
            return None  # an end is another service's: its gateway moves the events
        folder = self._options.positions
        spec = MoverSpec(
            name=f"{self._options.name}-{self._domain}-{connection_id}",
            form=_form_of(record),
            style=record.notification_style,
            poll_s=self._options.poll_s,
            repetitions=self._repetitions,
            most_connections=self._most_connections,
            forwards=lambda: self._forwards(record.supplier_id),
            interface=record.key if isinstance(record, TypedConnection) else "",
            positions=folder and folder / f"{self._domain}-{connection_id}.positions",
        )
        return Mover(spec, ends[0], ends[1])

    def _log_name(self, member_id: MemberID) -> str:
        return f"{self._options.name}-{self._domain}-log-{member_id}"

    def _forwards(self, member_id: MemberID) -> bool:
        log = self.logs.get(member_id)
        return log is None or log.log.forwarding

    def _repetitions(self) -> bool:
        record = self._state.record
        return not (record.forbid_cycles and record.forbid_diamonds)

    def _most_connections(self) -> int:
        """Return how many connections an event may pass: without cycles none passes one twice."""
        if self._state.record.forbid_cycles:
            return max(self._options.most_connections, len(self._state.connections))
        return self._options.most_connections


def _form_of(record: AnyConnection) -> ClientType:
    """Return the form in which events pass; invocations of a typed one pass as structured."""
    if isinstance(record, TypedConnection):
        return ClientType.STRUCTURED_EVENT
    return record.ctype
