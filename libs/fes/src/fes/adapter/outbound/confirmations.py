"""Confirmations.

What an adapter reports to its gateway about events in custody that it publishes.
"""

from collections import OrderedDict
from collections.abc import Callable

from fes.link.messages import Confirmed, Publish

REMEMBERED = 10_000
"""Most rows whose outcome is remembered."""

UNKNOWN = "set aside"
"""Why a row was set aside, where no reason is known."""

OUT_OF_TURN = "the row before it was not published"


class Confirmations:
    """Confirms rows, and keeps their order: none is published without the one before it.

    What was published, or set aside for good, is not published again, however often the gateway
    orders it: an answer may have been lost. The first answer is sent again.

    Args:
        send: Sends to the gateway.
    """

    def __init__(self, send: Callable[[Confirmed], bool]) -> None:
        self._send = send
        self._ended: OrderedDict[int, str] = OrderedDict()

    def is_turn(self, order: Publish) -> bool:
        """Return whether an event is to be published now.

        Where not, send the gateway the reason.
        """
        error = self._ended.get(order.row)
        if error is not None:
            self._send(Confirmed(order.row, error, retryable=False) if error else _done(order))
            return False
        if not order.after or order.after in self._ended:
            return True
        self.failed(order, OUT_OF_TURN, retryable=True)
        return False

    def published(self, order: Publish) -> None:
        """Report that the event service has an event."""
        if order.row:
            self._end(order.row, "")
            self._send(_done(order))

    def failed(self, order: Publish, error: str, *, retryable: bool) -> None:
        """Report that an event could not be published."""
        if order.row:
            if not retryable:
                self._end(order.row, error or UNKNOWN)
            self._send(Confirmed(order.row, error, retryable))

    def _end(self, row: int, error: str) -> None:
        self._ended[row] = error
        if len(self._ended) > REMEMBERED:
            self._ended.popitem(last=False)


def _done(order: Publish) -> Confirmed:
    return Confirmed(order.row)
