"""Native subscriptions: no two of them match one topic, so that each message comes once.

A broker sends one copy for several subscriptions of a client that match, or one for each, as it
likes. So those that another covers are not made, and two that overlap become one that covers both.
While one takes the place of another both are in force for a moment; what comes twice in it is known
by topic and payload.
"""

from collections.abc import Iterable
from typing import Final

from eventservices.steam.link import Link, acknowledged
from fes.mapping.topics.levels import MQTT
from fes.mapping.topics.tree import TopicTree, least

from adapter_mqtt.memory import Key

MOST_WILD: Final = 128
"""Most subscriptions with wildcards; above it every topic is subscribed to."""

DEADLINE_S: Final = 5.0
"""Longest that the broker takes to answer."""

SEEN: Final = 4096
"""Most messages remembered while subscriptions change."""


class Subscriptions:
    """Keeps the native subscriptions of one adapter.

    Args:
        link: The connection.

    Attributes:
        copies: Messages that came twice while subscriptions changed.
    """

    def __init__(self, link: Link) -> None:
        self.copies = 0
        self._link = link
        self._wanted: dict[int, tuple[str, ...]] = {}
        self._made: dict[str, None] = {}
        self._tree = TopicTree(MQTT)
        self._changing: dict[Key, None] | None = None

    def __len__(self) -> int:
        """Return how many native subscriptions there are."""
        return len(self._made)

    def comes_back(self, topic: str) -> bool:
        """Tell whether the broker sends messages of a topic to this adapter."""
        return next(self._tree.covering(topic), None) is not None

    def is_copy(self, key: Key) -> bool:
        """Tell whether a message came before, by a subscription that another replaces."""
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

    async def want(self, number: int, patterns: tuple[str, ...]) -> None:
        """Subscribe to what a filter needs; return when the broker has it in force.

        Raises:
            EventServiceError: As the link; what was in force stays.
        """
        before = self._wanted.get(number)
        self._wanted[number] = patterns
        try:
            await self._settle()
        except BaseException:
            self._wanted.pop(number, None)
            if before is not None:
                self._wanted[number] = before
            raise

    async def forget(self, number: int) -> None:
        """End what only one filter needed.

        Raises:
            EventServiceError: As the link.
        """
        if self._wanted.pop(number, None) is not None:
            await self._settle()

    async def _settle(self) -> None:
        needed = apart(each for patterns in self._wanted.values() for each in patterns)
        fresh = [pattern for pattern in needed if pattern not in self._made]
        surplus = [pattern for pattern in self._made if pattern not in set(needed)]
        self._changing = {} if surplus else None
        try:
            await self._make(fresh)
            if surplus:
                self._link.unsubscribe(surplus)
                self._drop(surplus)
                await self._link.probe(DEADLINE_S)  # what was under way has come
        finally:
            self._changing = None

    async def _make(self, fresh: list[str]) -> None:
        for pattern in fresh:
            self._made[pattern] = None
            self._tree.add(pattern)
        try:
            await acknowledged(self._link.subscribe(fresh), DEADLINE_S)
        except BaseException:
            self._link.unsubscribe(fresh)
            self._drop(fresh)
            raise

    def _drop(self, patterns: list[str]) -> None:
        for pattern in patterns:
            self._made.pop(pattern, None)
            self._tree.remove(pattern)


def apart(patterns: Iterable[str]) -> tuple[str, ...]:
    """Return subscriptions that match whatever some match, and no topic twice."""
    kept = least(patterns, MQTT)
    wild = [pattern for pattern in kept if _is_wild(pattern)]
    if len(wild) > MOST_WILD:
        owned = [pattern for pattern in kept if pattern.startswith("$")]
        return (MQTT.rest, *owned)
    made: list[str] = []
    for pattern in wild:
        joined = pattern
        while other := next((each for each in made if overlap(each, joined)), None):
            made.remove(other)
            joined = join(joined, other)
        made.append(joined)
    return least((*(pattern for pattern in kept if not _is_wild(pattern)), *made), MQTT)


def overlap(one: str, other: str) -> bool:
    """Tell whether two subscriptions may match one topic."""
    first, second = one.split("/"), other.split("/")
    for mine, theirs in zip(first, second, strict=False):
        if "#" in (mine, theirs):
            return True
        if "+" not in (mine, theirs) and mine != theirs:
            return False
    longer = first[len(second) :] or second[len(first) :]
    return not longer or longer == ["#"]


def join(one: str, other: str) -> str:
    """Return a subscription that matches whatever two overlapping ones match."""
    first, second = one.split("/"), other.split("/")
    levels: list[str] = []
    for mine, theirs in zip(first, second, strict=False):
        if "#" in (mine, theirs):
            return "/".join((*levels, "#"))
        levels.append(mine if mine == theirs else "+")
    return "/".join(levels if len(first) == len(second) else (*levels, "#"))


def _is_wild(pattern: str) -> bool:
    return "+" in pattern or pattern.endswith("#")
