"""The queue of events that wait for one consumer. It knows neither clocks nor sockets."""

from collections.abc import Iterator

from eventservices.cns.qos.properties import DiscardPolicy, OrderPolicy
from eventservices.cns.queueing.index import Index
from eventservices.cns.queueing.item import Item
from eventservices.cns.queueing.policy import DELIVERY, DISCARDING, expiry, start


class EventQueue:
    """Keeps events in the order of one policy, and at its limit discards by another.

    Items whose start has not come are in the queue, count for the limit, and are not delivered.

    Args:
        order: Which item is delivered first.
        discard: Which item goes when there are too many; the newest is among them.
        limit: Most items; 0 for no limit.
    """

    def __init__(
        self,
        order: OrderPolicy = OrderPolicy.FIFO,
        discard: DiscardPolicy = DiscardPolicy.ANY,
        limit: int = 0,
    ) -> None:
        self._items: dict[int, Item] = {}
        self._arrivals = 0
        self.configure(order, discard, limit)

    def __len__(self) -> int:
        """Return how many items wait."""
        return len(self._items)

    def __iter__(self) -> Iterator[Item]:
        """Return the items that wait, oldest first."""
        return iter(tuple(self._items.values()))

    def configure(self, order: OrderPolicy, discard: DiscardPolicy, limit: int) -> list[Item]:
        """Change the policies; return what is discarded because the limit is lower now."""
        waiting = list(self._items.values())
        self._limit = limit
        self._delivery = Index(DELIVERY[order], (item for item in waiting if not item.start_us))
        self._discarding = Index(DISCARDING[discard], waiting)
        self._expiry = Index(expiry, (item for item in waiting if item.expires_us is not None))
        self._starts = Index(start, (item for item in waiting if item.start_us))
        return self._overflow()

    def put(self, item: Item) -> list[Item]:
        """Add an item; return what is discarded for it, perhaps itself."""
        self._arrivals += 1
        item.arrival, item.waiting = self._arrivals, True
        self._items[item.arrival] = item
        count = len(self._items)
        (self._starts if item.start_us else self._delivery).push(item, count)
        self._discarding.push(item, count)
        if item.expires_us is not None:
            self._expiry.push(item, count)
        return self._overflow()

    def discard(self) -> Item | None:
        """Remove and return the item that the discard policy selects."""
        found = self._discarding.first()
        if found is not None:
            self.remove(found)
        return found

    def expire(self, now_us: int) -> list[Item]:
        """Remove and return the items whose time is over.

        Args:
            now_us: Microseconds since 1970 UTC.
        """
        expired = []
        while (item := self._expiry.first()) is not None and _us(item.expires_us) <= now_us:
            self.remove(item)
            expired.append(item)
        return expired

    def head(self, count: int, now_us: int) -> list[Item]:
        """Return the items to deliver next; they stay in the queue.

        Args:
            count: Most items.
            now_us: Microseconds since 1970 UTC.
        """
        while (item := self._starts.first()) is not None and _us(item.start_us) <= now_us:
            self._starts.pop()
            self._delivery.push(item, len(self._items))
        found: list[Item] = []
        while len(found) < count and (item := self._delivery.pop()) is not None:
            found.append(item)
        for item in found:
            self._delivery.push(item, len(self._items))
        return found

    def remove(self, item: Item) -> None:
        """Remove an item; idempotent."""
        if self._items.pop(item.arrival, None) is not None:
            item.waiting = False

    def next_us(self) -> int | None:
        """Return when an item next starts or expires; None where none ever does."""
        moments = []
        if (item := self._starts.first()) is not None:
            moments.append(_us(item.start_us))
        if (item := self._expiry.first()) is not None:
            moments.append(_us(item.expires_us))
        return min(moments, default=None)

    def _overflow(self) -> list[Item]:
        discarded = []
        while self._limit and len(self._items) > self._limit:
            item = self.discard()
            if item is None:
                break
            discarded.append(item)
        return discarded


def _us(moment: int | None) -> int:
    return moment or 0
