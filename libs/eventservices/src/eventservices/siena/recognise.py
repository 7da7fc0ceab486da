"""Recognition of patterns at the access point: which notifications form a sequence.

Notifications are in the order of their stamps' times, not of their arrival; those of one time, and
those without a stamp, by arrival. Whatever matches one of the filters waits until it completes a
sequence, so that one that comes late still finds its place. A sequence is reported as soon as it is
complete, the earliest one first; each notification is part of one sequence at most.
"""

from bisect import bisect_left, bisect_right, insort
from collections.abc import Callable, Iterator
from typing import NamedTuple

from eventservices.siena.matching import compile_filter
from eventservices.siena.notification import Notification
from eventservices.siena.pattern import Pattern
from eventservices.siena.subscription import Delivery, PatternMatch
from eventservices.stamp import Stamp

Place = tuple[int, int]
"""Where a notification is among the others: its time and its number of arrival."""


class _Waiting(NamedTuple):
    place: Place
    delivery: Delivery


class Recogniser:
    """Recognises one pattern.

    Args:
        pattern: What to recognise.
        kept: Notifications that wait for each of its filters; the oldest one goes first.
        clock_us: Returns the time of what has no stamp, microseconds since 1970 UTC.
        tell: Is called with each sequence; must not raise.
        drop: Called for each notification that was forgotten because of the bound.
    """

    def __init__(
        self,
        pattern: Pattern,
        *,
        kept: int,
        clock_us: Callable[[], int],
        tell: Callable[[PatternMatch], None],
        drop: Callable[[], None],
    ) -> None:
        self._matches = [compile_filter(each) for each in pattern.filters]
        self._waiting: list[list[_Waiting]] = [[] for _ in self._matches]
        self._kept = kept
        self._clock_us = clock_us
        self._tell = tell
        self._drop = drop
        self._arrivals = 0

    def __len__(self) -> int:
        """Return how many notifications wait, one for each filter that it matches."""
        return sum(map(len, self._waiting))

    def take(self, notification: Notification, stamp: Stamp | None) -> None:
        """Accept a notification; report the sequence that it completes."""
        self._arrivals += 1
        place = (self._clock_us() if stamp is None else stamp.time_us, self._arrivals)
        arrived = _Waiting(place, Delivery(notification, stamp))
        for match, waiting in zip(self._matches, self._waiting, strict=True):
            if match(notification.attributes):
                self._keep(waiting, arrived)
        found = list(self._earliest())
        if len(found) == len(self._matches):
            self._use(found)
            self._tell(tuple(each.delivery for each in found))

    def _keep(self, waiting: list[_Waiting], arrived: _Waiting) -> None:
        insort(waiting, arrived, key=_place_of)
        if len(waiting) > self._kept:
            del waiting[0]
            self._drop()

    def _earliest(self) -> Iterator[_Waiting]:
        """Yield the earliest sequence, where there is one."""
        after: Place | None = None
        for waiting in self._waiting:
            at = 0 if after is None else bisect_right(waiting, after, key=_place_of)
            if at >= len(waiting):
                return
            after = waiting[at].place
            yield waiting[at]

    def _use(self, found: list[_Waiting]) -> None:
        for used in found:
            for waiting in self._waiting:
                at = bisect_left(waiting, used.place, key=_place_of)
                if at < len(waiting) and waiting[at] is used:
                    del waiting[at]


def _place_of(waiting: _Waiting) -> Place:
    return waiting.place
