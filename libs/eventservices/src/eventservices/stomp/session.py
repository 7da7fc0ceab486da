"""Messages of JMS consumed and sent by one connection, which is made again where it is lost."""

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from typing import Final, Self

from eventservices.errors import MalformedError, RefusedError
from eventservices.jms.message import (
    MAP_XML,
    TRANSFORMATION,
    JmsMessage,
    Kind,
    read_message,
)
from eventservices.jms.receipts import Receipts
from eventservices.jms.source import Source
from eventservices.lifetime import Opening
from eventservices.stomp.client import Frame
from eventservices.stomp.link import StompLink

Receive = Callable[[JmsMessage], None]

_DURABLE: Final = "activemq.subscriptionName"


class Session(Opening):
    """Consumes and sends messages.

    Args:
        urls: Addresses of equal brokers, tried in turn.
        client_id: Name that durable subscriptions belong to; "" for none.
        receive: Receives each message once, and its number, which `done` expects.
        unread: Receives a reason and a body where a frame cannot be read as a message.
        prefetch: Most messages of one subscription that the broker sends before some are
            acknowledged.
    """

    def __init__(
        self,
        urls: Sequence[str],
        client_id: str,
        receive: Callable[[JmsMessage, int], None],
        unread: Callable[[str, bytes], None],
        prefetch: int,
    ) -> None:
        self._receive = receive
        self._unread = unread
        self._prefetch = prefetch
        self._link = StompLink(urls, client_id, self._arrived)
        self._receipts = Receipts(self._link.acknowledge)
        self._link.on_lost = self._receipts.lost
        self._listeners: dict[str, Receive] = {}
        self._serial = 0

    def counters(self) -> dict[str, int]:
        """Return what happened, by name."""
        link = {f"link_{name}": count for name, count in self._link.counts.items()}
        return {**link, "copies": self._receipts.copies}

    async def open(self) -> Self:
        """Connect.

        Raises:
            NotConnectedError: No broker answers in time, or the client's name is in use.
            RefusedError: The broker refuses the credentials.
        """
        await self._link.open()
        return self

    async def close(self) -> None:
        """Disconnect; idempotent. What is not done is delivered again."""
        await self._link.close()

    async def listen(self, number: str, source: Source, receive: Receive) -> None:
        """Subscribe to messages that are acknowledged as soon as they were received.

        Args:
            number: Number of the subscription, which its messages have; not a digit behind `s`.
            source: What to subscribe to.
            receive: Receives each message, copies of those of other subscriptions too.

        Raises:
            EventServiceError: As `consume`.
        """
        self._listeners[number] = receive
        try:
            await self._subscribe(number, source)
        except BaseException:
            del self._listeners[number]
            raise

    async def consume(self, source: Source, durable: str = "") -> str:
        """Subscribe to messages that are acknowledged once they are done.

        Args:
            source: What to subscribe to.
            durable: Name under which the broker keeps the subscription; "" where it does not.

        Returns:
            Number of the subscription.

        Raises:
            NotConnectedError: The broker does not answer in time.
            RefusedError: It refuses the subscription.
        """
        self._serial += 1
        number = f"s{self._serial}"
        await self._subscribe(number, source, durable)
        return number

    async def end(self, number: str, durable: str = "") -> None:
        """End a subscription, and delete what the broker keeps of it; idempotent.

        Raises:
            NotConnectedError: The broker does not answer in time.
        """
        with suppress(RefusedError):  # it is not there
            await self._link.unsubscribe(number, durable)

    def done(self, number: int) -> None:
        """Acknowledge a message, and its copies."""
        self._receipts.done(number)

    async def send(
        self,
        destination: tuple[Kind, str],
        headers: Mapping[str, str],
        body: bytes,
        *,
        as_bytes: bool = False,
        confirmed: bool = False,
    ) -> None:
        """Send a message.

        Args:
            destination: Kind and name.
            headers: Header fields and properties, as of the frame.
            body: Its bytes.
            as_bytes: Whether it is a bytes message; else text, where it has no NUL.
            confirmed: Whether to return once the broker keeps it.

        Raises:
            MalformedError: A header has a character that a frame cannot contain.
            NotConnectedError: The broker is away, or does not answer in time.
            RefusedError: It refuses the message.
        """
        bad = next((name for name, text in headers.items() if "\0" in text), None)
        if bad is not None:
            raise MalformedError(f"header {bad[:80]!r} has the character that ends a frame")
        kind, name = destination
        frame = {**headers, "destination": f"/{kind}/{name}"}
        if as_bytes or b"\0" in body:
            frame["content-length"] = str(len(body))
        await self._link.send(frame, body, confirmed=confirmed)

    async def probe(self, topic: str) -> None:
        """Make a round trip.

        Args:
            topic: Which nobody subscribes to.

        Raises:
            NotConnectedError: The broker does not answer in time.
        """
        await self._link.probe(f"/topic/{topic}")

    async def _subscribe(self, number: str, source: Source, durable: str = "") -> None:
        headers = {
            "destination": source.destination,
            "ack": "client-individual",
            **({"selector": source.selector} if source.selector else {}),
            "activemq.prefetchSize": str(self._prefetch),
            TRANSFORMATION: MAP_XML,
            **({_DURABLE: durable} if durable else {}),
        }
        await self._link.subscribe(number, headers)

    def _arrived(self, frame: Frame) -> None:
        ack = frame.headers.get("ack", "")
        try:
            message = read_message(frame.headers, frame.body)
        except MalformedError as error:
            self._unread(str(error), frame.body)
            self._link.acknowledge(ack)
            return
        listener = self._listeners.get(message.subscription)
        if listener is not None:
            listener(message)
            self._link.acknowledge(ack)
        elif (number := self._receipts.accept(message)) is not None:
            self._receive(message, number)
