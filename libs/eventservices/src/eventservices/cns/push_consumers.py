"""Proxies that suppliers push to: Any events, structured events, and batches of these."""

from collections.abc import Sequence

from eventservices.cns.codec import encode
from eventservices.cns.event import AnyEvent, StructuredEvent
from eventservices.cns.options import ProxyType
from eventservices.cns.persistent.publisher import stored
from eventservices.cns.supplier import ProxyConsumer
from eventservices.cns.value import Value
from eventservices.errors import MalformedError
from eventservices.stamp import Stamp


class ProxyPushConsumer(ProxyConsumer):
    """Receives the events of a supplier of Any events.

    If the supplier has `disconnect_push_supplier()`, that is called when the channel goes first.
    """

    my_type = ProxyType.PUSH_ANY

    async def connect_any_push_supplier(
        self, supplier: object = None, *, origin: str | None = None, epoch: int | None = None
    ) -> None:
        """Connect a supplier.

        Args:
            supplier: See the class; None where it needs no calls.
            origin: Name in its stamps, unique in the event service; by default a fresh one.
            epoch: Of its stamps; by default the wall clock in microseconds.

        Raises:
            AlreadyConnectedError: There is one.
            DisconnectedError: The proxy was destroyed.
            InterfaceError: An operation of the supplier is not a plain function.
            MalformedError: `origin` or `epoch` cannot be part of a stamp.
        """
        self._connect(supplier, origin, epoch)

    async def push(
        self, value: Value, *, time_us: int | None = None, stamp: Stamp | None = None
    ) -> Stamp:
        """Publish an Any event.

        A persistent event is published when the broker has stored it, and only then this returns.
        While the broker is away it waits; it is stored once, in its place among the others. A
        supplier that stops waiting does not know whether it was stored.

        Args:
            value: What the Any carries.
            time_us: Producer's time, microseconds since 1970 UTC; the clock's where None.
            stamp: A whole stamp, where an event is published again under its own identity.

        Returns:
            The event's stamp; also where a filter of the supplier's side did not let it pass.

        Raises:
            DisconnectedError: No supplier is connected.
            MalformedError: No Any carries such a value, or the stamp is out of range.
            TooLargeError: The event exceeds what the broker accepts.
            NotConnectedError: The broker is away, or does not read and the buffer is full; or the
                connection is closed. A persistent event waits instead.
            ImplLimitError: The channel has as many events as it may.
            RefusedError: The broker refused to store a persistent event.
        """
        return await self._publish(AnyEvent(value), time_us, stamp)

    async def disconnect_push_consumer(self) -> None:
        """Withdraw the offers and end the proxy; harmless when repeated."""
        await self._disconnect()


class StructuredProxyPushConsumer(ProxyConsumer):
    """Receives the events of a supplier of structured events."""

    my_type = ProxyType.PUSH_STRUCTURED

    async def connect_structured_push_supplier(
        self, supplier: object = None, *, origin: str | None = None, epoch: int | None = None
    ) -> None:
        """Connect a supplier; arguments and errors as of `connect_any_push_supplier`."""
        self._connect(supplier, origin, epoch)

    async def push_structured_event(
        self, event: StructuredEvent, *, time_us: int | None = None, stamp: Stamp | None = None
    ) -> Stamp:
        """Publish a structured event; other arguments, result and errors as of `push`."""
        return await self._publish(event, time_us, stamp)

    async def disconnect_structured_push_consumer(self) -> None:
        """Withdraw the offers and end the proxy; harmless when repeated."""
        await self._disconnect()


class SequenceProxyPushConsumer(ProxyConsumer):
    """Receives batches of structured events of a supplier; each event is published by itself."""

    my_type = ProxyType.PUSH_SEQUENCE

    async def connect_sequence_push_supplier(
        self, supplier: object = None, *, origin: str | None = None, epoch: int | None = None
    ) -> None:
        """Connect a supplier; arguments and errors as of `connect_any_push_supplier`."""
        self._connect(supplier, origin, epoch)

    async def push_structured_events(
        self,
        events: Sequence[StructuredEvent],
        *,
        time_us: int | None = None,
        stamps: Sequence[Stamp] | None = None,
    ) -> list[Stamp]:
        """Publish a batch of events, in order.

        Persistent events are sent together, which is much faster than one after another.

        Args:
            events: The batch.
            time_us: Producer's time for all, microseconds since 1970 UTC; the clock's where None.
            stamps: A whole stamp for each, where they are published again.

        Returns:
            The events' stamps.

        Raises:
            MalformedError: An event cannot be encoded, or the stamps are fewer or more; nothing
                was published. Other errors as of `push`; events before the faulty one were
                published, later ones perhaps.
        """
        if stamps is not None and len(stamps) != len(events):
            raise MalformedError(f"{len(stamps)} stamps for {len(events)} events")
        payloads = [encode(event) for event in events]
        used, waiting = [], []
        for number, (event, payload) in enumerate(zip(events, payloads, strict=True)):
            given = None if stamps is None else stamps[number]
            stamp, storing = await self._send(event, payload, time_us, given)
            used.append(stamp)
            if storing is not None:
                waiting.append(storing)
        for storing in waiting:
            await stored(storing)
            self.pushed += 1
        return used

    async def disconnect_sequence_push_consumer(self) -> None:
        """Withdraw the offers and end the proxy; harmless when repeated."""
        await self._disconnect()
