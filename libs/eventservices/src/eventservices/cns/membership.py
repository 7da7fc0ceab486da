"""One client's membership of a channel: its offers and subscriptions, and those of others."""

import logging
from collections.abc import Callable
from dataclasses import dataclass, replace

from eventservices.attention import Attention
from eventservices.cns.background import Background
from eventservices.cns.calls import call_client
from eventservices.cns.changes import Change, ChangeTable, Member, Outcome
from eventservices.cns.errors import AdminLimitExceededError
from eventservices.cns.event_type import ALL_TYPES, EventType
from eventservices.cns.notices import (
    MAX_TYPES,
    Beat,
    Leave,
    Query,
    State,
    decode_notice,
    encode_notice,
    member_of,
    state_of,
)
from eventservices.cns.subjects import INBOX_PREFIX
from eventservices.errors import MalformedError, NotConnectedError
from eventservices.natslink import Listening, NatsLink

log = logging.getLogger(__name__)

ChangeSink = Callable[[tuple[EventType, ...], tuple[EventType, ...]], None]
"""Called with the types added and the types removed."""


@dataclass(frozen=True, slots=True)
class Address:
    """Where a member sends and receives notices.

    Attributes:
        subject: NATS subject of the channel's changes.
        inbox: NATS subject on which this member alone is answered.
    """

    subject: str
    inbox: str


class Membership:
    """Keeps a channel's `ChangeTable` up to date, and this client's row in it.

    Args:
        link: The connection.
        background: Where answers to others are sent from.
        address: Where it sends and receives notices.
        member: This client, without offers or subscriptions.
        clock_s: Monotonic time, seconds.

    Attributes:
        table: All members, this one among them while it has a state.
        malformed: Notices that were none.
        offer_sinks: Called with changes of the union of offers.
        subscription_sinks: Called with changes of the union of subscriptions.
        watchers: Called after any change of any other member.
    """

    def __init__(
        self,
        link: NatsLink,
        background: Background,
        address: Address,
        member: Member,
        clock_s: Callable[[], float],
    ) -> None:
        self.table = ChangeTable()
        self.malformed = 0
        self.on_malformed: Callable[[str, bytes], None] | None = None
        self.offer_sinks: list[ChangeSink] = []
        self.subscription_sinks: list[ChangeSink] = []
        self.watchers: list[Callable[[], None]] = []
        self._link = link
        self._background = background
        self._address = address
        self._me = member
        self._clock_s = clock_s
        self._attention = Attention(member.beat_s)
        self._offers: dict[object, frozenset[EventType]] = {}
        self._subscriptions: dict[object, frozenset[EventType]] = {}
        self._listenings: list[Listening] = []
        self._left = False

    @property
    def id(self) -> str:
        """This member's id."""
        return self._me.id

    async def join(self) -> None:
        """Listen to the others, and query their state."""
        for subject in (self._address.subject, self._address.inbox):
            self._listenings.append(await self._link.listen(subject, self._on_notice))
        await self._tell(Query())

    async def leave(self) -> None:
        """Announce the end of the membership, and stop receiving."""
        for listening in self._listenings:
            await self._link.mute(listening)
        self._listenings.clear()
        self._left = True
        if self._me.version:
            await self._tell(Leave(self._me.id))

    async def rejoin(self) -> None:
        """Send and query the state again, after the connection was lost and restored."""
        self.table.extend_all(self._clock_s())
        if self._has_state:
            await self._tell(state_of(self._me))
        await self._tell(Query())

    async def beat(self) -> None:
        """Send a heartbeat, and forget the members that sent none."""
        now_s, connected = self._clock_s(), self._link.connected
        if not self._attention.hears(now_s, ready=connected):
            self.table.extend_all(now_s)
        for member in self.table.expired(now_s):
            if member != self._me.id:
                log.info("member_expired", extra={"member": member})
                self._spread(self.table.remove(member), own=False)
        await self.tell_changes()  # what `tell_soon` had no place for
        if connected and self._has_state:
            await self._tell(Beat(self._me.id, self._me.version))

    def put_offers(self, holder: object, types: frozenset[EventType]) -> None:
        """Replace the offers of one of this client's admins or proxies; `tell_changes` follows.

        Raises:
            AdminLimitExceededError: The client would offer too many types; nothing was changed.
        """
        _put(self._offers, holder, types, "MaxOffers")

    def put_subscriptions(self, holder: object, types: frozenset[EventType]) -> None:
        """Replace the subscriptions of one of this client's admins or proxies, as `put_offers`."""
        _put(self._subscriptions, holder, types, "MaxSubscriptions")

    async def tell_changes(self) -> None:
        """Send the union of this client's offers and subscriptions, if it changed."""
        nothing: frozenset[EventType] = frozenset()
        offers = nothing.union(*self._offers.values())
        subscriptions = nothing.union(*self._subscriptions.values())
        me = self._me
        if (offers, subscriptions) == (me.offers, me.subscriptions):
            return
        self._me = replace(me, version=me.version + 1, offers=offers, subscriptions=subscriptions)
        self._spread(self.table.put(self._me, self._clock_s()), own=True)
        await self._tell(state_of(self._me))

    def tell_soon(self) -> None:
        """Send it from a plain function; see `tell_changes`."""
        self._background.start(self.tell_changes())

    @property
    def _has_state(self) -> bool:
        return bool(self._me.offers or self._me.subscriptions)

    async def _tell(self, notice: State | Beat | Query | Leave, to: str = "") -> None:
        if self._left and not isinstance(notice, Leave):
            return  # a notice in transit would bring back who has left
        reply = self._address.inbox if isinstance(notice, Query) else ""
        try:
            await self._link.publish(
                to or self._address.subject, encode_notice(notice), reply=reply
            )
        except NotConnectedError:
            log.debug("notice_waits_for_reconnection")  # `rejoin` sends the state as it is then

    def _on_notice(self, _subject: str, payload: bytes, _headers: bytes, reply: str) -> None:
        try:
            self._take(payload, reply)
        except MalformedError as error:
            self.malformed += 1
            call_client(self.on_malformed, str(error), payload)
            log.warning("notice_malformed", extra={"reason": str(error)})

    def _take(self, payload: bytes, reply: str) -> None:
        notice = decode_notice(payload)
        if isinstance(notice, Query):
            self._answer(notice, reply)
        elif notice.member == self._me.id:
            return  # one's own, received again
        elif isinstance(notice, State):
            self._spread(self.table.put(member_of(notice), self._clock_s()), own=False)
        elif isinstance(notice, Leave):
            self._spread(self.table.remove(notice.member), own=False)
        elif not self.table.beat(notice.member, notice.version, self._clock_s()):
            self._background.start(self._tell(Query(notice.member)))

    def _answer(self, query: Query, reply: str) -> None:
        asked = query.member in {"", self._me.id} and reply != self._address.inbox
        if asked and self._has_state:
            # Only ever into an inbox: a stranger's reply subject must not lead us elsewhere.
            to = reply if reply.startswith(INBOX_PREFIX) else ""
            self._background.start(self._tell(state_of(self._me), to))

    def _spread(self, outcome: Outcome, *, own: bool) -> None:
        _call_all(self.offer_sinks, outcome.offers)
        _call_all(self.subscription_sinks, outcome.subscriptions)
        if outcome.news and not own:
            for watcher in tuple(self.watchers):
                call_client(watcher)


def _call_all(sinks: list[ChangeSink], change: Change) -> None:
    if change:
        for sink in tuple(sinks):
            call_client(sink, change.added, change.removed)


def _put(
    table: dict[object, frozenset[EventType]],
    holder: object,
    types: frozenset[EventType],
    limit: str,
) -> None:
    others = [held for key, held in table.items() if key is not holder]
    if len(types.union(*others) - {ALL_TYPES}) > MAX_TYPES:
        raise AdminLimitExceededError(limit, MAX_TYPES)
    table.pop(holder, None)
    if types:
        table[holder] = types
