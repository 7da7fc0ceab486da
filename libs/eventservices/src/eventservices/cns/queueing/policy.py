"""Order and discard policies as sort keys: the item with the smallest key goes first.

Source:
    OMG Notification Service 1.1, sections 2.5.5.9 and 2.5.5.10. The event that comes to a full
    queue competes with those that wait, as in Erlang's cosNotification; among equals the youngest
    is discarded.
"""

from collections.abc import Callable
from math import inf
from typing import Final, TypeAlias

from eventservices.cns.qos.properties import DiscardPolicy, OrderPolicy
from eventservices.cns.queueing.item import Item

Key: TypeAlias = Callable[[Item], tuple[float, int]]


def _oldest(item: Item) -> tuple[float, int]:
    return (0, item.arrival)


def _youngest(item: Item) -> tuple[float, int]:
    return (0, -item.arrival)


def _highest_priority(item: Item) -> tuple[float, int]:
    return (-item.priority, item.arrival)


def _lowest_priority(item: Item) -> tuple[float, int]:
    return (item.priority, -item.arrival)


def _earliest_deadline(item: Item) -> tuple[float, int]:
    return (_deadline(item), item.arrival)


def _next_to_expire(item: Item) -> tuple[float, int]:
    return (_deadline(item), -item.arrival)


def _deadline(item: Item) -> float:
    return inf if item.deadline_us is None else item.deadline_us


def expiry(item: Item) -> tuple[float, int]:
    """Order items by when they expire."""
    return (inf if item.expires_us is None else item.expires_us, item.arrival)


def start(item: Item) -> tuple[float, int]:
    """Order items by when they may be delivered."""
    return (item.start_us or 0, item.arrival)


DELIVERY: Final[dict[OrderPolicy, Key]] = {
    OrderPolicy.ANY: _oldest,
    OrderPolicy.FIFO: _oldest,
    OrderPolicy.PRIORITY: _highest_priority,
    OrderPolicy.DEADLINE: _earliest_deadline,
}
"""Which item is delivered first."""

DISCARDING: Final[dict[DiscardPolicy, Key]] = {
    DiscardPolicy.ANY: _youngest,
    DiscardPolicy.FIFO: _oldest,
    DiscardPolicy.PRIORITY: _lowest_priority,
    DiscardPolicy.DEADLINE: _next_to_expire,
    DiscardPolicy.LIFO: _youngest,
}
"""Which item is discarded first."""
