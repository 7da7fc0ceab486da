"""Adapters of JMS and a gateway for them."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from adapter_jms import JmsAdapter
from fes.adapter.context import Subscription
from fes.adapter.pool import ConnectionPool
from fes.filter import Filter
from fes.mapping import Native
from support.processes.activemq import ActiveMq
from support.processes.contexts import adapter_context
from support.sinks import NotingSink


class Gateway(NotingSink):
    """Answers for messages, or not."""

    def __init__(self) -> None:
        super().__init__()
        self.natives: list[Native] = []
        self.stamps: list[Any] = []
        self.accepts = True

    def heard(self, native: Native, stamp: Any, answer: Any = None) -> None:
        """Accept an event."""
        if not self.accepts:
            answer(False)
            return
        self.natives.append(native)
        self.stamps.append(stamp)
        if answer is not None:
            answer(True)

    def values(self, name: str) -> list[Any]:
        """Return the values of a parameter, in the order of its events."""
        return [
            field.value for each in self.natives for field in each.parameters if field.id == name
        ]


def adapter(broker: ActiveMq, name: str = "g", url: str = "", **settings: Any) -> JmsAdapter:
    """Return an adapter, not connected."""
    urls = (url or broker.url,)
    return JmsAdapter(
        adapter_context(name, "shop", JmsAdapter, ConnectionPool(), settings=settings, brokers=urls)
    )


@asynccontextmanager
async def subscribed(
    broker: ActiveMq, text: str, name: str = "g", **settings: Any
) -> AsyncIterator[tuple[JmsAdapter, Gateway]]:
    """Connect an adapter that has one subscription."""
    async with connected(broker, name, **settings) as (made, gateway):
        await made.subscribe(Subscription(1, Filter.of(text)))
        yield made, gateway


@asynccontextmanager
async def connected(
    broker: ActiveMq, name: str = "g", **settings: Any
) -> AsyncIterator[tuple[JmsAdapter, Gateway]]:
    """Connect an adapter."""
    made, gateway = adapter(broker, name, **settings), Gateway()
    await made.connect(gateway)
    try:
        yield made, gateway
    finally:
        await made.disconnect()
