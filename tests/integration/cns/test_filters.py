"""Filters at proxies and admins of both sides, and mapping filters, with constraints of ETCL."""

import pytest
from eventservices.cns import (
    ClientType,
    Connection,
    ConsumerAdmin,
    EventChannel,
    EventType,
    InterFilterGroupOperator,
    StructuredEvent,
    SupplierAdmin,
    structured_event,
)
from eventservices.cns.etcl import Filter, InvalidConstraintError, MappingFilter
from integration.cns.clients import (
    Anys,
    Structureds,
    any_consumer,
    any_supplier,
    drained,
    named,
    structured_consumer,
    structured_puller,
    structured_supplier,
)
from integration.cns.clock import ticks
from integration.cns.conftest import Connect, Eventually

pytestmark = pytest.mark.broker

A, B = EventType("d", "a"), EventType("d", "b")
OR = InterFilterGroupOperator.OR_OP


@pytest.fixture
async def connection(connect: Connect) -> Connection:
    return await connect()


@pytest.fixture
async def channel(connection: Connection, channel_name: str) -> EventChannel:
    return await connection.open_channel(channel_name)


def constraint(text: str, *types: EventType) -> Filter:
    made = Filter()
    made.add_constraints([(types, text)])
    return made


def numbered(ul: int, kind: EventType = A) -> StructuredEvent:
    return structured_event(kind, str(ul), filterable_data={"ul": ul})


async def push(channel: EventChannel, admin: SupplierAdmin | None = None) -> None:
    maker = admin or channel.default_supplier_admin
    proxy = maker.obtain_notification_push_consumer(ClientType.STRUCTURED_EVENT)
    await proxy.connect_structured_push_supplier()
    for ul in range(1, 11):
        await proxy.push_structured_event(numbered(ul))
    await channel.my_factory.probe()
    await proxy.disconnect_structured_push_consumer()


async def received(
    channel: EventChannel,
    consumers: ConsumerAdmin,
    suppliers: SupplierAdmin,
    consumer: Structureds,
) -> list[int]:
    consumer.got.clear()
    await push(channel, suppliers)
    return [int(event.event_name) for event in consumer.events]


@pytest.mark.parametrize("operator", list(InterFilterGroupOperator))
async def test_both_sides_must_let_an_event_pass_whatever_the_operators(
    channel: EventChannel, operator: InterFilterGroupOperator
) -> None:
    consumers, suppliers = channel.new_for_consumers(operator), channel.new_for_suppliers(operator)
    consumer = Structureds()
    await structured_consumer(channel, consumer, consumers)
    consumers.add_filter(constraint("$ul < 5 or $ul == 5"))
    assert await received(channel, consumers, suppliers, consumer) == [1, 2, 3, 4, 5]

    suppliers.add_filter(constraint("$ul > 5 or $ul == 5"))
    assert await received(channel, consumers, suppliers, consumer) == [5]

    consumers.remove_all_filters()
    suppliers.remove_all_filters()
    assert await received(channel, consumers, suppliers, consumer) == list(range(1, 11))


async def test_filters_of_a_consumers_admin_and_proxy_work_together(channel: EventChannel) -> None:
    consumers, suppliers = channel.new_for_consumers(OR), channel.default_supplier_admin
    consumer = Structureds()
    proxy = await structured_consumer(channel, consumer, consumers)
    held = constraint("$ul < 5")
    proxy.add_filter(held)
    assert await received(channel, consumers, suppliers, consumer) == [1, 2, 3, 4]

    held.add_constraints([((), "$ul == 5")])
    assert await received(channel, consumers, suppliers, consumer) == [1, 2, 3, 4, 5]
    consumers.add_filter(constraint("$ul > 6"))
    assert await received(channel, consumers, suppliers, consumer) == [1, 2, 3, 4, 5, 7, 8, 9, 10]
    assert proxy.filtered > 0


async def test_an_event_that_its_suppliers_side_stops_is_counted_and_has_a_stamp(
    channel: EventChannel,
) -> None:
    consumer = Structureds()
    await structured_consumer(channel, consumer)
    proxy = await structured_supplier(channel)
    proxy.add_filter(constraint("$ul == 2"))

    stamps = [await proxy.push_structured_event(numbered(ul)) for ul in (1, 2, 3)]
    await channel.my_factory.probe()

    assert consumer.got == [(numbered(2), stamps[1])]
    assert (proxy.filtered, proxy.pushed) == (2, 1)


async def test_a_filter_sees_what_an_any_holds(channel: EventChannel) -> None:
    consumer = Anys()
    proxy = await any_consumer(channel, consumer)
    proxy.add_filter(constraint("$ > 8.5"))
    supplying = await any_supplier(channel)

    for value in (8, 9, "9", 8.75, [9]):
        await supplying.push(value)
    await channel.my_factory.probe()

    assert consumer.values == [9, 8.75]


async def test_a_subscription_needs_no_constraint_to_be_true(channel: EventChannel) -> None:
    consumer = Structureds()
    proxy = await structured_consumer(channel, consumer)
    proxy.add_filter(constraint("FALSE", A, B))
    supplying = await structured_supplier(channel)
    await proxy.subscription_change([A], [])

    await supplying.push_structured_event(numbered(1, A))
    await supplying.push_structured_event(numbered(2, B))
    await channel.my_factory.probe()

    assert consumer.events == [numbered(1, A)]


async def test_suppliers_are_told_of_the_types_in_filters(
    channel: EventChannel, eventually: Eventually
) -> None:
    proxy = await structured_consumer(channel, Structureds())
    assert channel.subscriptions == (("", "%ALL"),)

    held = constraint("$ul > 5", A)
    number = proxy.add_filter(held)
    await eventually(lambda: channel.subscriptions == (A,))
    held.add_constraints([([B], "")])
    await eventually(lambda: channel.subscriptions == (A, B))
    proxy.remove_filter(number)
    await eventually(lambda: channel.subscriptions == (("", "%ALL"),))
    channel.default_consumer_admin.add_filter(held)
    await eventually(lambda: channel.subscriptions == (A, B))
    await channel.close()


async def test_a_constraint_that_is_wrong_is_refused_when_it_is_added(
    channel: EventChannel,
) -> None:
    made = channel.default_filter_factory.create_filter("EXTENDED_TCL")

    with pytest.raises(InvalidConstraintError):
        made.add_constraints([((), "$ul >")])


async def test_a_priority_filter_orders_a_consumers_queue(channel: EventChannel) -> None:
    mapping = MappingFilter(0)
    mapping.add_mapping_constraints([(((), "$event_name == 'f'"), 10)])
    by_proxy, by_admin = await structured_puller(channel), await structured_puller(channel)
    channel.default_consumer_admin.priority_filter = mapping
    by_proxy.priority_filter = MappingFilter(0)
    supplying = await structured_supplier(channel)

    for name, priority in (("a", 1), ("b", 5), ("f", -3)):
        await supplying.push_structured_event(named(name, Priority=priority))
    await channel.my_factory.probe()

    assert drained(by_admin) == ["f", "b", "a"]
    assert drained(by_proxy) == ["b", "a", "f"]


async def test_a_lifetime_filter_gives_events_their_time(
    channel: EventChannel, eventually: Eventually
) -> None:
    mapping = MappingFilter(ticks(3600))
    mapping.add_mapping_constraints([(((), "$event_name == 'short'"), ticks(0.02))])
    pulling = await structured_puller(channel)
    pulling.lifetime_filter = mapping
    supplying = await structured_supplier(channel)

    for name in ("short", "long"):
        await supplying.push_structured_event(named(name))

    await eventually(lambda: pulling.expired == 1)
    assert drained(pulling) == ["long"]
    assert pulling.mapping_errors == 0
