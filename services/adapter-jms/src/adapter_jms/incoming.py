"""Messages between broker and gateway: each once, acknowledged when that is safe."""

import asyncio
from collections.abc import Callable
from typing import Final

from eventservices.ending import ended
from eventservices.jms.message import JmsMessage
from eventservices.stomp.client import HEARTBEAT_MS
from fes.adapter.inbound.acknowledgements import Answer
from fes.adapter.inbound.ordered import OrderedDelivery

from adapter_jms.mapping import MAX_SUBSCRIPTIONS
from adapter_jms.settings import MOST_PREFETCH
from adapter_jms.subscriptions import Copies

MOST: Final = MAX_SUBSCRIPTIONS * MOST_PREFETCH
"""Most messages that wait: the broker sends no more before some are acknowledged."""

REDELIVERS_S: Final = 2 * HEARTBEAT_MS / 1000
"""After how long, at the latest, the broker notices that a connection is lost, seconds."""


class Incoming:
    """Passes messages on.

    Args:
        receive: Accepts a message, and its answer where the gateway has to answer for it.
        acknowledge: Acknowledges a message at the broker.
        keeps: Whether a message is acknowledged only when the gateway has custody of it.
    """

    def __init__(
        self,
        receive: Callable[..., None],
        acknowledge: Callable[[str], None],
        *,
        keeps: bool,
    ) -> None:
        self._receive = receive
        self._acknowledge = acknowledge
        self._keeps = keeps
        self._copies = Copies()
        self._acks: dict[int, list[str]] = {}
        self._next = 0
        self._delivery: OrderedDelivery[JmsMessage] = OrderedDelivery(self._give, self._done, MOST)
        self._task: asyncio.Task[None] | None = None

    def open(self) -> None:
        """Begin to pass on what the gateway has to answer for."""
        self._task = asyncio.create_task(self._delivery.run(), name="jms deliver")

    async def close(self) -> None:
        """End; what was not answered for is delivered again."""
        await ended(self._task)

    def counts(self) -> dict[str, int]:
        """Return what happened, by name."""
        return {"copies": self._copies.counted, **self._delivery.counters()}

    def take(self, message: JmsMessage) -> None:
        """Accept a message; a copy of one that came before is acknowledged with it."""
        ack = message.frame.get("ack", "")
        known = self._copies.number_of(message.id)
        if known is not None and known in self._acks:
            self._acks[known].append(ack)
        elif known is not None:
            self._acknowledge(ack)
        else:
            self._first(message, ack)

    def lost(self) -> None:
        """Note that the connection was lost: the broker delivers again what was not acknowledged.

        The gateway keeps what it has; what it answers for meanwhile is a copy when it comes again.
        """
        for acks in self._acks.values():
            acks.clear()

    def _first(self, message: JmsMessage, ack: str) -> None:
        self._next += 1
        self._copies.note(message.id, self._next)
        if not self._keeps:
            self._receive(message)
            self._acknowledge(ack)
            return
        self._acks[self._next] = [ack]
        self._delivery.put(self._next, message, message.size)

    def _give(self, message: JmsMessage, answer: Answer) -> None:
        self._receive(message, answer)

    def _done(self, number: int) -> None:
        for ack in self._acks.pop(number, ()):
            self._acknowledge(ack)
