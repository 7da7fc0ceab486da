"""Clients of persistent channels."""

from eventservices.cns import (
    ChannelOptions,
    ClientType,
    Connection,
    EventChannel,
    QoS,
    Reliability,
    StructuredEvent,
    StructuredProxyPullSupplier,
    StructuredProxyPushSupplier,
    structured_event,
)

PERSISTENT: dict[str, object] = {
    QoS.EVENT_RELIABILITY: Reliability.PERSISTENT,
    QoS.CONNECTION_RELIABILITY: Reliability.PERSISTENT,
}


async def opened(
    connection: Connection, name: str, options: ChannelOptions | None = None, **admin: object
) -> EventChannel:
    """Open a channel whose events are persistent."""
    return await connection.open_channel(name, options, qos=PERSISTENT, admin=admin)


async def durable_consumer(
    channel: EventChannel, consumer: object, durable: str = "display"
) -> StructuredProxyPushSupplier:
    """Connect a consumer under a durable name."""
    proxy = channel.default_consumer_admin.obtain_notification_push_supplier(
        ClientType.STRUCTURED_EVENT
    )
    await proxy.connect_structured_push_consumer(consumer, durable=durable)
    return proxy


async def durable_puller(
    channel: EventChannel, durable: str = "display"
) -> StructuredProxyPullSupplier:
    """Connect a consumer that pulls under a durable name."""
    proxy = channel.default_consumer_admin.obtain_notification_pull_supplier(
        ClientType.STRUCTURED_EVENT
    )
    await proxy.connect_structured_pull_consumer(durable=durable)
    return proxy


async def push(channel: EventChannel, *numbers: int, origin: str | None = None) -> None:
    """Publish events of these numbers in one batch; return when they are stored."""
    proxy = channel.default_supplier_admin.obtain_notification_push_consumer(
        ClientType.SEQUENCE_EVENT
    )
    await proxy.connect_sequence_push_supplier(origin=origin)
    await proxy.push_structured_events([numbered(number) for number in numbers])
    await proxy.disconnect_sequence_push_consumer()


def numbered(number: int) -> StructuredEvent:
    """Return an event of that number."""
    return structured_event(("d", "t"), str(number), filterable_data={"n": number})


class Numbers:
    """Is a consumer that keeps the numbers of the events it was given."""

    def __init__(self) -> None:
        self.got: list[int] = []

    def push_structured_event(self, event: StructuredEvent, _stamp: object) -> None:
        number = event.filterable_data["n"]
        assert isinstance(number, int)
        self.got.append(number)
