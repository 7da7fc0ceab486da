"""Acknowledgements of messages, of which several subscriptions of a connection bring copies."""

from collections import OrderedDict
from collections.abc import Callable
from typing import Final

from eventservices.jms.message import JmsMessage

SEEN: Final = 8192
"""Most messages of which copies are recognised; the oldest is forgotten."""


class Receipts:
    """Acknowledges each message, and with it its copies, once it is done.

    Args:
        acknowledge: Acknowledges one copy at the broker.

    Attributes:
        copies: How many came again.
    """

    def __init__(self, acknowledge: Callable[[str], None]) -> None:
        self.copies = 0
        self._acknowledge = acknowledge
        self._seen: OrderedDict[str, int] = OrderedDict()
        self._undone: dict[int, list[str]] = {}
        self._last = 0

    def accept(self, message: JmsMessage) -> int | None:
        """Return the number of a message that did not come before; None for a copy of one.

        A copy is acknowledged with its message, or at once where that is done.
        """
        known = self._seen.get(message.id)
        if known is None:
            self._last += 1
            self._note(message.id, self._last)
            self._undone[self._last] = [message.ack]
            return self._last
        self.copies += 1
        if known in self._undone:
            self._undone[known].append(message.ack)
        else:
            self._acknowledge(message.ack)
        return None

    def done(self, number: int) -> None:
        """Acknowledge a message, by its number."""
        for ack in self._undone.pop(number, ()):
            self._acknowledge(ack)

    def lost(self) -> None:
        """Note that the connection was lost: the broker delivers again what was not acknowledged.

        What is not done yet is a copy when it comes again.
        """
        for acks in self._undone.values():
            acks.clear()

    def _note(self, identifier: str, number: int) -> None:
        if identifier:
            self._seen[identifier] = number
            if len(self._seen) > SEEN:
                self._seen.popitem(last=False)
