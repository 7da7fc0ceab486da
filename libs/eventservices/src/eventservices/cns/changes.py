"""Offers and subscriptions of a channel: who has which, and what changes for the other side.

A *member* is one client's use of a channel. Each sends the others its whole state whenever it
changes, and a beat every few seconds to show that it lives. This module only keeps account; it
knows neither sockets nor clocks.
"""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field

from eventservices.cns.event_type import EventType

BEATS_MISSED = 3.5
"""Beats that a member may miss before it counts as gone."""

MAX_MEMBERS = 10_000
"""Most members that a channel keeps account of; further ones are refused and counted."""


@dataclass(frozen=True, slots=True)
class Change:
    """What changed in the union of all members' offers, or subscriptions.

    Attributes:
        added: Types that nobody had before, sorted.
        removed: Types that nobody has any more, sorted.
    """

    added: tuple[EventType, ...] = ()
    removed: tuple[EventType, ...] = ()

    def __bool__(self) -> bool:
        """Return whether anything changed."""
        return bool(self.added or self.removed)


@dataclass(frozen=True, slots=True)
class Member:
    """One client's use of a channel.

    Attributes:
        id: Unique, new each time a client opens the channel.
        client: Name that the client chose.
        version: Grows with each of its changes.
        offers: Event types that it offers.
        subscriptions: Event types that it subscribes to.
        beat_s: Time between two signs of life, seconds.
    """

    id: str
    client: str
    version: int = 0
    offers: frozenset[EventType] = frozenset()
    subscriptions: frozenset[EventType] = frozenset()
    beat_s: float = 5.0


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a member's news meant.

    Attributes:
        news: Whether the table changed at all.
        offers: Change of the union of offers.
        subscriptions: Change of the union of subscriptions.
    """

    news: bool = False
    offers: Change = Change()
    subscriptions: Change = Change()


@dataclass(slots=True)
class _Union:
    count: Counter[EventType] = field(default_factory=Counter)

    def replace(self, old: frozenset[EventType], new: frozenset[EventType]) -> Change:
        added, removed = [], []
        for item in new - old:
            self.count[item] += 1
            if self.count[item] == 1:
                added.append(item)
        for item in old - new:
            self.count[item] -= 1
            if not self.count[item]:
                del self.count[item]
                removed.append(item)
        return Change(tuple(sorted(added)), tuple(sorted(removed)))


class ChangeTable:
    """Keeps the members of one channel, and the unions of what they offer and subscribe to.

    Attributes:
        refused: Members not accepted because there were `MAX_MEMBERS`.
    """

    def __init__(self) -> None:
        self.refused = 0
        self._members: dict[str, Member] = {}
        self._deadlines: dict[str, float] = {}
        self._offers = _Union()
        self._subscriptions = _Union()

    @property
    def members(self) -> tuple[Member, ...]:
        """All members, in the order in which they came."""
        return tuple(self._members.values())

    @property
    def offers(self) -> tuple[EventType, ...]:
        """All types that anybody offers, sorted."""
        return tuple(sorted(self._offers.count))

    @property
    def subscriptions(self) -> tuple[EventType, ...]:
        """All types that anybody subscribes to, sorted."""
        return tuple(sorted(self._subscriptions.count))

    def put(self, member: Member, now_s: float) -> Outcome:
        """Accept a member's state, unless a newer one is known.

        Args:
            member: The state.
            now_s: Monotonic time, seconds.
        """
        known = self._members.get(member.id)
        if known is None and len(self._members) >= MAX_MEMBERS:
            self.refused += 1
            return Outcome()
        self._deadlines[member.id] = now_s + BEATS_MISSED * member.beat_s
        if known is not None and known.version >= member.version:
            return Outcome()
        self._members[member.id] = member
        return self._replace(known, member)

    def beat(self, member_id: str, version: int, now_s: float) -> bool:
        """Accept a member's heartbeat; return whether its present state is known."""
        known = self._members.get(member_id)
        if known is None or known.version < version:
            return False
        self._deadlines[member_id] = now_s + BEATS_MISSED * known.beat_s
        return True

    def remove(self, member_id: str) -> Outcome:
        """Forget a member that left."""
        known = self._members.pop(member_id, None)
        self._deadlines.pop(member_id, None)
        return Outcome() if known is None else self._replace(known, None)

    def expired(self, now_s: float) -> Iterable[str]:
        """Return the ids of members that have sent no sign of life for too long."""
        return [member for member, deadline in self._deadlines.items() if deadline < now_s]

    def extend_all(self, now_s: float) -> None:
        """Restart the time of every member, after a while in which none could be received."""
        for member in self._members.values():
            self._deadlines[member.id] = now_s + BEATS_MISSED * member.beat_s

    def _replace(self, old: Member | None, new: Member | None) -> Outcome:
        nothing: frozenset[EventType] = frozenset()
        return Outcome(
            news=True,
            offers=self._offers.replace(
                old.offers if old else nothing, new.offers if new else nothing
            ),
            subscriptions=self._subscriptions.replace(
                old.subscriptions if old else nothing, new.subscriptions if new else nothing
            ),
        )
