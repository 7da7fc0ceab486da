"""Events cross connections: unchanged clients, stamps that stay, ends, offers and subscriptions."""

import time
from collections.abc import Callable
from dataclasses import replace
from typing import Final

import pytest
from eventservices.cns import (
    ClientType,
    EventChannel,
    EventType,
    LongLong,
    structured_event,
    time_t,
)
from eventservices.cns.domains import ChannelPlace, Connection, EventDomain, NotificationStyle
from eventservices.stamp import Stamp
from integration.cns_domains.conftest import Connect, Eventually, Made
from integration.cns_domains.recording import Structureds

pytestmark = pytest.mark.broker

ANY: Final = ClientType.ANY_EVENT
STRUCTURED: Final = ClientType.STRUCTURED_EVENT
SEQUENCE: Final = ClientType.SEQUENCE_EVENT
Place = Callable[[str], ChannelPlace]


async def own(connect: Connect, domain: EventDomain, member: int) -> EventChannel:
    """Open a member's channel as a client that knows of no domain."""
    return await (await connect()).open_channel(domain.get_channel(member).name)


async def consume(channel: EventChannel, *, repetitions: bool = False) -> Structureds:
    consumer = Structureds()
    proxy = channel.for_consumers().obtain_notification_push_supplier(STRUCTURED)
    await proxy.connect_structured_push_consumer(consumer, repetitions=repetitions)
    return consumer


async def line(domain_of: Made, form: ClientType, style: NotificationStyle) -> EventDomain:
    domain = await domain_of(3)
    await domain.add_connection(Connection(0, 1, form, style))
    await domain.add_connection(Connection(1, 2, form, style))
    return domain


@pytest.mark.parametrize("style", NotificationStyle)
@pytest.mark.parametrize("form", [STRUCTURED, SEQUENCE])
async def test_clients_that_know_of_no_domain_meet_across_it_and_stamps_stay(
    domain_of: Made,
    connect: Connect,
    eventually: Eventually,
    form: ClientType,
    style: NotificationStyle,
) -> None:
    domain = await line(domain_of, form, style)
    consumer = await consume(await own(connect, domain, 2))
    channel = await own(connect, domain, 0)
    proxy = channel.for_suppliers().obtain_notification_push_consumer(STRUCTURED)
    await proxy.connect_structured_push_supplier()
    events = [structured_event(("D", "T"), str(number)) for number in range(200)]
    stamps = [await proxy.push_structured_event(event) for event in events]
    trailed = Stamp("elsewhere", 5, 6, 7, "home", ("a", "b"))
    stamps.append(await proxy.push_structured_event(events[0], stamp=trailed))
    await eventually(lambda: len(consumer.got) == len(stamps))
    assert [stamp for _, stamp in consumer.got] == stamps
    assert consumer.events == [*events, events[0]]


async def test_a_connection_for_any_events_turns_structured_ones_into_anys(
    domain_of: Made, connect: Connect, eventually: Eventually
) -> None:
    domain = await domain_of(2)
    await domain.add_connection(Connection(0, 1, ANY))
    consumer = await consume(await own(connect, domain, 1))
    event = structured_event(("D", "T"), "name")
    supplier = await domain.connect_structured_push_supplier()
    await supplier.push_structured_event(event)
    await eventually(lambda: consumer.got)
    [got] = consumer.events
    assert got.event_type == EventType("", "%ANY")
    assert got.remainder_of_body == event


async def ring(domain_of: Made, size: int) -> EventDomain:
    domain = await domain_of(size, CycleDetection=0, DiamondDetection=0)
    for number in range(size):
        await domain.add_connection(Connection(number, (number + 1) % size, STRUCTURED))
    return domain


def counted(domain: EventDomain, name: str) -> int:
    return sum(getattr(mover.counters, name) for mover in domain.running.movers.values())


async def test_in_a_cycle_an_event_ends_after_a_set_number_of_connections(
    domain_of: Made, connect: Connect, eventually: Eventually
) -> None:
    domain = await ring(domain_of, 3)
    consumer = await consume(await own(connect, domain, 1), repetitions=True)
    supplier = await domain.connect_structured_push_supplier()
    await supplier.push_structured_event(structured_event(("D", "T")))
    await eventually(lambda: counted(domain, "went_round") == 1)
    assert counted(domain, "moved") == 64
    # It comes to 1 over the first connection and over each third one from there.
    await eventually(lambda: len(consumer.got) == len(range(1, 65, 3)))


async def test_in_a_cycle_an_event_ends_when_its_timeout_is_over(
    domain_of: Made, connect: Connect, eventually: Eventually
) -> None:
    domain = await ring(domain_of, 2)
    for mover in domain.running.movers.values():  # so many that the other bound is not met
        mover._spec = replace(mover._spec, most_connections=lambda: 10**9)
    consumer = await consume(await own(connect, domain, 1), repetitions=True)
    supplier = await domain.connect_structured_push_supplier()
    lasting = {"Timeout": LongLong(time_t(0.5))}
    began = time.monotonic()
    await supplier.push_structured_event(structured_event(("D", "T"), variable_header=lasting))
    await eventually(lambda: counted(domain, "timed_out") == 1)
    assert time.monotonic() - began >= 0.5
    values = [event.header.variable_header["Timeout"] for event in consumer.events]
    left = [ticks for ticks in values if isinstance(ticks, int)]
    assert left == values
    assert len(left) > 2
    assert left == sorted(left, reverse=True)
    assert all(0 < ticks <= time_t(0.5) for ticks in left)


async def test_persistent_events_come_once_and_stay_persistent(
    domain_of: Made, connect: Connect, eventually: Eventually
) -> None:
    domain = await line(domain_of, STRUCTURED, NotificationStyle.PUSH)
    there = await (await connect()).open_channel(
        domain.get_channel(2).name, qos={"ConnectionReliability": 1}
    )
    consumer = Structureds()
    proxy = there.for_consumers().obtain_notification_push_supplier(STRUCTURED)
    await proxy.connect_structured_push_consumer(consumer, durable="reader")
    here = await (await connect()).open_channel(
        domain.get_channel(0).name, qos={"ConnectionReliability": 1}
    )
    supplier = here.for_suppliers().obtain_notification_push_consumer(SEQUENCE)
    await supplier.connect_sequence_push_supplier()
    header = {"EventReliability": 1}
    events = [
        structured_event(("D", "T"), str(number), variable_header=header) for number in range(300)
    ]
    await supplier.push_structured_events(events)  # these are stored in order
    await eventually(lambda: len(consumer.got) >= len(events))
    assert consumer.events == events
    assert proxy.suppressed == 0


async def test_offers_and_subscriptions_cross_the_domain_and_are_withdrawn(
    domain_of: Made, connect: Connect, eventually: Eventually
) -> None:
    domain = await ring(domain_of, 3)  # a cycle must not keep alive what nobody offers any more
    first, last = await own(connect, domain, 0), await own(connect, domain, 2)
    supplier = first.for_suppliers().obtain_notification_push_consumer(STRUCTURED)
    await supplier.connect_structured_push_supplier()
    consumer = last.for_consumers().obtain_notification_push_supplier(STRUCTURED)
    await consumer.connect_structured_push_consumer(Structureds())
    await supplier.offer_change([EventType("D", "offered")], [])
    await consumer.subscription_change([EventType("D", "wanted")], [])
    await eventually(lambda: EventType("D", "offered") in last.offers)
    await eventually(lambda: first.subscriptions == (EventType("D", "wanted"),))
    await supplier.offer_change([], [EventType("D", "offered")])
    await consumer.destroy()
    await eventually(lambda: not last.offers and not first.subscriptions)


async def test_after_a_connection_is_removed_nothing_crosses_it(
    domain_of: Made, connect: Connect, eventually: Eventually
) -> None:
    domain = await line(domain_of, STRUCTURED, NotificationStyle.PUSH)
    here = await consume(await own(connect, domain, 1))
    there = await consume(await own(connect, domain, 2))
    supplier = await domain.connect_structured_push_supplier()
    await supplier.push_structured_event(structured_event(("D", "T"), "before"))
    await eventually(lambda: here.got and there.got)
    await domain.remove_connection(1)
    await supplier.push_structured_event(structured_event(("D", "T"), "after"))
    await eventually(lambda: len(here.got) == 2)
    await domain.add_connection(Connection(1, 2, STRUCTURED))
    await supplier.push_structured_event(structured_event(("D", "T"), "again"))
    await eventually(lambda: len(there.got) == 2)
    assert [event.event_name for event in there.events] == ["before", "again"]
