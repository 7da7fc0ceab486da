"""The consuming half of a node: subscriptions, and what is received."""

import logging
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from itertools import count

from eventservices.errors import NotConnectedError, RefusedError
from eventservices.steam.beacon import Membership
from eventservices.steam.content import ContentFilter, Term
from eventservices.steam.counters import Counters
from eventservices.steam.event import Notification, check_name
from eventservices.steam.geometry import Position
from eventservices.steam.hearing import unheard
from eventservices.steam.link import acknowledged
from eventservices.steam.location import Location
from eventservices.steam.medium import Medium
from eventservices.steam.node_settings import NodeSettings
from eventservices.steam.receiver import Receiver
from eventservices.steam.topics import encode_level
from eventservices.suppress import Suppressor

SUBSCRIBE_S = 10.0
"""Wall time that a subscription may need to be active."""

MAX_SUBSCRIPTIONS = 10_000
"""Most subscriptions that one node has."""

_log = logging.getLogger(__name__)

Callback = Callable[[Notification], None]
"""Is called with each notification received and accepted."""


@dataclass(frozen=True, slots=True, eq=False)
class Subscription:
    """One subscription of a node, to be returned to `unsubscribe`.

    Attributes:
        number: Distinguishes the node's subscriptions, from 1.
        subject: Name of the event type.
        content: What the node requested.
        callback: Is called with what was requested.
        on_end: Is called once when the subscription ends, whoever ended it; must not raise.
    """

    number: int
    subject: str
    content: ContentFilter
    callback: Callback
    on_end: Callable[[], None] | None = None


class Consumer:
    """Receives for one node; see `Node` for the operations.

    Args:
        air: The medium.
        settings: What the node is.
        location: States where it is.
        counters: The node's.
    """

    def __init__(
        self, air: Medium, settings: NodeSettings, location: Location, counters: Counters
    ) -> None:
        self.subscriptions: dict[int, Subscription] = {}
        self._air = air
        self._settings = settings
        self._location = location
        self._counters = counters
        self._numbers = count(1)
        self._by_subject: dict[str, tuple[Subscription, ...]] = {}
        carrier, range_m = air.carrier(settings.name), settings.range_m
        self._receiver = Receiver(air, carrier, location, range_m, counters)
        self._link = carrier.link
        self._suppressor = Suppressor(settings.suppress_window, settings.suppress_origins)

    async def subscribe(
        self,
        subject: str,
        callback: Callback,
        content: Iterable[Term] = (),
        on_end: Callable[[], None] | None = None,
    ) -> Subscription:
        """Request events of a subject, and return once the broker delivers them."""
        check_name(subject, "subject")
        if len(self.subscriptions) >= MAX_SUBSCRIPTIONS:
            raise RefusedError(f"node has {MAX_SUBSCRIPTIONS} subscriptions already")
        number, content_filter = next(self._numbers), ContentFilter(content)
        subscription = Subscription(number, subject, content_filter, callback, on_end)
        self._insert(subscription)
        try:
            replies = self._receiver.listen("event", encode_level(subject), self.hear)
            await acknowledged(replies, SUBSCRIBE_S)
        except BaseException:
            self._remove(subscription)
            raise
        if subscription.number not in self.subscriptions:
            raise NotConnectedError("the node left the air meanwhile")
        self._tell(subscription, present=True)
        return subscription

    def unsubscribe(self, subscription: Subscription) -> None:
        """Accept a subscription back."""
        if self.subscriptions.get(subscription.number) is subscription:
            self._tell(subscription, present=False)
            self._remove(subscription)

    def beacon(self) -> None:
        """Announce every active subscription."""
        for subscription in self.subscriptions.values():
            self._tell(subscription, present=True)

    def close(self) -> None:
        """Withdraw all subscriptions."""
        for subscription in list(self.subscriptions.values()):
            self.unsubscribe(subscription)
        self._receiver.close()

    def hear(self, notification: Notification) -> None:
        """Accept what the broker delivers, and pass on what the node receives and requested."""
        if notification.node == self._settings.name or not self._hears(notification):
            return
        parameters = notification.parameters
        takers = [
            one
            for one in self._by_subject.get(notification.subject, ())
            if one.content.accepts(parameters)
        ]
        if not takers:
            self._counters.filtered_content += 1
        elif self._suppressor.repeated(notification.stamp):
            self._counters.suppressed += 1
        else:
            self._counters.received += 1
            for subscription in takers:
                self._call(subscription, notification)

    def _hears(self, notification: Notification) -> bool:
        reason = unheard(
            notification.position,
            notification.range_m,
            notification.proximity,
            self._location.position_at(notification.stamp.time_us),
            self._settings.range_m,
        )
        if reason is not None:
            setattr(self._counters, reason, getattr(self._counters, reason) + 1)
        return reason is None

    def _call(self, subscription: Subscription, notification: Notification) -> None:
        try:
            subscription.callback(notification)
        except Exception:  # noqa: BLE001 - a callback must not end the connection
            self._counters.callback_errors += 1
            if self._counters.callback_errors == 1:
                _log.exception("callback failed", extra={"node": self._settings.name})

    def _insert(self, subscription: Subscription) -> None:
        self.subscriptions[subscription.number] = subscription
        others = self._by_subject.get(subscription.subject, ())
        self._by_subject[subscription.subject] = (*others, subscription)

    def _remove(self, subscription: Subscription) -> None:
        subject = subscription.subject
        if self.subscriptions.pop(subscription.number, None) is None:
            return
        rest = tuple(one for one in self._by_subject[subject] if one is not subscription)
        if rest:
            self._by_subject[subject] = rest
        else:
            del self._by_subject[subject]
            self._receiver.ignore("event", encode_level(subject))
        if subscription.on_end is not None:
            subscription.on_end()

    def _tell(self, subscription: Subscription, *, present: bool) -> None:
        def message(position: Position, now_us: int) -> Membership:
            return Membership(
                self._settings.sender,
                subscription.subject,
                position,
                now_us,
                self._air.settings.beacon_period_s,
                present,
                subscription.number,
                subscription.content.terms,
            )

        self._air.tell(self._link, "group", subscription.subject, self._location, message)
