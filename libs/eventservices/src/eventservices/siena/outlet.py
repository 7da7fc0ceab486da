"""Delivery to one party: each identity once, and kept while the party is suspended."""

import logging
from collections.abc import Iterable, Sequence
from typing import Any

from eventservices.siena.bounded import Bounded, Keep
from eventservices.siena.counters import Counters
from eventservices.siena.notification import Notification
from eventservices.siena.subscription import AnySubscription, Subscription
from eventservices.stamp import Stamp
from eventservices.suppress import Suppressor

log = logging.getLogger(__name__)

_Held = tuple[Sequence[AnySubscription], tuple[Any, ...]]


class Outlet:
    """Calls the callbacks of one party.

    Args:
        suppressor: Remembers what the party received.
        counters: Where to count.
        size: Most that is kept while the party is suspended.
        keep: What is kept at that bound.

    Attributes:
        suspended: Whether deliveries are kept.
    """

    def __init__(
        self, suppressor: Suppressor, counters: Counters, size: int, keep: Keep = Keep.NEWEST
    ) -> None:
        self.suppressor = suppressor
        self.suspended = False
        self._counters = counters
        self._held: Bounded[_Held] = Bounded(size, keep)

    @property
    def held(self) -> int:
        """Deliveries that wait for the party to resume."""
        return len(self._held)

    @property
    def dropped(self) -> int:
        """Deliveries that found no place while the party was suspended."""
        return self._held.dropped

    def take(
        self, hits: Sequence[Subscription], notification: Notification, stamp: Stamp | None
    ) -> None:
        """Deliver a notification to those that it matched, unless the party has had it before."""
        if stamp is not None and self.suppressor.repeated(stamp):
            return
        own = [each for each in hits if not each.part]
        if len(own) < len(hits):  # patterns are recognised while the party is suspended, too
            for recognise in dict.fromkeys(each.callback for each in hits if each.part):
                recognise(notification, stamp)
        if own:
            self.give(own, (notification, stamp))

    def give(self, to: Sequence[AnySubscription], item: tuple[Any, ...]) -> None:
        """Call the callbacks of subscriptions with an item, or retain it."""
        if not self.suspended:
            self._call(to, item)
        elif not self._held.put((to, item)):
            self._counters.held_dropped += 1

    def resume(self) -> int:
        """Deliver what was kept, in its order, and retain no more.

        Returns:
            Deliveries that were retained and made now.
        """
        self.suspended = False
        given = 0
        while self._held and not self.suspended:  # a callback may suspend again
            to, item = self._held.take()
            live = [each for each in to if not each.ended]
            self._call(live, item)
            given += bool(live)
        return given

    def _call(self, to: Iterable[AnySubscription], item: tuple[Any, ...]) -> None:
        # A callback that several filters share is called once.
        for callback in dict.fromkeys(each.callback for each in to):
            self._counters.delivered += 1
            try:
                callback(*item)
            except Exception:
                self._counters.callback_errors += 1
                log.exception("callback_failed")
