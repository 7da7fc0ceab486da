"""Orders that wait for the event service: what shall hold comes first, and all is bounded."""

from collections import OrderedDict, deque
from collections.abc import Callable

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
from fes.link.priority import PriorityQueue

QUEUE = 20_000
"""Most publications that wait, and most requests that are to be passed on."""

ByNumber = Subscribe | Unsubscribe | Announce | Unannounce
"""Orders about a native subscription or announcement."""

Key = tuple[bool, int]
"""Whether it is a subscription, and its number."""

Displaced = Callable[[Order], None]
"""Is told a publication that waited and had to go for a more urgent one."""


class Orders:
    """Keeps orders until the event service takes them.

    However long the service is away, what shall hold there takes no more room than the state
    itself: orders change a whole state that waits, and a withdrawal takes back what waits still.
    Of publications that wait, larger priorities go first, and equal ones in their order.

    Args:
        queue: Most publications, and most requests to pass on, that wait. The next is not taken,
            unless it is a publication that is more urgent than others: then the newest of the
            least urgent goes.
        holds: Tells of a number whether it is held natively, is just being made, or is to be
            tried again.
        on_displaced: Is told of the publication that goes.
    """

    def __init__(
        self,
        queue: int,
        holds: Callable[[int], bool],
        on_displaced: Displaced | None = None,
    ) -> None:
        self._queue = queue
        self._holds = holds
        self._on_displaced = on_displaced
        self._whole: dict[Key, Subscribe | Announce] | None = None
        self._version = 0
        self._changes: OrderedDict[Key, ByNumber] = OrderedDict()
        self._requests: deque[Order] = deque()
        self._events: PriorityQueue[Publish | PublishControl] = PriorityQueue()

    def __len__(self) -> int:
        """Return how many orders wait; a whole state is one."""
        whole = int(self._whole is not None)
        return whole + len(self._changes) + len(self._requests) + len(self._events)

    def put(self, order: Order) -> bool:
        """Keep an order; False where too many wait."""
        match order:
            case Publish() | PublishControl(publication=True):
                return self._put_event(order)
            case PublishControl():
                return self._put_request(order)
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
        if self._requests:
            return self._requests.popleft()
        return self._events.popleft()

    def _put_event(self, order: Publish | PublishControl) -> bool:
        displaced = None
        if len(self._events) >= self._queue:
            if next(self._events.below(order.priority), None) is None:
                return False
            displaced = self._events.pop_least()
        self._events.append(order, order.priority)
        if displaced is not None and self._on_displaced is not None:
            self._on_displaced(displaced)
        return True

    def _put_request(self, order: Order) -> bool:
        if len(self._requests) >= self._queue:
            return False
        self._requests.append(order)
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
