"""Nodes: what an application uses to publish and to receive on the air."""

from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager

from eventservices.errors import NotConnectedError
from eventservices.lifetime import Leaving
from eventservices.stamp import Stamp
from eventservices.steam.consumer import Callback, Consumer, Subscription
from eventservices.steam.content import Term
from eventservices.steam.counters import Counters
from eventservices.steam.event import Event
from eventservices.steam.event_type import EventType
from eventservices.steam.inbox import INBOX_SIZE, Inbox
from eventservices.steam.location import Location
from eventservices.steam.medium import Medium
from eventservices.steam.node_settings import NodeSettings
from eventservices.steam.producer import Announced, Producer
from eventservices.steam.proximity import Proximity


class Node(Leaving):
    """Speaks and receives on an air; made by `Air.node`.

    Args:
        air: The medium.
        settings: What the node is.
        location: States where it is.
    """

    def __init__(self, air: Medium, settings: NodeSettings, location: Location) -> None:
        self.settings = settings
        self.location = location
        self.counters = Counters()
        self._air = air
        self._left = False
        self._producer = Producer(air, settings, location, self.counters)
        self._consumer = Consumer(air, settings, location, self.counters)

    @property
    def name(self) -> str:
        """Name of the node."""
        return self.settings.name

    @property
    def announced(self) -> dict[str, Announced]:
        """What is announced now, by subject."""
        return dict(self._producer.announced)

    @property
    def subscriptions(self) -> list[Subscription]:
        """Subscriptions that are active, the oldest first."""
        return list(self._consumer.subscriptions.values())

    def close(self) -> None:
        """Withdraw all announcements and subscriptions and leave; harmless where it has left."""
        self._left = True
        self._producer.close()
        self._consumer.close()
        self._air.forget(self)

    def announce(self, event_type: EventType | str, proximity: Proximity) -> None:
        """Announce that this node publishes events of a type; a second call replaces the first.

        Args:
            event_type: Subject, with or without the layout of its events.
            proximity: Area in which the events are valid.

        Raises:
            MalformedError: The subject or proximity is not valid.
            RefusedError: The node announces too many subjects.
            NotConnectedError: The node has left the air.
        """
        self._check_there()
        self._producer.announce(event_type, proximity)

    def unannounce(self, subject: str) -> None:
        """Accept an announcement back, with a farewell; harmless where there is none."""
        self._producer.unannounce(subject)

    def publish(
        self, event: Event, *, time_us: int | None = None, stamp: Stamp | None = None
    ) -> Stamp | None:
        """Put an event on the air.

        Args:
            event: What to publish; its subject must have been announced.
            time_us: The event's time on the trace's clock; now where None.
            stamp: Whole stamp of an event that comes from elsewhere; goes before `time_us`.

        Returns:
            The event's stamp; None where the node's position at the event's time is not known,
            so that nothing was sent.

        Raises:
            RefusedError: The subject was not announced.
            MalformedError: A value has no type in STEAM, or the layout is another.
            TooLargeError: The event exceeds the limit; nothing was sent.
            NotConnectedError: The broker is away or does not keep up, or the node has left the
                air; nothing was sent.
        """
        self._check_there()
        return self._producer.publish(event, time_us, stamp)

    async def subscribe(
        self, subject: str, callback: Callback, content: Iterable[Term] = ()
    ) -> Subscription:
        """Request events of a subject, and return once the broker delivers them.

        Args:
            subject: Name of the event type; case sensitive.
            callback: Is called with each notification received and accepted; what it raises is
                counted and logged.
            content: Terms of the content filter; none accepts everything.

        Raises:
            MalformedError: The subject or a term is not valid.
            RefusedError: The broker refused, or there are too many subscriptions.
            NotConnectedError: The broker does not answer in time, or the node has left the air.
        """
        self._check_there()
        return await self._consumer.subscribe(subject, callback, content)

    @asynccontextmanager
    async def listen(
        self, subject: str, content: Iterable[Term] = (), *, size: int = INBOX_SIZE
    ) -> AsyncIterator[Inbox]:
        """Subscribe for as long as the context lasts, and read what comes with `async for`.

        Args:
            subject: Name of the event type; case sensitive.
            content: Terms of the content filter; none accepts everything.
            size: Notifications that wait at most; the oldest is dropped first, and is counted.

        Raises:
            MalformedError: The subject, a term or the size is not valid.
            RefusedError: The broker refused, or there are too many subscriptions.
            NotConnectedError: The broker does not answer in time, or the node has left the air.
        """
        self._check_there()
        inbox = Inbox(size)
        subscription = await self._consumer.subscribe(subject, inbox.put, content, inbox.end)
        try:
            yield inbox
        finally:
            self.unsubscribe(subscription)

    def unsubscribe(self, subscription: Subscription) -> None:
        """Accept a subscription back; harmless where it has been."""
        self._consumer.unsubscribe(subscription)

    def beacon(self) -> None:
        """Send a beacon for each announcement and active subscription; the air calls it."""
        self._producer.beacon()
        self._consumer.beacon()

    def _check_there(self) -> None:
        if self._left:
            raise NotConnectedError(f"node {self.name!r} has left the air")
