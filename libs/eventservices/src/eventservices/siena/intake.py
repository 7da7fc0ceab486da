"""Incoming messages: native subscriptions, and from each message to the interested parties.

There is one native subscription for each distinct native subject. In a service with an index a
connection may listen to single tokens (narrow) and to all (wide) at once; then a message comes
twice, and either copy serves all callbacks, the other one being recognised by its stamp. Once the
wide copies are known to flow, the narrow ones are dropped unread.
"""

import contextlib
from dataclasses import dataclass, field
from enum import Enum, auto
from typing import TYPE_CHECKING

from eventservices.errors import EventServiceError, MalformedError
from eventservices.natslink import Listening, NatsLink
from eventservices.natsstamp import read_stamp, stamped
from eventservices.siena import codec
from eventservices.siena.counters import Aside, Counters
from eventservices.siena.subscription import Subscription
from eventservices.siena.table import FilterTable

if TYPE_CHECKING:
    from eventservices.siena.subscription import Deliveries


class _Mode(Enum):
    NARROW = auto()  # no wide subscription
    BOTH = auto()  # either copy serves all, the second is recognised
    ARMED = auto()  # as BOTH, until the first wide copy comes
    WIDE = auto()  # narrow copies are dropped


@dataclass(slots=True, eq=False)
class _Feed:
    subject: str
    table: FilterTable[Subscription] = field(default_factory=FilterTable)
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
            Whether its native subscription is new and must come active yet.

        Raises:
            NotConnectedError: The broker is away; nothing was added.
        """
        subject = subscription.subject
        feed = self._feeds.get(subject)
        if feed is not None:
            feed.table.add(subscription, subscription.filter)
            return not feed.in_force
        feed = self._feeds[subject] = _Feed(subject)
        feed.table.add(subscription, subscription.filter)
        if subject.endswith(".*"):
            self._wide = feed
            self._mode = _Mode.BOTH
        handler = self._on_wide if feed is self._wide else self._on_narrow
        try:
            feed.listening = await self._link.listen(subject, handler)
        except EventServiceError:
            await self.remove(subscription)
            raise
        if self._feeds.get(subject) is not feed:  # it ended meanwhile
            await self._link.mute(feed.listening)
        return True

    def in_force(self, subscription: Subscription) -> None:
        """Report that a native subscription, new a moment ago, is active."""
        feed = self._feeds.get(subscription.subject)
        if feed is None or subscription not in feed.table:
            return
        feed.in_force = True
        if feed is self._wide and self._mode is _Mode.BOTH:
            self._mode = _Mode.ARMED

    async def remove(self, subscription: Subscription) -> None:
        """Remove a subscription; its callback is called no more from now on."""
        feed = self._feeds.get(subscription.subject)
        if feed is None or subscription not in feed.table:
            return
        feed.table.remove(subscription)
        if not len(feed.table):
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

    def _on_narrow(self, subject: str, payload: bytes, headers: bytes, _reply: str) -> None:
        if self._mode is _Mode.WIDE:
            return
        feed = self._feeds.get(subject)
        if feed is None:
            return
        if self._wide is not None and stamped(headers):
            self._serve((self._wide, feed), subject, payload, headers)
        else:  # a copy without stamp cannot be recognised
            self._serve((feed,), subject, payload, headers)

    def _on_wide(self, subject: str, payload: bytes, headers: bytes, _reply: str) -> None:
        if self._mode is _Mode.ARMED:
            self._mode = _Mode.WIDE
        wide = self._wide
        if wide is None:
            return
        feed = self._feeds.get(subject)
        both = feed is not None and (self._mode is _Mode.WIDE or stamped(headers))
        self._serve((wide, feed) if feed and both else (wide,), subject, payload, headers)

    def _serve(
        self, feeds: tuple[_Feed, ...], subject: str, payload: bytes, headers: bytes
    ) -> None:
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
        wanted: dict[Deliveries, list[Subscription]] = {}
        for feed in feeds:
            for each in feed.table.match(attributes):
                wanted.setdefault(each.outlet, []).append(each)
        if not wanted:
            counters.unmatched += 1
        for outlet, hits in wanted.items():
            outlet.take(hits, notification, stamp)
