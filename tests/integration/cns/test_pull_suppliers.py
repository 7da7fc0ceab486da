"""Suppliers that are pulled from."""

import asyncio
from collections import deque
from collections.abc import Sequence

import pytest
from eventservices.cns import ChannelOptions, ClientType, EventChannel, Value
from eventservices.cns.errors import (
    AlreadyConnectedError,
    ConnectionAlreadyActiveError,
    ConnectionAlreadyInactiveError,
    DisconnectedError,
    InterfaceError,
    ProxyNotConnectedError,
)
from integration.cns.clients import (
    Anys,
    Structureds,
    any_consumer,
    any_puller,
    any_supplier,
    named,
    structured_consumer,
)
from integration.cns.conftest import Connect, Eventually

pytestmark = pytest.mark.broker


class Stock:
    """Is a supplier that gives what it has, when it is asked."""

    def __init__(self, *events: object) -> None:
        self.events = deque(events)
        self.asked = 0
        self.gone = 0

    def _next(self) -> tuple[object, bool]:
        self.asked += 1
        return (self.events.popleft(), True) if self.events else (None, False)

    def try_pull(self) -> tuple[object, bool]:
        return self._next()

    async def try_pull_structured_event(self) -> tuple[object, bool]:
        await asyncio.sleep(0)
        return self._next()

    def try_pull_structured_events(self, most: int) -> tuple[Sequence[object], bool]:
        self.asked += 1
        batch = [self.events.popleft() for _ in range(min(most, len(self.events)))]
        return batch, bool(batch)

    def disconnect_pull_supplier(self) -> None:
        self.gone += 1


@pytest.fixture
async def channel(connect: Connect, channel_name: str) -> EventChannel:
    return await (await connect()).open_channel(channel_name, ChannelOptions(poll_s=0.005))


async def test_any_events_are_pulled_in_order(
    channel: EventChannel, eventually: Eventually
) -> None:
    consumer, stock = Anys(), Stock(*range(200))
    await any_consumer(channel, consumer)
    proxy = channel.default_supplier_admin.obtain_notification_pull_consumer(ClientType.ANY_EVENT)

    await proxy.connect_any_pull_supplier(stock, origin="stock")

    await eventually(lambda: len(consumer.got) == 200)
    assert consumer.values == list(range(200))
    assert {stamp.origin for _, stamp in consumer.got if stamp} == {"stock"}
    stock.events.append("more")
    await eventually(lambda: consumer.values[-1] == "more")


async def test_a_supplier_may_be_a_coroutine(channel: EventChannel, eventually: Eventually) -> None:
    consumer, stock = Structureds(), Stock(named("a"), named("b"))
    await structured_consumer(channel, consumer)
    admin = channel.default_supplier_admin
    proxy = admin.obtain_notification_pull_consumer(ClientType.STRUCTURED_EVENT)

    await proxy.connect_structured_pull_supplier(stock)

    await eventually(lambda: len(consumer.got) == 2)
    assert consumer.events == [named("a"), named("b")]


async def test_batches_are_pulled_up_to_the_maximum_size(
    channel: EventChannel, eventually: Eventually
) -> None:
    consumer, stock = Structureds(), Stock(*(named(str(number)) for number in range(7)))
    await structured_consumer(channel, consumer)
    admin = channel.default_supplier_admin
    proxy = admin.obtain_notification_pull_consumer(ClientType.SEQUENCE_EVENT)
    proxy.set_qos({"MaximumBatchSize": 3})
    sizes: list[int] = []
    inner = stock.try_pull_structured_events

    def spy(most: int) -> tuple[Sequence[object], bool]:
        sizes.append(most)
        return inner(most)

    stock.try_pull_structured_events = spy  # type: ignore[method-assign] # to look on

    await proxy.connect_sequence_pull_supplier(stock)

    await eventually(lambda: len(consumer.got) == 7)
    assert [event.event_name for event in consumer.events] == list("0123456")
    assert set(sizes) == {3}


class Odd(Stock):
    """Gives what is no event now and then, or raises."""

    def try_pull(self) -> tuple[object, bool]:
        value, there = super().try_pull()
        if value == "raise":
            raise RuntimeError("on purpose")
        if value == "shape":
            return "no pair"  # type: ignore[return-value] # on purpose
        return value, there


async def test_a_supplier_that_fails_is_asked_again(
    channel: EventChannel, eventually: Eventually
) -> None:
    consumer = Anys()
    await any_consumer(channel, consumer)
    proxy = channel.default_supplier_admin.obtain_notification_pull_consumer(ClientType.ANY_EVENT)

    await proxy.connect_any_pull_supplier(Odd(1, "raise", 2, "shape", object(), 3))

    await eventually(lambda: consumer.values == [1, 2, 3])
    assert (proxy.failed, proxy.refused) == (2, 1)


async def test_what_is_no_structured_event_is_counted(
    channel: EventChannel, eventually: Eventually
) -> None:
    consumer = Structureds()
    await structured_consumer(channel, consumer)
    admin = channel.default_supplier_admin
    proxy = admin.obtain_notification_pull_consumer(ClientType.STRUCTURED_EVENT)

    await proxy.connect_structured_pull_supplier(Stock("no event", named("a")))

    await eventually(lambda: consumer.events == [named("a")])
    assert proxy.failed == 1


async def test_a_supplier_that_is_gone_is_disconnected(
    channel: EventChannel, eventually: Eventually
) -> None:
    class Gone:
        def try_pull(self) -> tuple[Value, bool]:
            raise DisconnectedError("on purpose")

    admin = channel.default_supplier_admin
    proxy = admin.obtain_notification_pull_consumer(ClientType.ANY_EVENT)

    await proxy.connect_any_pull_supplier(Gone())

    await eventually(lambda: not proxy.connected)
    assert admin.pull_consumers == ()


async def test_a_suspended_connection_is_not_asked(
    channel: EventChannel, eventually: Eventually
) -> None:
    stock = Stock()
    admin = channel.default_supplier_admin
    proxy = admin.obtain_notification_pull_consumer(ClientType.ANY_EVENT)
    with pytest.raises(ProxyNotConnectedError):
        proxy.suspend_connection()
    await proxy.connect_any_pull_supplier(stock)
    await eventually(lambda: stock.asked > 2)
    with pytest.raises(ConnectionAlreadyActiveError):
        proxy.resume_connection()

    proxy.suspend_connection()

    with pytest.raises(ConnectionAlreadyInactiveError):
        proxy.suspend_connection()
    pulling = await any_puller(channel)
    stock.events.append("waits")
    await channel.my_factory.probe()
    assert pulling.try_pull() == (None, False)
    proxy.resume_connection()
    assert await asyncio.wait_for(pulling.pull(), 30) == "waits"


async def test_a_pull_supplier_must_have_its_operation(channel: EventChannel) -> None:
    admin = channel.default_supplier_admin
    proxy = admin.obtain_notification_pull_consumer(ClientType.ANY_EVENT)

    for client in (None, object()):
        with pytest.raises(InterfaceError):
            await proxy.connect_any_pull_supplier(client)
    await proxy.connect_any_pull_supplier(Stock())
    with pytest.raises(AlreadyConnectedError):
        await proxy.connect_any_pull_supplier(Stock())


async def test_a_pull_supplier_learns_that_the_channel_went(channel: EventChannel) -> None:
    stock = Stock()
    admin = channel.default_supplier_admin
    proxy = admin.obtain_notification_pull_consumer(ClientType.ANY_EVENT)
    await proxy.connect_any_pull_supplier(stock)

    await channel.close()

    assert stock.gone == 1


async def test_a_full_channel_does_not_ask(channel: EventChannel, eventually: Eventually) -> None:
    channel.set_admin({"MaxQueueLength": 3})
    pulling = await any_puller(channel)
    for number in range(3):
        await (await any_supplier(channel)).push(number)
    await eventually(lambda: channel.waiting == 3)
    stock = Stock("later")
    admin = channel.default_supplier_admin
    proxy = admin.obtain_notification_pull_consumer(ClientType.ANY_EVENT)

    await proxy.connect_any_pull_supplier(stock)
    for _ in range(20):
        await channel.my_factory.probe()

    assert stock.asked == 0
    assert pulling.try_pull() == (0, True)
    await eventually(lambda: channel.waiting == 3)
    assert [pulling.try_pull()[0] for _ in range(3)] == [1, 2, "later"]
