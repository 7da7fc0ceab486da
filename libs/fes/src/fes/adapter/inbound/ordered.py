"""Ordered delivery to the gateway of messages that a store keeps until they are answered."""

import asyncio
from collections.abc import Callable
from heapq import heappop, heappush
from typing import Final, Generic, TypeVar

from eventservices.slices import shared_slice

from fes.adapter.inbound.acknowledgements import Answer

AGAIN_S: Final = 0.5
"""How long a message that the gateway did not accept waits before it is sent again."""

MOST_BYTES: Final = 4 * 1024 * 1024
"""Most bytes of messages that wait, or are not answered, before no more are fetched."""

MESSAGE_BYTES: Final = 500
"""Approximate bytes of a message beside its body and headers."""

MessageT = TypeVar("MessageT")


class OrderedDelivery(Generic[MessageT]):
    """Sends messages to the gateway in the order of their keys, again where it did not accept them.

    While a message waits to be sent again, nothing behind it is sent.

    Args:
        receive: Accepts a message and the function that answers it.
        done: Called with the key of a message that the gateway accepted.
        most: Most messages that wait, or are not answered; `room` waits for less.
        most_bytes: Most bytes of these; what was fetched together may exceed it.

    Attributes:
        waiting_bytes: The size of the messages that wait, or are not answered.
    """

    def __init__(
        self,
        receive: Callable[[MessageT, Answer], None],
        done: Callable[[int], None],
        most: int,
        most_bytes: int = MOST_BYTES,
    ) -> None:
        self.waiting_bytes = 0
        self._receive = receive
        self._done = done
        self._most = most
        self._most_bytes = most_bytes
        self._largest = 1
        self._sizes: dict[int, int] = {}
        self._waiting: list[int] = []
        self._messages: dict[int, MessageT] = {}
        self._wake = asyncio.Event()
        self._room = asyncio.Event()
        self._room.set()
        self._rests_until_s = 0.0

    def __len__(self) -> int:
        """Return how many messages wait, or are not answered."""
        return len(self._messages)

    def __contains__(self, key: int) -> bool:
        """Return whether a message waits, or is not answered."""
        return key in self._messages

    def counters(self) -> dict[str, int]:
        """Return how many messages wait or are not answered, and their bytes."""
        return {"unanswered": len(self), "unanswered_bytes": self.waiting_bytes}

    @property
    def has_room(self) -> bool:
        """Whether more may be fetched."""
        return len(self._messages) < self._most and self.waiting_bytes < self._most_bytes

    def put(self, key: int, message: MessageT, size: int) -> None:
        """Queue a message for the gateway; nothing happens where its key is queued already.

        Args:
            key: Its place in the order.
            message: The message.
            size: Bytes of its body and headers.
        """
        if key in self._messages:
            return
        size += MESSAGE_BYTES
        self._messages[key] = message
        self._sizes[key] = size
        self.waiting_bytes += size
        self._largest = max(self._largest, size)
        self._wait(key)
        if not self.has_room:
            self._room.clear()

    async def room(self) -> int:
        """Wait for room; return for how many messages there is room, as large as any before."""
        await self._room.wait()
        fit = (self._most_bytes - self.waiting_bytes) // self._largest
        return max(1, min(self._most - len(self._messages), fit))

    async def run(self) -> None:
        """Send messages to the gateway until cancelled."""
        loop, share = asyncio.get_running_loop(), shared_slice()
        while True:
            await share.turn()
            rest_s = self._rests_until_s - loop.time()
            if rest_s > 0:
                await asyncio.sleep(rest_s)
            elif not self._waiting:
                self._wake.clear()
                await self._wake.wait()
            else:
                key = heappop(self._waiting)
                self._receive(self._messages[key], self._answer(key))
                share.end()

    def _wait(self, key: int) -> None:
        heappush(self._waiting, key)
        self._wake.set()

    def _answer(self, key: int) -> Answer:
        def answer(taken: bool) -> None:  # noqa: FBT001 - `Answer` is called by position
            if not taken:
                self._rests_until_s = asyncio.get_running_loop().time() + AGAIN_S
                self._wait(key)
                return
            del self._messages[key]
            self.waiting_bytes -= self._sizes.pop(key)
            if self.has_room:
                self._room.set()
            self._done(key)

        return answer
