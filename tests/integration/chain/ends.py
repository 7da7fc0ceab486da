"""Native clients of the event services of a chain: what they publish, and what they get."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Protocol

from adapter_cns.mapping import Forms
from adapter_cns.settings import Settings
from adapter_cosmic.codec import to_fes, to_record
from eventservices.cns import ClientType, EventChannel, StructuredEvent
from eventservices.cosmic import Delivery, Node
from eventservices.cosmic import Event as CosmicEvent
from eventservices.cosmic.record import decode, encode
from eventservices.stamp import Stamp
from fes.mapping import Mapping, Native
from fes.model import Event, is_reserved


class End(Protocol):
    """A client that publishes and hears, and knows nothing of the federation.

    Attributes:
        home: The event service that its events come from.
        got: What it received, with its stamps.
        echo: Whether its event service brings it its own events too.
    """

    home: str
    got: list[tuple[Event, Stamp]]
    echo: bool

    async def publish(self, event: Event) -> Stamp:
        """Publish an event as the event service has it, and return its stamp."""
        ...


@dataclass
class CnsEnd:
    """A consumer and supplier of a CNS channel."""

    home: str
    got: list[tuple[Event, Stamp]] = field(default_factory=list)
    forms: Forms = field(default_factory=lambda: Forms(Settings(), Mapping()))
    echo: bool = True

    async def open(self, channel: EventChannel, subjects: Iterable[str]) -> None:
        """Take part in a channel."""
        consumers, suppliers = channel.default_consumer_admin, channel.default_supplier_admin
        proxy = consumers.obtain_notification_push_supplier(ClientType.STRUCTURED_EVENT)
        await proxy.subscription_change([("*", subject) for subject in subjects], [])
        await proxy.connect_structured_push_consumer(self)
        self._supplier = suppliers.obtain_notification_push_consumer(ClientType.STRUCTURED_EVENT)
        await self._supplier.connect_structured_push_supplier(origin=f"native {self.home}")

    def push_structured_event(self, event: StructuredEvent, stamp: Stamp | None) -> None:
        """Take an event; the channel calls it."""
        assert stamp is not None
        native = self.forms.from_structured(event)
        assert native.subject is not None
        if not is_reserved(native.subject):  # the type `*` is all types, control events too
            self.got.append((Event(native.subject, native.parameters, native.attributes), stamp))

    async def publish(self, event: Event) -> Stamp:
        """Publish a structured event."""
        made = self.forms.to_native(Native(event.subject, event.parameters, event.attributes))
        assert isinstance(made, StructuredEvent)
        return await self._supplier.push_structured_event(made)


@dataclass
class CosmicEnd:
    """A node of a CAN bus, whose events are records."""

    node: Node
    home: str
    got: list[tuple[Event, Stamp]] = field(default_factory=list)
    echo: bool = False

    async def open(self, subjects: Iterable[str]) -> None:
        """Announce, and subscribe to, the channels of some subjects."""
        for subject in subjects:
            await self.node.announce(subject)
            await self.node.subscribe(subject, on_event=self._heard)

    async def publish(self, event: Event) -> Stamp:
        """Publish a record."""
        content = encode(to_record(event.subject, event))
        stamp = self.node.publish(CosmicEvent(event.subject, content, typed=True))
        assert stamp is not None
        return stamp

    def _heard(self, delivery: Delivery) -> None:
        assert delivery.stamp is not None
        self.got.append((to_fes(decode(delivery.content)), delivery.stamp))
