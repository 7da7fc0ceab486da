"""Native subscriptions, of which no two match the same topic: so each message comes once.

For several matching subscriptions of a client, brokers may send one copy or one for each. So those
that another covers are not made, and two that overlap become one that covers both. While one
replaces another both are active for a moment; copies in that time are recognised by topic and
payload.
"""

from typing import Final

from eventservices.steam.link import Link, acknowledged
from eventservices.steam.mqtt import SHARED
from fes.adapter.plain.wanted import Wanted
from fes.mapping.topics.apart import apart
from fes.mapping.topics.levels import MQTT
from fes.mapping.topics.tree import TopicTree
from fes.model import is_reserved

from adapter_mqtt.memory import Key

DEADLINE_S: Final = 5.0
"""Longest time for the broker to answer."""

SEEN: Final = 4096
"""Most messages remembered while subscriptions change."""


class Subscriptions(Wanted[str]):
    """Keeps the native subscriptions of one adapter.

    Args:
        link: The connection.
        share: Group of clients that share the subscriptions; "" where they are the adapter's own.

    Attributes:
        copies: Messages that came twice while subscriptions changed.
    """

    def __init__(self, link: Link, share: str = "") -> None:
        super().__init__()
        self._prefix = f"{SHARED}{share}/" if share else ""
        self.copies = 0
        self._link = link
        self._made: dict[str, None] = {}
        self._tree = TopicTree(MQTT)
        self._changing: dict[Key, None] | None = None

    def __len__(self) -> int:
        """Return how many native subscriptions there are."""
        return len(self._made)

    def comes_back(self, topic: str) -> bool:
        """Return whether the broker sends messages of a topic to this adapter."""
        return next(self._tree.covering(topic), None) is not None

    def is_copy(self, key: Key) -> bool:
        """Return whether a message came before, by a subscription that another replaces."""
        seen = self._changing
        if seen is None:
            return False
        if key in seen:
            self.copies += 1
            del seen[key]
            return True
        seen[key] = None
        if len(seen) > SEEN:
            del seen[next(iter(seen))]
        return False

    async def _settle(self, needed: tuple[str, ...]) -> None:
        needed = apart(needed)
        fresh = [pattern for pattern in needed if pattern not in self._made]
        kept = set(needed)
        surplus = [pattern for pattern in self._made if pattern not in kept]
        self._changing = {} if surplus else None
        try:
            await self._make(fresh)
            if surplus:
                self._link.unsubscribe(self._natively(surplus))
                self._drop(surplus)
                await self._link.probe(DEADLINE_S)  # what was in transit has arrived
        finally:
            self._changing = None

    async def _make(self, fresh: list[str]) -> None:
        for pattern in fresh:
            self._made[pattern] = None
            self._tree.add(pattern)
        try:
            await acknowledged(self._link.subscribe(self._natively(fresh)), DEADLINE_S)
        except BaseException:
            self._link.unsubscribe(self._natively(fresh))
            self._drop(fresh)
            raise

    def _natively(self, patterns: list[str]) -> list[str]:
        """Return patterns in the broker's form; control events are never shared."""
        return [p if is_reserved(p) else f"{self._prefix}{p}" for p in patterns]

    def _drop(self, patterns: list[str]) -> None:
        for pattern in patterns:
            self._made.pop(pattern, None)
            self._tree.remove(pattern)
