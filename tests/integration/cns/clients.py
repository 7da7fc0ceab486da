"""Consumers and suppliers that keep what they were given."""

from eventservices.cns import (
    ClientType,
    ConsumerAdmin,
    EventChannel,
    ProxyPullSupplier,
    ProxyPushConsumer,
    ProxyPushSupplier,
    SequenceProxyPullSupplier,
    SequenceProxyPushConsumer,
    SequenceProxyPushSupplier,
    StructuredEvent,
    StructuredProxyPullSupplier,
    StructuredProxyPushConsumer,
    StructuredProxyPushSupplier,
    Value,
    structured_event,
)
from eventservices.stamp import Stamp

Pairs = tuple[tuple[str, str], ...]


class Anys:
    """Is a consumer of Any events that keeps what it was given."""

    def __init__(self) -> None:
        self.got: list[tuple[Value, Stamp | None]] = []
        self.offers: list[tuple[list[tuple[str, str]], list[tuple[str, str]]]] = []

    @property
    def values(self) -> list[Value]:
        return [value for value, _ in self.got]

    def push(self, value: Value, stamp: Stamp | None) -> None:
        self.got.append((value, stamp))

    def offer_change(self, added: Pairs, removed: Pairs) -> None:
        self.offers.append((list(added), list(removed)))


class Structureds:
    """Is a consumer of structured events that keeps what it was given."""

    def __init__(self) -> None:
        self.got: list[tuple[StructuredEvent, Stamp | None]] = []

    @property
    def events(self) -> list[StructuredEvent]:
        return [event for event, _ in self.got]

    def push_structured_event(self, event: StructuredEvent, stamp: Stamp | None) -> None:
        self.got.append((event, stamp))


class Supplier:
    """Is a supplier that keeps what it was told of subscriptions."""

    def __init__(self) -> None:
        self.told: list[tuple[list[tuple[str, str]], list[tuple[str, str]]]] = []
        self.disconnected = 0

    def subscription_change(self, added: Pairs, removed: Pairs) -> None:
        self.told.append((list(added), list(removed)))

    def disconnect_push_supplier(self) -> None:
        self.disconnected += 1


async def any_supplier(
    channel: EventChannel, supplier: object = None, origin: str | None = None
) -> ProxyPushConsumer:
    """Connect a supplier of Any events."""
    proxy = channel.default_supplier_admin.obtain_notification_push_consumer(ClientType.ANY_EVENT)
    await proxy.connect_any_push_supplier(supplier, origin=origin)
    return proxy


async def structured_supplier(
    channel: EventChannel, supplier: object = None
) -> StructuredProxyPushConsumer:
    """Connect a supplier of structured events."""
    proxy = channel.default_supplier_admin.obtain_notification_push_consumer(
        ClientType.STRUCTURED_EVENT
    )
    await proxy.connect_structured_push_supplier(supplier)
    return proxy


async def any_consumer(channel: EventChannel, consumer: object) -> ProxyPushSupplier:
    """Connect a consumer of Any events."""
    proxy = channel.default_consumer_admin.obtain_notification_push_supplier(ClientType.ANY_EVENT)
    await proxy.connect_any_push_consumer(consumer)
    return proxy


async def structured_consumer(
    channel: EventChannel, consumer: object, admin: ConsumerAdmin | None = None
) -> StructuredProxyPushSupplier:
    """Connect a consumer of structured events."""
    maker = admin or channel.default_consumer_admin
    proxy = maker.obtain_notification_push_supplier(ClientType.STRUCTURED_EVENT)
    await proxy.connect_structured_push_consumer(consumer)
    return proxy


class Batches:
    """Is a consumer of batches that keeps what it was given."""

    def __init__(self) -> None:
        self.got: list[list[StructuredEvent]] = []
        self.stamps: list[Stamp | None] = []

    @property
    def names(self) -> list[list[str]]:
        return [[event.event_name for event in batch] for batch in self.got]

    def push_structured_events(
        self, events: list[StructuredEvent], stamps: list[Stamp | None]
    ) -> None:
        self.got.append(events)
        self.stamps += stamps


async def any_puller(channel: EventChannel, **qos: object) -> ProxyPullSupplier:
    """Connect a consumer that pulls Any events."""
    proxy = channel.default_consumer_admin.obtain_notification_pull_supplier(ClientType.ANY_EVENT)
    proxy.set_qos(qos)
    await proxy.connect_any_pull_consumer()
    return proxy


async def structured_puller(channel: EventChannel, **qos: object) -> StructuredProxyPullSupplier:
    """Connect a consumer that pulls structured events."""
    proxy = channel.default_consumer_admin.obtain_notification_pull_supplier(
        ClientType.STRUCTURED_EVENT
    )
    proxy.set_qos(qos)
    await proxy.connect_structured_pull_consumer()
    return proxy


async def sequence_puller(channel: EventChannel, **qos: object) -> SequenceProxyPullSupplier:
    """Connect a consumer that pulls batches."""
    proxy = channel.default_consumer_admin.obtain_notification_pull_supplier(
        ClientType.SEQUENCE_EVENT
    )
    proxy.set_qos(qos)
    await proxy.connect_sequence_pull_consumer()
    return proxy


async def sequence_supplier(channel: EventChannel) -> SequenceProxyPushConsumer:
    """Connect a supplier of batches."""
    proxy = channel.default_supplier_admin.obtain_notification_push_consumer(
        ClientType.SEQUENCE_EVENT
    )
    await proxy.connect_sequence_push_supplier()
    return proxy


async def sequence_consumer(
    channel: EventChannel, consumer: object, **qos: object
) -> SequenceProxyPushSupplier:
    """Connect a consumer of batches."""
    proxy = channel.default_consumer_admin.obtain_notification_push_supplier(
        ClientType.SEQUENCE_EVENT
    )
    proxy.set_qos(qos)
    await proxy.connect_sequence_push_consumer(consumer)
    return proxy


def named(name: str, **header: Value) -> StructuredEvent:
    """Return a structured event of that name."""
    return structured_event(("d", "t"), name, variable_header=header)


def drained(proxy: StructuredProxyPullSupplier) -> list[str]:
    """Return the names of the events that a puller has now."""
    names: list[str] = []
    while True:
        event, there = proxy.try_pull_structured_event()
        if not there:
            return names
        names.append(event.event_name)
