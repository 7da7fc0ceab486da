"""Nodes: what an application uses to publish and to subscribe on a bus."""

from collections.abc import Mapping
from typing import Any

from eventservices.cosmic.attributes import ChannelAttributes
from eventservices.cosmic.binding import check_etag
from eventservices.cosmic.event import Event, OnEvent, OnException
from eventservices.cosmic.frame import Frame
from eventservices.cosmic.identifier import check_can_id
from eventservices.cosmic.inbox import Inbox
from eventservices.cosmic.medium import Medium
from eventservices.cosmic.outbox import Outbox
from eventservices.cosmic.publication import Publication
from eventservices.cosmic.settings import NodeSettings
from eventservices.cosmic.subject import subject_uid
from eventservices.cosmic.subscription import QUEUE, Subscription, group_key
from eventservices.errors import NotConnectedError
from eventservices.lifetime import Leaving
from eventservices.stamp import Stamp

_DEFAULT = ChannelAttributes()


class Node(Leaving):
    """Publishes and subscribes on a bus; made by `Bus.node`.

    A node does not receive its own events.

    Args:
        bus: The bus, open.
        settings: What the node is.

    Raises:
        RefusedError: Another node of this process has its number.
    """

    def __init__(self, bus: Medium, settings: NodeSettings) -> None:
        self.settings = settings
        self._bus = bus
        self._outbox = Outbox(bus, settings)
        self._inbox = Inbox(bus, settings)
        self._closed = False
        bus.join(self)

    @property
    def number(self) -> int:
        """Node number."""
        return self.settings.number

    @property
    def announced(self) -> dict[str, Publication]:
        """What is announced now, by subject."""
        return dict(self._outbox.publications)

    @property
    def subscriptions(self) -> list[Subscription]:
        """Subscriptions active."""
        return self._inbox.subscriptions

    @property
    def counters(self) -> dict[str, int]:
        """What became of the node's events, by name."""
        inbox, assembler = self._inbox, self._inbox.assembler
        return {
            "published": self._outbox.published,
            "received": inbox.received,
            "suppressed": inbox.suppressed,
            "unstamped": inbox.unstamped,
            "unclaimed": inbox.unclaimed,
            "astray": inbox.holder.astray,
            "unfinished": assembler.dropped,
            "strays": assembler.strays,
        }

    def close(self) -> None:
        """Cancel all and leave the bus; harmless where it has left."""
        self._closed = True
        self._outbox.close()
        self._inbox.close()
        self._bus.leave(self)

    async def announce(
        self,
        subject: str,
        attributes: ChannelAttributes = _DEFAULT,
        on_exception: OnException | None = None,
        *,
        etag: int | None = None,
        origin: str = "",
    ) -> Publication:
        """Announce a channel; a second time replaces the first.

        Args:
            subject: Its name.
            attributes: What it guarantees.
            on_exception: Is called with what the channel could not do.
            etag: What represents the channel on the bus; where None, the broker is queried.
            origin: Of the stamps; the node's name and the subject where empty.

        Raises:
            RefusedError: HRT: no slot is free; or the node announces too many channels.
            NotConnectedError: The bus is closed, or no broker answers the query for the etag.
            MalformedError: The subject is empty, or the etag not one that a subject may have.
        """
        bound = await self._bind(subject, etag)
        return self._outbox.announce(subject, bound, attributes, on_exception, origin)

    def cancel_publication(self, subject: str) -> None:
        """Withdraw an announcement; what waits for a slot is not sent. Idempotent."""
        self._outbox.cancel(subject)

    def publish(
        self, event: Event, *, time_us: int | None = None, stamp: Stamp | None = None
    ) -> Stamp | None:
        """Publish an event; it waits for the bus, or for its slot.

        Args:
            event: Its subject must be announced.
            time_us: The event's time, of the clock of stamps; that clock's where None.
            stamp: Where the event has one already.

        Returns:
            The event's stamp; None on a channel that is not stamped.

        Raises:
            RefusedError: The subject is not announced, or too much waits for the bus.
            TooLargeError: More than 8 bytes on a real-time channel, or more than the bus accepts.
            NotConnectedError: The bus is closed, or its interface broken.
            MalformedError: An attribute or the stamp is not valid.
        """
        return self._outbox.publish(event, time_us, stamp)

    async def subscribe(
        self,
        subject: str,
        attributes: ChannelAttributes = _DEFAULT,
        on_event: OnEvent | None = None,
        on_exception: OnException | None = None,
        *,
        queue: int = QUEUE,
        etag: int | None = None,
    ) -> Subscription:
        """Subscribe to a channel.

        Args:
            subject: Its name.
            attributes: What it guarantees; of a channel with a period each event that does not come
                is an exception.
            on_event: Is called with each event; where None, events wait to be fetched.
            on_exception: Is called with what the channel could not do.
            queue: Most events that wait to be fetched.
            etag: What represents the channel on the bus; where None, the broker is queried.

        Raises:
            NotConnectedError: The bus is closed, or no broker answers the query for the etag.
            RefusedError: The node has too many subscriptions.
            MalformedError: The subject is empty, or the etag not one that a subject may have.
        """
        bound = await self._bind(subject, etag)
        return self._inbox.subscribe(bound, subject, attributes, on_event, on_exception, queue)

    def listen(
        self,
        can_id: int,
        attributes: ChannelAttributes = _DEFAULT,
        on_event: OnEvent | None = None,
        on_exception: OnException | None = None,
        *,
        extended: bool = True,
        group: bool = False,
        queue: int = QUEUE,
    ) -> Subscription:
        """Subscribe to the frames of one identifier, as devices send them that know no channels.

        With `group`, all identifiers of its SAE J1939 parameter group are meant.

        Raises:
            RefusedError: The node has too many subscriptions.
            MalformedError: There is no such identifier.
        """
        checked = check_can_id(can_id, extended=extended or group)
        key = group_key(checked) if group else (checked, extended)
        return self._inbox.subscribe(key, "", attributes, on_event, on_exception, queue)

    def cancel_subscription(self, subscription: Subscription) -> None:
        """Accept a subscription back; harmless where that was done."""
        self._inbox.cancel(subscription)

    def send_frame(
        self,
        frame: Frame,
        *,
        stamp: Stamp | None = None,
        attributes: Mapping[str, Any] | None = None,
        expires_us: int = 0,
    ) -> None:
        """Send a frame as it is, for devices that know no channels; attributes follow it.

        Args:
            frame: Identifier and at most 8 bytes.
            stamp: The event's; None to send the frame alone.
            attributes: What else is notified of it.
            expires_us: When it is worth nothing any more, wall clock; 0 never.

        Raises:
            MalformedError: The identifier, an attribute or the stamp is not valid.
            TooLargeError: It has more than 8 bytes.
            RefusedError: Too much waits for the bus.
            NotConnectedError: The bus is closed, or its interface broken.
        """
        self._outbox.send(frame, stamp, attributes or {}, expires_us)

    def take(self, frame: Frame) -> None:
        """Accept a frame of another node; the bus calls it."""
        self._inbox.take(frame)

    async def _bind(self, subject: str, etag: int | None) -> int:
        subject_uid(subject)
        bound = await self._bus.etag(self.number, subject) if etag is None else check_etag(etag)
        if self._closed:
            raise NotConnectedError("the node left the bus meanwhile")
        return bound
