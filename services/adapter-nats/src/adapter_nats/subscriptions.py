"""Native subscriptions: what the filters need together; each message is accepted once.

NATS delivers a message once for each subscription that matches it. So only those that no other
covers are made, and of several that overlap the oldest accepts the message. Where that one ends,
the next one, which is active already, replaces it (`Handover`).
"""

from typing import Final

from eventservices.errors import NotConnectedError
from eventservices.natsclient import Handler
from eventservices.natslink import Listening, NatsLink
from fes.adapter.plain.wanted import Wanted
from fes.mapping.topics.levels import NATS
from fes.mapping.topics.tree import TopicTree, least

from adapter_nats.handover import Handover

MOST: Final = 4096
"""Most native subscriptions of one adapter; with more, every subject is subscribed to."""


class Subscriptions(Wanted[str]):
    """Keeps the native subscriptions of one adapter.

    Args:
        link: The connection.
        take: Accepts each message once.
        queue: Group of clients among which the server divides the messages; "" for none.
    """

    def __init__(self, link: NatsLink, take: Handler, queue: str = "") -> None:
        super().__init__()
        self._queue = queue
        self._link = link
        self._take = take
        self._made: dict[str, Listening] = {}
        self._tree = TopicTree(NATS)
        self._ages: dict[str, int] = {}
        self._serial = 0
        self._handover: Handover | None = None

    def __len__(self) -> int:
        """Return how many native subscriptions there are."""
        return len(self._made)

    async def _settle(self, needed: tuple[str, ...]) -> None:
        needed = _needed(needed)
        fresh = [pattern for pattern in needed if pattern not in self._made]
        for pattern in fresh:
            await self._make(pattern)
        if fresh:
            await self._link.flush()
        kept = set(needed)
        await self._end([pattern for pattern in self._made if pattern not in kept])

    async def _make(self, pattern: str) -> None:
        self._serial += 1
        self._ages[pattern] = self._serial
        self._tree.add(pattern)
        try:
            self._made[pattern] = await self._link.listen(
                pattern, self._handler(pattern), self._queue
            )
        except BaseException:
            self._drop(pattern)
            raise

    async def _end(self, surplus: list[str]) -> None:
        if not surplus:
            return
        handover = self._handover = Handover(frozenset(surplus))
        try:
            await self._link.flush()
            handover.over = True
            await self._link.finish([self._made[pattern] for pattern in surplus])
        except NotConnectedError:
            # The next connection begins with what is left.
            await self._link.finish([self._made[pattern] for pattern in surplus])
        finally:
            self._handover = None
            for pattern in surplus:
                self._drop(pattern)

    def _drop(self, pattern: str) -> None:
        self._made.pop(pattern, None)
        self._tree.remove(pattern)
        del self._ages[pattern]

    def _handler(self, pattern: str) -> Handler:
        def handle(subject: str, payload: bytes, headers: bytes, reply: str) -> None:
            if self._is_turn(pattern, subject, payload, headers):
                self._take(subject, payload, headers, reply)

        return handle

    def _is_turn(self, pattern: str, subject: str, payload: bytes, headers: bytes) -> bool:
        """Return whether a subscription is the one that accepts a message."""
        matching = sorted(self._tree.covering(subject), key=self._ages.__getitem__)
        if self._handover is not None and len(matching) > 1:
            return self._handover.is_turn(pattern, matching, (subject, payload, headers))
        return matching[:1] == [pattern]


def _needed(patterns: tuple[str, ...]) -> tuple[str, ...]:
    found = least(patterns, NATS)
    return found if len(found) <= MOST else (NATS.rest,)
