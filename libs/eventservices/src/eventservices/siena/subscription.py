"""Subscriptions of a party, and what they deliver."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple, Protocol

from eventservices.siena.notification import Notification
from eventservices.stamp import Stamp

if TYPE_CHECKING:
    from collections.abc import Sequence

    from eventservices.siena.filters import Filter
    from eventservices.siena.pattern import Pattern


class Delivery(NamedTuple):
    """A notification as it was delivered.

    Attributes:
        notification: The attributes.
        stamp: Its identity and time; None where the publisher specified none.
    """

    notification: Notification
    stamp: Stamp | None


PatternMatch = tuple[Delivery, ...]
"""What matched a pattern: one delivery for each of its filters, in their order."""

Callback = Callable[[Notification, Stamp | None], None]
"""Accepts a notification and its stamp; None where the publisher specified none."""

PatternCallback = Callable[[PatternMatch], None]
"""Accepts the notifications that matched a pattern."""


class Deliveries(Protocol):
    """Delivers what matched to the callbacks of one party; `Outlet` implements it."""

    def take(
        self, hits: Sequence[Subscription], notification: Notification, stamp: Stamp | None
    ) -> None:
        """Deliver a notification to those that it matched, once for each identity."""


@dataclass(slots=True, eq=False)
class Subscription:
    """One subscription of one party, to a filter.

    Attributes:
        party: Name of the client.
        filter: What it requests.
        callback: Called, from the event loop, once for each notification that matches.
        subject: The native subject that carries all that may match.
        outlet: Where the party's deliveries go through.
        part: Whether it is a part of a pattern's subscription, and not the client's own.
        unproved: Servers that did not confirm in time; empty where it is active everywhere.
        ended: Whether it is over; its callback is called no more.
        on_ended: Called once when it ends; None for nothing.
    """

    party: str
    filter: Filter
    callback: Callback
    subject: str
    outlet: Deliveries
    part: bool = False
    unproved: tuple[str, ...] = ()
    ended: bool = False
    on_ended: Callable[[], None] | None = None

    @property
    def parts(self) -> tuple[Subscription, ...]:
        """What it consists of: itself."""
        return (self,)


@dataclass(slots=True, eq=False)
class PatternSubscription:
    """One subscription of one party, to a pattern.

    Attributes:
        party: Name of the client.
        pattern: What it requests.
        callback: Called, from the event loop, once for each sequence.
        parts: A subscription for each filter.
        ended: Whether it is over; its callback is called no more.
        on_ended: Called once when it ends; None for nothing.
    """

    party: str
    pattern: Pattern
    callback: PatternCallback
    parts: tuple[Subscription, ...] = ()
    ended: bool = False
    on_ended: Callable[[], None] | None = None

    @property
    def unproved(self) -> tuple[str, ...]:
        """Servers that did not confirm in time; empty where it is active everywhere."""
        return tuple(sorted({server for part in self.parts for server in part.unproved}))


AnySubscription = Subscription | PatternSubscription
"""What `Client.subscribe` returns."""


def end(subscription: AnySubscription) -> None:
    """Set a subscription as ended, and notify its parts."""
    subscription.ended = True
    for part in subscription.parts:
        part.ended = True
    told, subscription.on_ended = subscription.on_ended, None
    if told is not None:
        told()
