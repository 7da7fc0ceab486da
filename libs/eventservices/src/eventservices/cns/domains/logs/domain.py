"""Event log domains: logs are members like any channel.

Source:
    OMG Management of Event Domains 1.0, module `CosEventLogDomainAdmin`; as the inheritance of its
    IDL cannot be compiled (MEDIator), typed logs are logs with interfaces here.
"""

from collections.abc import Iterable

from eventservices.cns.channel import EventChannel
from eventservices.cns.domains.core import place_of
from eventservices.cns.domains.errors import ClientTypeError
from eventservices.cns.domains.logs.attributes import LogAttributes
from eventservices.cns.domains.logs.log import Log
from eventservices.cns.domains.records import ChannelPlace, ChannelType, MemberID, MemberRecord
from eventservices.cns.domains.typed.channel import TypedChannel
from eventservices.cns.domains.typed.domain import TypedEventDomain


class EventLogDomain(TypedEventDomain):
    """A domain of channels and logs, typed and untyped."""

    async def add_log(
        self, channel: EventChannel | ChannelPlace, settings: LogAttributes | None = None
    ) -> MemberID:
        """Add a channel whose events are logged; errors as of `add_channel`.

        Args:
            channel: The channel of the log.
            settings: Of the log.

        Raises:
            LogIdAlreadyExistsError: A file of that log is there already.
            LogDisabledError: The log's file cannot be made.
        """
        record = MemberRecord(place_of(channel), ChannelType.LOG_CHANNEL)
        return await self._add_member(record, settings or LogAttributes())

    async def add_typed_log(
        self,
        channel: EventChannel | ChannelPlace,
        interfaces: Iterable[str],
        settings: LogAttributes | None = None,
    ) -> MemberID:
        """Add a typed channel whose events are logged; errors as of the other and typed ones."""
        supported = self._declared(interfaces)
        record = MemberRecord(place_of(channel), ChannelType.TYPED_LOG_CHANNEL, supported)
        return await self._add_member(record, settings or LogAttributes())

    def get_all_logs(self) -> tuple[MemberID, ...]:
        """Return the identifiers of the untyped logs, ascending."""
        return self._of(ChannelType.LOG_CHANNEL)

    def get_all_typed_logs(self) -> tuple[MemberID, ...]:
        """Return the identifiers of the typed logs, ascending."""
        return self._of(ChannelType.TYPED_LOG_CHANNEL)

    def get_log(self, member_id: MemberID) -> Log:
        """Return a log, typed or not.

        Raises:
            ChannelNotFoundError: There is no channel of that id.
            ClientTypeError: It is not a log.
        """
        self.check_alive()
        self._state.member(member_id)
        found = self._running.logs.get(member_id)
        if found is None:
            raise ClientTypeError(f"channel {member_id} is not a log")
        return found.log

    def get_typed_log(self, member_id: MemberID) -> tuple[Log, TypedChannel]:
        """Return a typed log and its channel; errors as of `get_log` and `get_typed_channel`."""
        return self.get_log(member_id), self.get_typed_channel(member_id)

    def _of(self, kind: ChannelType) -> tuple[MemberID, ...]:
        members = self._state.members
        return tuple(each for each in self.get_all_channels() if members[each].kind is kind)
