"""Native clients that know nothing of adapters, and a sink in place of the runtime."""

from typing import Any

from eventservices.cns import (
    ClientType,
    EventChannel,
    ProxyPushConsumer,
    StructuredEvent,
    StructuredProxyPushConsumer,
    Value,
)
from eventservices.stamp import Stamp
from fes.adapter.base import AnyAdapter
from fes.adapter.context import Subscription
from fes.adapter.inbound.acknowledgements import Answer
from fes.adapter.observed import Observed
from fes.filter import Filter
from fes.mapping import Native
from fes.model import Event

SPEED_RULE: dict[str, Any] = {
    "native": {"can_id": 12345, "extended": True},
    "identity": "native",
    "subject": "Speed",
    "parameters": {
        "license_no": {"bytes": [0, 6], "type": "string"},
        "rate": {"bytes": [7, 7], "type": "double"},
    },
}


class Sink:
    """Keeps what an adapter hears."""

    def __init__(self) -> None:
        self.natives: list[tuple[Native, Stamp | None]] = []
        self.controls: list[tuple[Event, Stamp | None]] = []
        self.aside: list[tuple[str, bytes]] = []
        self.answers: list[Answer | None] = []
        self.seen: list[Observed] = []

    def heard(self, native: Native, stamp: Stamp | None, answer: Answer | None = None) -> None:
        self.natives.append((native, stamp))
        self.answers.append(answer)

    def observed(self, seen: Observed) -> None:
        self.seen.append(seen)

    def heard_control(self, event: Event, stamp: Stamp | None) -> None:
        self.controls.append((event, stamp))

    def set_aside(self, reason: str, raw: bytes) -> None:
        self.aside.append((reason, raw))

    def subjects(self) -> list[str | None]:
        return [native.subject for native, _ in self.natives]


class Client:
    """Is a consumer and a supplier that keeps what it is told."""

    def __init__(self) -> None:
        self.events: list[StructuredEvent] = []
        self.stamps: list[Stamp | None] = []
        self.anys: list[Value] = []
        self.offers: list[tuple[list[tuple[str, str]], list[tuple[str, str]]]] = []
        self.subscriptions: list[tuple[list[tuple[str, str]], list[tuple[str, str]]]] = []

    def push_structured_event(self, event: StructuredEvent, stamp: Stamp | None) -> None:
        self.events.append(event)
        self.stamps.append(stamp)

    def push(self, value: Value, stamp: Stamp | None) -> None:
        self.anys.append(value)
        self.stamps.append(stamp)

    def offer_change(self, added: Any, removed: Any) -> None:
        self.offers.append((list(added), list(removed)))

    def subscription_change(self, added: Any, removed: Any) -> None:
        self.subscriptions.append((list(added), list(removed)))


async def any_supplier(channel: EventChannel, client: Client | None = None) -> ProxyPushConsumer:
    """Connect a supplier of Any events."""
    proxy = channel.default_supplier_admin.obtain_notification_push_consumer(ClientType.ANY_EVENT)
    await proxy.connect_any_push_supplier(client, origin="native")
    return proxy


async def structured_supplier(channel: EventChannel) -> StructuredProxyPushConsumer:
    """Connect a supplier of structured events."""
    proxy = channel.default_supplier_admin.obtain_notification_push_consumer(
        ClientType.STRUCTURED_EVENT
    )
    await proxy.connect_structured_push_supplier(origin="native")
    return proxy


async def consumer(channel: EventChannel, client: Client, *types: tuple[str, str]) -> None:
    """Connect a consumer of structured events; of all types where none is named, unseen then."""
    proxy = channel.default_consumer_admin.obtain_notification_push_supplier(
        ClientType.STRUCTURED_EVENT
    )
    await proxy.subscription_change(types, ())
    await proxy.connect_structured_push_consumer(client, announced=bool(types))


async def any_consumer(channel: EventChannel, client: Client) -> None:
    """Connect a consumer of Any events that suppliers do not see."""
    proxy = channel.default_consumer_admin.obtain_notification_push_supplier(ClientType.ANY_EVENT)
    await proxy.connect_any_push_consumer(client, announced=False)


async def subscribe(adapter: AnyAdapter, number: int, text: str) -> tuple[str, ...]:
    """Have an adapter subscribe to a filter."""
    return await adapter.subscribe(Subscription(number, Filter.of(text)))


async def unsubscribe(adapter: AnyAdapter, number: int, text: str) -> None:
    """Have an adapter unsubscribe."""
    await adapter.unsubscribe(Subscription(number, Filter.of(text)))
