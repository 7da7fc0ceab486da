"""Consumers and suppliers that keep what they were given."""

from eventservices.cns import (
    ClientType,
    EventChannel,
    ProxyPushConsumer,
    ProxyPushSupplier,
    StructuredEvent,
    StructuredProxyPushConsumer,
    StructuredProxyPushSupplier,
    Value,
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
    channel: EventChannel, consumer: object
) -> StructuredProxyPushSupplier:
    """Connect a consumer of structured events."""
    proxy = channel.default_consumer_admin.obtain_notification_push_supplier(
        ClientType.STRUCTURED_EVENT
    )
    await proxy.connect_structured_push_consumer(consumer)
    return proxy
