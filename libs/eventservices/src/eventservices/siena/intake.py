"""The way in: native subscriptions, and from each message to the callbacks that want it.

There is one native subscription for each distinct native subject. In a service with an index a
connection may listen to single tokens (narrow) and to all (wide) at once; then a message comes
twice, and either copy serves all callbacks, the other one being recognised by its stamp. Once the
wide copies are known to flow, the narrow ones are dropped unread.
"""

import contextlib
import logging
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from enum import Enum, auto

from eventservices.errors import EventServiceError, MalformedError
from eventservices.natslink import Listening, NatsLink
from eventservices.natsstamp import read_stamp, stamped
from eventservices.siena import codec
from eventservices.siena.counters import Aside, Counters
from eventservices.siena.filters import Filter
from eventservices.siena.matching import Match
from eventservices.siena.notification import Notification
from eventservices.stamp import Stamp
from eventservices.suppress import Suppressor

log = logging.getLogger(__name__)

Callback = Callable[[Notification, Stamp | None], None]
"""Takes a notification and its stamp; None where the publisher gave none."""

_Plan = tuple[tuple[Suppressor, tuple[tuple[Match, Callback], ...]], ...]


@dataclass(slots=True, eq=False)
class Subscription:
    """One subscription of one party.

    Attributes:
        party: Name of the client.
        filter: What it wants.
        callback: Called, from the event loop, once for each notification that matches.
        subject: The native subject that carries all that may match.
        match: The filter, compiled.
        suppressor: Remembers what the party was given.
        unproved: Servers that did not confirm in time; empty where it is in force everywhere.
    """

    party: str
    filter: Filter
    callback: Callback
    subject: str
    match: Match
    suppressor: Suppressor
    unproved: tuple[str, ...] = ()


class _Mode(Enum):
    NARROW = auto()  # no wide subscription
    BOTH = auto()  # either copy serves all, the second is recognised
    ARMED = auto()  # as BOTH, until the first wide copy comes
    WIDE = auto()  # narrow copies are dropped


@dataclass(slots=True, eq=False)
class _Feed:
    subject: str
    subscriptions: dict[Subscription, None]
    plan: _Plan | None = None
    listening: Listening | None = None
    in_force: bool = False


class Intake:
    """Carries the subscriptions of one connection.

    Args:
        link: Where to subscribe natively.
        counters: Where to count.
        aside: Where malformed messages go.
    """

    def __init__(self, link: NatsLink, counters: Counters, aside: Aside) -> None:
        self._link = link
        self._counters = counters
        self._aside = aside
        self._feeds: dict[str, _Feed] = {}
        self._wide: _Feed | None = None
        self._mode = _Mode.NARROW

    @property
    def native_subjects(self) -> tuple[str, ...]:
        """Native subjects subscribed to, each once."""
        return tuple(self._feeds)

    async def add(self, subscription: Subscription) -> bool:
        """Add a subscription.

        Returns:
            Whether its native subscription is new and must come in force yet.

        Raises:
            NotConnectedError: The broker is away; nothing was added.
        """
        subject = subscription.subject
        feed = self._feeds.get(subject)
        if feed is not None:
            feed.subscriptions[subscription] = None
            self._forget_plan(feed)
            return not feed.in_force
        feed = self._feeds[subject] = _Feed(subject, {subscription: None})
        if subject.endswith(".*"):
            self._wide = feed
            self._mode = _Mode.BOTH
        self._forget_plan(feed)
        handler = self._on_wide if feed is self._wide else self._on_narrow
        try:
            feed.listening = await self._link.listen(subject, handler)
        except EventServiceError:
            await self.remove(subscription)
            raise
        return True

    def in_force(self, subscription: Subscription) -> None:
        """Tell that a native subscription, new a moment ago, is in force."""
        feed = self._feeds.get(subscription.subject)
        if feed is None or subscription not in feed.subscriptions:
            return
        feed.in_force = True
        if feed is self._wide and self._mode is _Mode.BOTH:
            self._mode = _Mode.ARMED

    async def remove(self, subscription: Subscription) -> None:
        """Remove a subscription; its callback is called no more from now on."""
        feed = self._feeds.get(subscription.subject)
        if feed is None or subscription not in feed.subscriptions:
            return
        del feed.subscriptions[subscription]
        self._forget_plan(feed)
        if not feed.subscriptions:
            del self._feeds[feed.subject]
            await self._mute(feed)

    async def _mute(self, feed: _Feed) -> None:
        if feed is self._wide:
            self._mode = _Mode.BOTH
            with contextlib.suppress(EventServiceError):
                await self._link.flush()  # the wide copies of narrow ones that were dropped
        if feed.listening is not None:
            await self._link.mute(feed.listening)
        if feed is self._wide:
            self._wide = None
            self._mode = _Mode.NARROW

    def _forget_plan(self, feed: _Feed) -> None:
        feed.plan = None
        if feed is self._wide:
            for each in self._feeds.values():
                each.plan = None

    def _plan_of(self, feed: _Feed) -> _Plan:
        """Return what a message for a feed's subject is for, wide subscriptions included."""
        if feed.plan is None:
            wide = self._wide.subscriptions if self._wide else {}
            feed.plan = _plan({**wide, **feed.subscriptions})
        return feed.plan

    def _on_narrow(self, subject: str, payload: bytes, headers: bytes, _reply: str) -> None:
        if self._mode is _Mode.WIDE:
            return
        feed = self._feeds.get(subject)
        if feed is None:
            return
        if self._mode is _Mode.NARROW or stamped(headers):
            plan = self._plan_of(feed)
        else:
            plan = _plan(feed.subscriptions)  # a copy without stamp cannot be recognised
        self._serve(plan, subject, payload, headers)

    def _on_wide(self, subject: str, payload: bytes, headers: bytes, _reply: str) -> None:
        if self._mode is _Mode.ARMED:
            self._mode = _Mode.WIDE
        wide = self._wide
        if wide is None:
            return
        both = self._mode is _Mode.WIDE or stamped(headers)
        feed = self._feeds.get(subject, wide) if both else wide
        self._serve(self._plan_of(feed), subject, payload, headers)

    def _serve(self, plan: _Plan, subject: str, payload: bytes, headers: bytes) -> None:
        counters = self._counters
        counters.received += 1
        try:
            notification = codec.decode(payload)
            stamp = read_stamp(headers)
        except MalformedError as error:
            self._aside.put(subject, headers, payload, str(error))
            return
        if stamp is None:
            counters.unstamped += 1
        attributes = notification.attributes
        matched = False
        for suppressor, wishes in plan:
            hits = [callback for match, callback in wishes if match(attributes)]
            if not hits:
                continue
            matched = True
            if stamp is None or not suppressor.repeated(stamp):
                self._call(hits, notification, stamp)
        if not matched:
            counters.unmatched += 1

    def _call(
        self, callbacks: list[Callback], notification: Notification, stamp: Stamp | None
    ) -> None:
        if len(callbacks) > 1:  # a callback that several filters share is called once
            callbacks = list(dict.fromkeys(callbacks))
        for callback in callbacks:
            self._counters.delivered += 1
            try:
                callback(notification, stamp)
            except Exception:
                self._counters.callback_errors += 1
                log.exception("callback_failed")


def _plan(subscriptions: Iterable[Subscription]) -> _Plan:
    wishes: dict[int, tuple[Suppressor, list[tuple[Match, Callback]]]] = {}
    for each in subscriptions:
        found = wishes.setdefault(id(each.suppressor), (each.suppressor, []))
        found[1].append((each.match, each.callback))
    return tuple((suppressor, tuple(wanted)) for suppressor, wanted in wishes.values())
