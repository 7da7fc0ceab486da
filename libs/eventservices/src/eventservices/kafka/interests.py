"""The topics that one member of a group reads, and who needs them.

Each change of them has the group divide its partitions again, which lasts seconds. So changes that
come during a division wait for its end, and are made together by the next one.
"""

import asyncio
import logging
import re
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from typing import Final, NamedTuple, Protocol

from eventservices.errors import (
    EventServiceError,
    MalformedError,
    NotConnectedError,
    RefusedError,
)
from eventservices.slices import shared_slice

ASSIGNED_S: Final = 30.0
"""Longest wait for one division of the partitions."""

OTHERS_S: Final = 8.0
"""After a division without a topic, how long that topic may still come with another one: the
division may have begun before the change. After it other members have the topic's partitions."""

AGAIN_S: Final = 1.0
"""Pause after a change that failed."""

MOST: Final = 10_000
"""Most interests; one more is refused."""

_log = logging.getLogger(__name__)


class Found(NamedTuple):
    """What a broker answers about topics.

    Attributes:
        names: Those of them that exist, and those that match their regular expressions.
        refused: Why some may not be read.
    """

    names: frozenset[str]
    refused: dict[str, EventServiceError]


class Member(Protocol):
    """A member of a group."""

    async def find(self, topics: Sequence[str]) -> Found:
        """Return which topics there are.

        Raises:
            EventServiceError: No broker answers.
        """

    async def read(self, topics: Sequence[str]) -> None:
        """Read these topics in place of those before; does not wait for the division.

        Raises:
            EventServiceError: They are not valid.
        """


class Interest:
    """Topics that somebody needs.

    Attributes:
        topics: Names, and regular expressions that begin with ^.
        ready: Done once all that exist of the topics are read.
    """

    def __init__(self, topics: Iterable[str]) -> None:
        self.topics = frozenset(topics)
        self.ready: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self.ready.add_done_callback(_retrieve)
        self._patterns = tuple(map(_pattern, (each for each in self.topics if each[:1] == "^")))
        if "" in self.topics:
            raise MalformedError("a topic has a name")

    def needs(self, names: frozenset[str]) -> bool:
        """Return whether one of some names is among the topics."""
        return not self.topics.isdisjoint(names) or any(
            each.match(name) for each in self._patterns for name in names
        )


class Interests:
    """Collects changes of the topics that a member reads, one division after the other.

    Args:
        member: Reads the topics.

    Attributes:
        changes: How often other topics were requested of the member.
        refused: How many interests were refused, since there were too many.
    """

    def __init__(self, member: Member) -> None:
        self.changes = 0
        self.refused = 0
        self._member = member
        self._interests: dict[Interest, None] = {}
        self._requested: frozenset[str] = frozenset()
        self._names: frozenset[str] = frozenset()
        self._missing: frozenset[str] = frozenset()
        self._assigned: frozenset[str] = frozenset()
        self._divisions = 0
        self._changed = asyncio.Event()
        self._moved = asyncio.Event()

    @property
    def topics(self) -> frozenset[str]:
        """All topics that somebody needs."""
        return frozenset().union(*(each.topics for each in self._interests))

    @property
    def missing(self) -> int:
        """How many topics that are needed did not exist when they were looked for."""
        return len(self._missing - self._assigned)

    def add(self, topics: Iterable[str]) -> Interest:
        """Begin to read topics; `Interest.ready` is done once they are read.

        Raises:
            MalformedError: A topic is none.
            RefusedError: There are `MOST` interests.
        """
        if len(self._interests) >= MOST:
            self.refused += 1
            raise RefusedError(f"more than {MOST} subscriptions of one consumer")
        interest = Interest(topics)
        self._interests[interest] = None
        self._changed.set()
        return interest

    def remove(self, interest: Interest) -> None:
        """End an interest, with the next change; who waits for it fails. Idempotent."""
        if interest in self._interests:
            self._fail([interest], NotConnectedError("it was withdrawn before it was active"))
            self._interests.pop(interest, None)
            self._changed.set()

    def assigned(self, topics: frozenset[str]) -> None:
        """Note the topics of which the member has partitions after a division."""
        self._assigned = topics
        self._divisions += 1
        self._moved.set()

    def released(self, topics: frozenset[str]) -> None:
        """Note topics of which the member has no partitions any more."""
        self._assigned -= topics

    def deny(self, topic: str, error: EventServiceError) -> None:
        """Note that a topic may not be read: who waits for it fails, and nobody else."""
        self._refuse({topic: error})
        self._moved.set()

    def close(self) -> None:
        """Fail whoever waits, after `run` has ended."""
        self._fail(list(self._interests), NotConnectedError("the consumer is closed"))
        self._interests.clear()

    async def run(self) -> None:
        """Make the changes, until cancelled."""
        while True:
            await self._changed.wait()
            self._changed.clear()
            waiting = [each for each in self._interests if _waits(each)]
            try:
                await self._change(waiting)
            except EventServiceError as error:
                self._fail(waiting, error)
                await asyncio.sleep(AGAIN_S)
            if self.topics != self._requested:
                self._changed.set()

    async def _change(self, waiting: list[Interest]) -> None:
        before, divisions, changes = self._names, self._divisions, self.changes
        if self.topics != self._requested:
            try:
                async with asyncio.timeout(ASSIGNED_S):
                    await self._read(list(self._interests))
            except TimeoutError as error:
                raise NotConnectedError("the consumer does not answer in time") from error
        fresh, gone = self._names - before - self._assigned, before - self._names
        is_due = self.changes != changes and bool(self._names and (fresh or gone))
        expected = divisions if is_due else -1
        with suppress(TimeoutError):
            async with asyncio.timeout(ASSIGNED_S):
                await self._settle(waiting, expected)
        if self._divisions == expected:
            self._fail(waiting, NotConnectedError("no partition was assigned in time"))
        for each in waiting:  # other members have the partitions
            _done(each)

    async def _read(self, interests: list[Interest]) -> None:
        """Request the topics of interests of the member, without those that it may not read."""
        found = await self._member.find(sorted(frozenset().union(*(i.topics for i in interests))))
        self._refuse(found.refused)
        topics = frozenset().union(*(i.topics for i in interests if i in self._interests))
        if topics != self._requested:
            self.changes += 1
            await self._member.read(sorted(topics))
        self._requested, self._names = topics, found.names
        self._assigned &= found.names
        missing = frozenset(each for each in topics if each[0] != "^") - found.names
        for topic in sorted(missing - self._missing):
            _log.warning("topic_missing", extra={"topic": topic})
        self._missing = missing

    async def _settle(self, waiting: list[Interest], divisions: int) -> None:
        """Wait until a change is made; each interest is ready as soon as its own topics are.

        Args:
            waiting: Interests that the change is for.
            divisions: How many there were before the change; -1 where it needs none.

        Raises:
            TimeoutError: What is missing does not come soon after a division.
        """
        while True:
            self._moved.clear()
            await self._ready(waiting)
            is_divided = self._divisions != divisions
            if is_divided and not any(map(_waits, waiting)):
                return
            async with asyncio.timeout(OTHERS_S if is_divided else None):
                await self._moved.wait()

    async def _ready(self, waiting: Iterable[Interest]) -> None:
        left, own = self._names - self._assigned, shared_slice()
        for each in filter(_waits, waiting):
            await own.turn()
            if not each.needs(left):
                _done(each)
            own.end()

    def _refuse(self, refused: Mapping[str, EventServiceError]) -> None:
        """Fail who waits for topics that may not be read, each by the first of its own."""
        waited_for: set[str] = set()
        for each in filter(_waits, tuple(self._interests) if refused else ()):
            own = sorted(each.topics & refused.keys())
            if own:
                waited_for.update(own)
                self._fail([each], refused[own[0]])
        for topic in sorted(refused.keys() - waited_for):
            _log.warning("topic_refused", extra={"topic": topic, "reason": str(refused[topic])})

    def _fail(self, interests: Iterable[Interest], error: EventServiceError) -> None:
        for each in interests:
            if _waits(each):
                each.ready.set_exception(error)
                self._interests.pop(each, None)
                self._changed.set()


def _pattern(text: str) -> re.Pattern[str]:
    try:
        return re.compile(text)
    except re.error as error:
        raise MalformedError(f"topics {text[:100]!r}: {error}") from error


def _waits(interest: Interest) -> bool:
    return not interest.ready.done()


def _done(interest: Interest) -> None:
    if _waits(interest):
        interest.ready.set_result(None)


def _retrieve(ready: "asyncio.Future[None]") -> None:
    """Look at an error that nobody may wait for: what was begun need not be awaited."""
    if not ready.cancelled():
        ready.exception()
