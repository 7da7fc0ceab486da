"""What an adapter tells its gateway of events in custody, which it was to publish."""

from collections import OrderedDict
from collections.abc import Callable

from fes.link.messages import Confirmed, Publish

REMEMBERED = 10_000
"""Most rows remembered as published."""

OUT_OF_TURN = "the row before it was not published"


class Confirming:
    """Confirms rows, and keeps their order: none is published without the one before it.

    What was published is not published again, however often the gateway asks: a confirmation may
    have been lost.

    Args:
        send: Sends to the gateway.
    """

    def __init__(self, send: Callable[[Confirmed], bool]) -> None:
        self._send = send
        self._published: OrderedDict[int, None] = OrderedDict()

    def is_turn(self, order: Publish) -> bool:
        """Tell whether an event is to be published now; where not, the gateway is told why."""
        if order.row in self._published:
            self._send(Confirmed(order.row))
            return False
        if not order.after or order.after in self._published:
            return True
        self.failed(order, OUT_OF_TURN, retryable=True)
        return False

    def published(self, order: Publish) -> None:
        """Tell that the event service has an event."""
        if order.row:
            self._published[order.row] = None
            if len(self._published) > REMEMBERED:
                self._published.popitem(last=False)
            self._send(Confirmed(order.row))

    def failed(self, order: Publish, error: str, *, retryable: bool) -> None:
        """Tell that an event could not be published."""
        if order.row:
            if not retryable:
                self._published[order.row] = None
            self._send(Confirmed(order.row, error, retryable))
