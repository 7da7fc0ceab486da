"""Offers and subscriptions that cross a domain.

What the clients of a channel offer is offered at every channel that its events reach, and what they
subscribe to is subscribed to at every channel that reaches it. It is worked out from what clients
of the channels announced themselves, never from what a domain announced: else a cycle would go on
offering what nobody offers any more.
"""

import logging
from collections.abc import Callable, Iterable, Mapping
from collections.abc import Set as AbstractSet

from eventservices.cns.background import Background
from eventservices.cns.channel import EventChannel
from eventservices.cns.domains.graph import Digraph, reached
from eventservices.cns.domains.graph.search import Neighbours
from eventservices.cns.domains.moving.handles import CLIENT
from eventservices.cns.domains.records import MemberID
from eventservices.cns.event_type import EventType
from eventservices.errors import EventServiceError
from eventservices.slices import shared_slice

log = logging.getLogger(__name__)

_NOTHING: frozenset[EventType] = frozenset()


class _Announced:
    """Announces at one channel for others, and reads what its own clients announce."""

    def __init__(self, channel: EventChannel) -> None:
        self.channel = channel
        self.offers = self.subscriptions = _NOTHING
        self._supplier_admin = channel.new_for_suppliers()
        self._consumer_admin = channel.new_for_consumers()
        self._offered = self._subscribed = _NOTHING

    def read(self) -> bool:
        """Read what the channel's own clients announce; return whether it changed."""
        own = [member for member in self.channel.others if member.client != CLIENT]
        offers = _NOTHING.union(*(member.offers for member in own))
        subscriptions = _NOTHING.union(*(member.subscriptions for member in own))
        changed = (offers, subscriptions) != (self.offers, self.subscriptions)
        self.offers, self.subscriptions = offers, subscriptions
        return changed

    async def offer(self, types: frozenset[EventType]) -> None:
        if types == self._offered:
            return
        await self._supplier_admin.offer_change(types - self._offered, self._offered - types)
        self._offered = types

    async def subscribe(self, types: frozenset[EventType]) -> None:
        if types == self._subscribed:
            return
        await self._consumer_admin.subscription_change(
            types - self._subscribed, self._subscribed - types
        )
        self._subscribed = types


class Announcements:
    """Keeps what is announced at the channels of a domain up to date.

    Args:
        graph: Returns the domain's graph as it is now.

    Attributes:
        failed: Times that something could not be announced.
    """

    def __init__(self, graph: Callable[[], Digraph]) -> None:
        self.failed = 0
        self._graph = graph
        self._channels: dict[MemberID, _Announced] = {}
        self._dirty: set[MemberID] = set()
        self._background = Background()
        self._at_work = False

    def add(self, member: MemberID, channel: EventChannel) -> None:
        """Announce at a channel from now on, and observe its clients."""
        announced = self._channels[member] = _Announced(channel)
        channel.watch(lambda: self._observe(member))
        announced.read()
        self.changed((member,))

    def remove(self, member: MemberID) -> None:
        """Announce at a channel no more."""
        self._channels.pop(member, None)

    def changed(self, members: Iterable[MemberID]) -> None:
        """Work out again what is announced around some channels."""
        self._dirty.update(members)
        if not self._channels:
            self._dirty.clear()  # there is nowhere to announce anything
        elif self._dirty and not self._at_work:
            self._at_work = True
            self._background.start(self._work())

    async def close(self) -> None:
        """Announce no more."""
        await self._background.close()

    def _observe(self, member: MemberID) -> None:
        announced = self._channels.get(member)
        if announced is not None and announced.read():
            self.changed((member,))

    async def _work(self) -> None:
        try:
            while self._dirty:
                dirty, self._dirty = self._dirty, set()
                graph = self._graph()
                known = {member for member in dirty if member in graph}
                below, above = reached(graph.successors, known), reached(graph.predecessors, known)
                offers = await self._spread(_offers_of, graph.successors, below)
                subscriptions = await self._spread(_subscriptions_of, graph.predecessors, above)
                await self._announce(
                    (member, offers.get(member, _NOTHING), None) for member in sorted(below)
                )
                await self._announce(
                    (member, None, subscriptions.get(member, _NOTHING)) for member in sorted(above)
                )
        finally:
            self._at_work = False

    async def _spread(
        self, types_of: "TypesOf", neighbours: Neighbours, members: AbstractSet[MemberID]
    ) -> Mapping[MemberID, frozenset[EventType]]:
        """Return the types that come to members from others; those without any are left out.

        The cost is a traversal for each channel whose own clients announce something.
        """
        found: dict[MemberID, frozenset[EventType]] = {}
        share = shared_slice()
        for member, channel in tuple(self._channels.items()):
            types = types_of(channel)
            if not types:
                continue
            await share.turn()
            if member in neighbours:  # else it was removed meanwhile
                for each in (reached(neighbours, {member}) & members) - {member}:
                    found[each] = found.get(each, _NOTHING) | types
            share.end()
        return found

    async def _announce(self, due: Iterable["Announcement"]) -> None:
        share = shared_slice()
        for member, offers, subscriptions in due:
            channel = self._channels.get(member)
            if channel is None:
                continue
            await share.turn()
            try:
                if offers is not None:
                    await channel.offer(offers)
                if subscriptions is not None:
                    await channel.subscribe(subscriptions)
            except EventServiceError as error:
                self.failed += 1
                details = {"channel": channel.channel.name, "reason": str(error)}
                log.warning("types_not_announced", extra=details)
            share.end()


def _offers_of(channel: _Announced) -> frozenset[EventType]:
    return channel.offers


def _subscriptions_of(channel: _Announced) -> frozenset[EventType]:
    return channel.subscriptions


TypesOf = Callable[[_Announced], frozenset[EventType]]
Announcement = tuple[MemberID, frozenset[EventType] | None, frozenset[EventType] | None]
"""A member, and what is to be offered and subscribed to there; None where that stays."""
