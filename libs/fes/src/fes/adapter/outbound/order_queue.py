"""Orders that wait for the event service: desired states come first, and all is bounded."""

from collections import OrderedDict
from collections.abc import Callable, Iterator
from typing import cast

from fes.link.lanes import QUEUE_BYTES, BoundedLane
from fes.link.messages import (
    Announce,
    Desired,
    Order,
    Publish,
    PublishControl,
    Subscribe,
    Unannounce,
    Unsubscribe,
)

QUEUE = 20_000
"""Most publications that wait, and most requests to forward that wait."""

ByNumber = Subscribe | Unsubscribe | Announce | Unannounce
"""Orders about a native subscription or announcement."""

Key = tuple[bool, int]
"""Whether it is a subscription, and its number."""

Displaced = Callable[[Order], None]
"""Called with a waiting publication that was dropped for a more urgent one."""


def _tell_nobody(_: Order) -> None:
    """Ignore a dropped order."""


class Orders:
    """Keeps orders until the event service accepts them.

    However long the service is away, orders about the desired state need no more room than the
    state itself: they change a whole state that waits, and a withdrawal removes an order that still
    waits. Publications and requests to forward go in turns, so that a flood of either does
    not block the other. Of waiting publications, those of larger priority go first, and equal ones
    in their order.

    Args:
        queue: Most publications, and most requests to forward, that wait. The next is not accepted,
            unless it is a publication that is more urgent than others: then the newest of the least
            urgent is dropped.
        holds: Returns whether a number is active natively, is just being made, or is to be tried
            again.
        on_displaced: Called with the publication that is dropped.
        queue_bytes: Most bytes of publications and of requests to forward that wait.
    """

    def __init__(
        self,
        queue: int,
        holds: Callable[[int], bool],
        on_displaced: Displaced = _tell_nobody,
        queue_bytes: int = QUEUE_BYTES,
    ) -> None:
        self._holds = holds
        self._on_displaced = on_displaced
        self._whole: dict[Key, Subscribe | Announce] | None = None
        self._version = 0
        self._changes: OrderedDict[Key, ByNumber] = OrderedDict()
        self._requests = BoundedLane(queue, queue_bytes)
        self._events = BoundedLane(queue, queue_bytes)
        self._event_is_next = False

    def __len__(self) -> int:
        """Return how many orders wait; a whole state is one."""
        whole = int(self._whole is not None)
        return whole + len(self._changes) + self._requests.count + self._events.count

    @property
    def waiting_bytes(self) -> int:
        """The size of the publications and requests that wait."""
        return self._requests.waiting_bytes + self._events.waiting_bytes

    def put(self, order: Order) -> bool:
        """Keep an order; return False where too many wait."""
        match order:
            case Publish() | PublishControl(publication=True):
                return self._put_event(order)
            case PublishControl():
                return self._requests.put(order) is not None
            case Desired():
                self._put_whole(order)
            case Subscribe() | Announce() | Unsubscribe() | Unannounce():
                self._change(order)
        return True

    def take(self) -> Order:
        """Return the next order.

        Raises:
            IndexError: None waits.
        """
        if self._whole is not None:
            return self._take_whole(self._whole)
        if self._changes:
            return self._changes.popitem(last=False)[1]
        # In turns, so that neither waits behind many of the other.
        is_event = self._events.count and (self._event_is_next or not self._requests.count)
        self._event_is_next = not is_event
        return cast("Order", (self._events if is_event else self._requests).take())

    def subscriptions(self) -> Iterator[Subscribe]:
        """Yield the subscriptions that wait, in their order; none where a whole state does."""
        return (order for order in self._changes.values() if isinstance(order, Subscribe))

    def _put_event(self, order: Publish | PublishControl) -> bool:
        displaced = self._events.put(order, order.priority)
        if displaced is None:
            return False
        for each in displaced:
            self._on_displaced(cast("Order", each))
        return True

    def _put_whole(self, desired: Desired) -> None:
        self._version = desired.version
        self._whole = {_key(order): order for order in desired.subscriptions}
        self._whole.update((_key(order), order) for order in desired.announcements)
        self._changes.clear()

    def _change(self, order: ByNumber) -> None:
        if self._whole is not None:
            self._version = getattr(order, "version", self._version)
            self._whole.pop(_key(order), None)
            if isinstance(order, Subscribe | Announce):
                self._whole[_key(order)] = order
            return
        before = self._changes.pop(_key(order), None)
        is_ending = isinstance(order, Unsubscribe | Unannounce)
        taken_back = is_ending and isinstance(before, Subscribe | Announce)
        if not taken_back or self._holds(order.number):
            self._changes[_key(order)] = order

    def _take_whole(self, whole: dict[Key, Subscribe | Announce]) -> Desired:
        self._whole = None
        return Desired(
            self._version,
            tuple(order for order in whole.values() if isinstance(order, Subscribe)),
            tuple(order for order in whole.values() if isinstance(order, Announce)),
        )


def _key(order: ByNumber) -> Key:
    return isinstance(order, Subscribe | Unsubscribe), order.number
