"""Offers and subscriptions that cross a domain.

What the clients of a channel offer is offered at every channel that its events reach, and what they
subscribe to is subscribed to at every channel that reaches it. It is worked out from what clients
of the channels announced themselves, never from what a domain announced: else a cycle would go on
offering what nobody offers any more.
"""

import logging
from collections.abc import Callable, Iterable

from eventservices.cns.background import Background
from eventservices.cns.channel import EventChannel
from eventservices.cns.domains.graph import Digraph, reached
from eventservices.cns.domains.moving.handles import CLIENT
from eventservices.cns.domains.records import MemberID
from eventservices.cns.event_type import EventType
from eventservices.errors import EventServiceError

log = logging.getLogger(__name__)

_NOTHING: frozenset[EventType] = frozenset()


class _Said:
    """What is announced at one channel for others, and what its own clients announce."""

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
        self._channels: dict[MemberID, _Said] = {}
        self._dirty: set[MemberID] = set()
        self._background = Background()
        self._at_work = False

    def add(self, member: MemberID, channel: EventChannel) -> None:
        """Attend to a channel from now on."""
        self._channels[member] = said = _Said(channel)
        channel.watch(lambda: self._heard(member))
        said.read()
        self.changed((member,))

    def remove(self, member: MemberID) -> None:
        """Attend to a channel no more."""
        self._channels.pop(member, None)

    def changed(self, members: Iterable[MemberID]) -> None:
        """Work out again what is announced around some channels."""
        self._dirty.update(members)
        if self._dirty and not self._at_work:
            self._at_work = True
            self._background.start(self._work())

    async def close(self) -> None:
        """Announce no more."""
        await self._background.close()

    def _heard(self, member: MemberID) -> None:
        said = self._channels.get(member)
        if said is not None and said.read():
            self.changed((member,))

    async def _work(self) -> None:
        try:
            while self._dirty:
                dirty, self._dirty = self._dirty, set()
                graph = self._graph()
                known = {member for member in dirty if member in graph}
                for member in sorted(reached(graph.successors, known)):
                    await self._announce(member, graph)
                for member in sorted(reached(graph.predecessors, known) - known):
                    await self._announce(member, graph)
        finally:
            self._at_work = False

    async def _announce(self, member: MemberID, graph: Digraph) -> None:
        said = self._channels.get(member)
        if said is None or member not in graph:
            return
        before = reached(graph.predecessors, {member}) - {member}
        after = reached(graph.successors, {member}) - {member}
        offers = (self._channels[each].offers for each in before if each in self._channels)
        wanted = (self._channels[each].subscriptions for each in after if each in self._channels)
        try:
            await said.offer(_NOTHING.union(*offers))
            await said.subscribe(_NOTHING.union(*wanted))
        except EventServiceError as error:
            self.failed += 1
            details = {"channel": said.channel.name, "reason": str(error)}
            log.warning("types_not_announced", extra=details)
