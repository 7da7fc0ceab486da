"""The forms in which events pass a connection: Any, structured, or sequences of structured."""

from eventservices.cns.channel import EventChannel
from eventservices.cns.event import AnyEvent, Event, StructuredEvent
from eventservices.cns.options import ClientType
from eventservices.cns.pull_suppliers import (
    HeldEvent,
    ProxyPullSupplier,
    SequenceProxyPullSupplier,
    StructuredProxyPullSupplier,
)
from eventservices.cns.push_consumers import (
    ProxyPushConsumer,
    SequenceProxyPushConsumer,
    StructuredProxyPushConsumer,
)
from eventservices.cns.value import Value

Exit = ProxyPullSupplier | StructuredProxyPullSupplier | SequenceProxyPullSupplier
"""Where events leave the supplier channel."""

Entry = ProxyPushConsumer | StructuredProxyPushConsumer | SequenceProxyPushConsumer
"""Where they enter the consumer channel."""

Held = HeldEvent[Value] | HeldEvent[StructuredEvent]


def obtain_exit(channel: EventChannel, form: ClientType) -> Exit:
    """Return a new proxy of the supplier channel's default admin.

    Raises:
        AdminLimitExceededError: The channel has as many consumers as it may.
    """
    admin = channel.default_consumer_admin
    match form:
        case ClientType.ANY_EVENT:
            return admin.obtain_notification_pull_supplier(ClientType.ANY_EVENT)
        case ClientType.STRUCTURED_EVENT:
            return admin.obtain_notification_pull_supplier(ClientType.STRUCTURED_EVENT)
        case ClientType.SEQUENCE_EVENT:
            return admin.obtain_notification_pull_supplier(ClientType.SEQUENCE_EVENT)


async def connect_exit(exit_: Exit, *, durable: str, repetitions: bool) -> None:
    """Connect the consumer channel's side; suppliers do not see it, errors as of the proxy's."""
    match exit_:
        case ProxyPullSupplier():
            connect = exit_.connect_any_pull_consumer
        case StructuredProxyPullSupplier():
            connect = exit_.connect_structured_pull_consumer
        case SequenceProxyPullSupplier():
            connect = exit_.connect_sequence_pull_consumer
    await connect(None, announced=False, durable=durable, repetitions=repetitions)


def obtain_entry(channel: EventChannel, form: ClientType) -> Entry:
    """Return a new proxy of the consumer channel's default admin.

    Raises:
        AdminLimitExceededError: The channel has as many suppliers as it may.
    """
    admin = channel.default_supplier_admin
    match form:
        case ClientType.ANY_EVENT:
            return admin.obtain_notification_push_consumer(ClientType.ANY_EVENT)
        case ClientType.STRUCTURED_EVENT:
            return admin.obtain_notification_push_consumer(ClientType.STRUCTURED_EVENT)
        case ClientType.SEQUENCE_EVENT:
            return admin.obtain_notification_push_consumer(ClientType.SEQUENCE_EVENT)


async def connect_entry(entry: Entry) -> None:
    """Connect the supplier channel's side; errors as of the proxy's."""
    match entry:
        case ProxyPushConsumer():
            await entry.connect_any_push_supplier()
        case StructuredProxyPushConsumer():
            await entry.connect_structured_push_supplier()
        case SequenceProxyPushConsumer():
            await entry.connect_sequence_push_supplier()


def event_of(held: Held, form: ClientType) -> Event:
    """Return an event in the form in which it passes."""
    event = held.event
    if form is not ClientType.ANY_EVENT and isinstance(event, StructuredEvent):
        return event
    return AnyEvent(event)
