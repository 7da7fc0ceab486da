import asyncio
import time

import pytest
from eventservices.cns import (
    ALL_TYPES,
    ChannelOptions,
    ClientType,
    EventType,
    InterFilterGroupOperator,
    ObtainInfoMode,
    structured_event,
)
from eventservices.cns.errors import AdminLimitExceededError, InvalidEventTypeError
from eventservices.errors import MalformedError
from integration.cns.clients import (
    Anys,
    Structureds,
    Supplier,
    any_consumer,
    any_supplier,
    structured_consumer,
    structured_supplier,
)
from integration.cns.conftest import Connect, Eventually

pytestmark = pytest.mark.broker

SPEED, ALARM = ("Traffic", "Speed"), ("Traffic", "Alarm")


async def test_a_consumer_gets_what_it_subscribes_to(
    connect: Connect, channel_name: str, eventually: Eventually
) -> None:
    channel = await (await connect()).open_channel(channel_name)
    consumer, marker = Structureds(), Anys()
    receiving = await structured_consumer(channel, consumer)
    await any_consumer(channel, marker)
    proxy = await structured_supplier(channel)

    async def push_both(rounds: int) -> list[str]:
        consumer.got.clear()
        for kind in (SPEED, ALARM):
            await proxy.push_structured_event(structured_event(kind))
        await eventually(lambda: len(marker.got) == 2 * rounds)
        return [event.event_type.type_name for event in consumer.events]

    assert await push_both(1) == ["Speed", "Alarm"]
    await receiving.subscription_change([("*", "S*")], [("*", "*")])
    assert await push_both(2) == ["Speed"]
    await receiving.subscription_change([ALARM], [("*", "S*")])
    assert await push_both(3) == ["Alarm"]
    assert receiving.filtered == 2
    await receiving.subscription_change([], [ALARM])
    assert await push_both(4) == ["Speed", "Alarm"]


async def test_an_any_has_the_type_any(
    connect: Connect, channel_name: str, eventually: Eventually
) -> None:
    channel = await (await connect()).open_channel(channel_name)
    anys, speeds = Anys(), Anys()
    await (await any_consumer(channel, anys)).subscription_change([("", "%ANY")], [])
    await (await any_consumer(channel, speeds)).subscription_change([SPEED], [])

    await (await any_supplier(channel)).push(1)
    await (await structured_supplier(channel)).push_structured_event(structured_event(SPEED))

    await eventually(lambda: anys.got and speeds.got)
    assert anys.values == [1]
    assert speeds.values == [structured_event(SPEED)]


@pytest.mark.parametrize(
    ("operator", "expected"),
    [
        (InterFilterGroupOperator.AND_OP, ["Speed"]),
        (InterFilterGroupOperator.OR_OP, ["Speed", "Alarm", "Speed"]),
    ],
)
async def test_admin_and_proxy_work_together_by_the_operator(
    connect: Connect,
    channel_name: str,
    eventually: Eventually,
    operator: InterFilterGroupOperator,
    expected: list[str],
) -> None:
    channel = await (await connect()).open_channel(channel_name)
    admin = channel.new_for_consumers(operator)
    proxy = admin.obtain_notification_push_supplier(ClientType.STRUCTURED_EVENT)
    consumer, marker = Structureds(), Anys()
    await proxy.connect_structured_push_consumer(consumer)
    await any_consumer(channel, marker)
    await proxy.subscription_change([("*", "Speed")], [])
    await admin.subscription_change([("Traffic", "*")], [])

    supplier = await structured_supplier(channel)
    for kind in (SPEED, ALARM, ("Other", "Speed"), ("Other", "Alarm")):
        await supplier.push_structured_event(structured_event(kind))

    await eventually(lambda: len(marker.got) == 4)
    assert [event.event_type.type_name for event in consumer.events] == expected


async def test_an_admins_subscription_stands_for_proxies_without_one(
    connect: Connect, channel_name: str
) -> None:
    channel = await (await connect()).open_channel(channel_name)
    await any_consumer(channel, Anys())
    assert channel.subscriptions == (ALL_TYPES,)

    await channel.default_consumer_admin.subscription_change([SPEED], [])
    assert channel.subscriptions == (SPEED,)

    await channel.default_consumer_admin.subscription_change([], [SPEED])
    assert channel.subscriptions == (ALL_TYPES,)


async def test_suppliers_hear_when_the_union_of_subscriptions_changes(
    connect: Connect, channel_name: str, eventually: Eventually
) -> None:
    city, car = await connect("city"), await connect("car")
    supplier = Supplier()
    channel = await city.open_channel(channel_name)
    await any_supplier(await car.open_channel(channel_name), supplier)

    first = await any_consumer(channel, Anys())
    await eventually(lambda: supplier.told == [([ALL_TYPES], [])])
    await first.subscription_change([SPEED, ("Traffic", "%ALL")], [])
    await eventually(lambda: supplier.told[1:] == [([("Traffic", "*"), SPEED], [ALL_TYPES])])
    second = await any_consumer(channel, Anys())
    await eventually(lambda: supplier.told[2:] == [([ALL_TYPES], [])])
    await second.subscription_change([SPEED], [])
    await eventually(lambda: supplier.told[3:] == [([], [ALL_TYPES])])
    await first.disconnect_push_supplier()
    await eventually(lambda: supplier.told[4:] == [([], [("Traffic", "*")])])
    await second.disconnect_push_supplier()
    await eventually(lambda: supplier.told[5:] == [([], [SPEED])])


async def test_consumers_hear_when_the_union_of_offers_changes(
    connect: Connect, channel_name: str, eventually: Eventually
) -> None:
    city, car = await connect("city"), await connect("car")
    consumer = Anys()
    await any_consumer(await city.open_channel(channel_name), consumer)
    channel = await car.open_channel(channel_name)

    proxy = await structured_supplier(channel)
    await proxy.offer_change([SPEED, ALARM, SPEED], [])
    await channel.default_supplier_admin.offer_change([SPEED], [])
    await eventually(lambda: consumer.offers == [([ALARM, SPEED], [])])
    await proxy.offer_change([], [SPEED, ("never", "offered")])
    await proxy.offer_change([ALARM], [ALARM])
    await proxy.disconnect_structured_push_consumer()
    await eventually(lambda: consumer.offers[1:] == [([], [ALARM])])
    await channel.default_supplier_admin.offer_change([], [SPEED])
    await eventually(lambda: consumer.offers[2:] == [([], [SPEED])])


async def test_who_comes_late_learns_what_there_is(
    connect: Connect, channel_name: str, eventually: Eventually
) -> None:
    early = await (await connect("early")).open_channel(channel_name)
    await (await any_consumer(early, Anys())).subscription_change([SPEED], [])
    await (await any_supplier(early)).offer_change([ALARM], [])

    late = await (await connect("late")).open_channel(channel_name)
    supplying = await any_supplier(late)
    receiving = await any_consumer(late, Anys())

    await eventually(lambda: late.others)
    all_now, none_now = ObtainInfoMode.ALL_NOW_UPDATES_ON, ObtainInfoMode.NONE_NOW_UPDATES_ON
    assert supplying.obtain_subscription_types(all_now) == (ALL_TYPES, SPEED)
    assert supplying.obtain_subscription_types(none_now) == ()
    assert receiving.obtain_offered_types(all_now) == (ALARM,)
    assert receiving.obtain_offered_types(none_now) == ()
    [member] = late.others
    assert (member.client, member.offers, member.subscriptions) == (
        "early",
        frozenset({EventType(*ALARM)}),
        frozenset({EventType(*SPEED)}),
    )


async def test_updates_can_be_switched_off(
    connect: Connect, channel_name: str, eventually: Eventually
) -> None:
    channel = await (await connect()).open_channel(channel_name)
    supplier, other, consumer = Supplier(), Supplier(), Anys()
    supplying = await any_supplier(channel, supplier)
    await any_supplier(channel, other)
    receiving = await any_consumer(channel, consumer)
    await eventually(lambda: other.told)
    heard = list(supplier.told)

    supplying.obtain_subscription_types(ObtainInfoMode.NONE_NOW_UPDATES_OFF)
    receiving.obtain_offered_types(ObtainInfoMode.ALL_NOW_UPDATES_OFF)
    await receiving.subscription_change([SPEED], [])
    await supplying.offer_change([SPEED], [])
    await eventually(lambda: len(other.told) == 2)
    assert supplier.told == heard
    assert consumer.offers == []

    supplying.obtain_subscription_types(ObtainInfoMode.NONE_NOW_UPDATES_ON)
    await receiving.subscription_change([], [SPEED])
    await eventually(lambda: len(supplier.told) == len(heard) + 1)


async def test_an_unannounced_consumer_stays_unseen(
    connect: Connect, channel_name: str, eventually: Eventually
) -> None:
    city, car = await connect("city"), await connect("car")
    supplier, consumer = Supplier(), Anys()
    sending = await car.open_channel(channel_name)
    proxy = await any_supplier(sending, supplier)
    channel = await city.open_channel(channel_name)
    unseen = channel.default_consumer_admin.obtain_notification_push_supplier(ClientType.ANY_EVENT)
    await unseen.connect_any_push_consumer(consumer, announced=False)
    await unseen.subscription_change([("", "%ANY")], [])

    await proxy.push(1)

    await eventually(lambda: consumer.got)
    assert sending.subscriptions == ()
    assert supplier.told == []


async def test_who_watches_hears_of_every_other_member(
    connect: Connect, channel_name: str, eventually: Eventually
) -> None:
    one, other, third = [
        await (await connect(name)).open_channel(channel_name) for name in ("one", "other", "third")
    ]
    seen: list[set[str]] = []

    def look() -> None:
        seen.append({member.client for member in one.others if member.subscriptions})

    one.watch(look)
    await any_consumer(one, Anys())
    await any_consumer(other, Anys())
    await eventually(lambda: seen == [{"other"}])
    await any_consumer(third, Anys())
    await eventually(lambda: seen[1:] == [{"other", "third"}])
    await other.close()
    await eventually(lambda: seen[2:] and seen[-1] == {"third"})
    one.unwatch(look)
    one.unwatch(look)
    count = len(seen)
    await third.close()
    await eventually(lambda: not one.others)
    assert len(seen) == count


async def test_a_client_that_dies_is_forgotten(
    connect: Connect, channel_name: str, eventually: Eventually
) -> None:
    supplier = Supplier()
    car = await connect("car", beat_s=0.1)
    await any_supplier(await car.open_channel(channel_name), supplier)
    dying = await connect("dying", beat_s=0.1)
    receiving = await any_consumer(await dying.open_channel(channel_name), Anys())
    await receiving.subscription_change([SPEED], [])
    await eventually(lambda: supplier.told[-1:] == [([SPEED], [ALL_TYPES])])

    await dying.link.close()  # without goodbye, as a process that was killed

    await eventually(lambda: supplier.told[-1:] == [([], [SPEED])])


async def test_a_missed_change_is_made_up_for_by_the_next_beat(
    connect: Connect, channel_name: str, eventually: Eventually
) -> None:
    car, city = await connect("car", beat_s=0.1), await connect("city", beat_s=0.1)
    here, there = await car.open_channel(channel_name), await city.open_channel(channel_name)
    receiving = await any_consumer(there, Anys())
    await eventually(lambda: here.subscriptions == (ALL_TYPES,))

    deaf = [entry for entry in car.link._listenings if entry.subject.startswith("cns.change")]
    await car.link.mute(deaf[0])
    await receiving.subscription_change([SPEED], [])
    await car.link.flush()
    await city.link.flush()
    assert here.subscriptions == (ALL_TYPES,)
    await car.link.listen(deaf[0].subject, deaf[0].handler)

    await eventually(lambda: here.subscriptions == (SPEED,))


async def test_a_query_never_leads_an_answer_to_a_strangers_subject(
    connect: Connect, channel_name: str, eventually: Eventually
) -> None:
    connection = await connect()
    channel = await connection.open_channel(channel_name)
    await any_consumer(channel, Anys())
    led: list[bytes] = []
    inboxed: list[bytes] = []
    await connection.link.listen("secret.place", lambda _s, payload, _h, _r: led.append(payload))
    await connection.link.listen("_INBOX.mine", lambda _s, payload, _h, _r: inboxed.append(payload))

    for reply in ("secret.place", "_INBOX.mine"):
        await connection.link.publish(f"cns.change.{channel_name}", b"\x92\x03\xa0", reply=reply)

    await eventually(lambda: inboxed)
    assert led == []


async def test_a_change_that_is_not_valid_changes_nothing(
    connect: Connect, channel_name: str
) -> None:
    channel = await (await connect()).open_channel(channel_name)
    receiving = await any_consumer(channel, Anys())
    await receiving.subscription_change([SPEED], [])
    many = [("d", str(number)) for number in range(501)]

    with pytest.raises(InvalidEventTypeError):
        await receiving.subscription_change([("d", "x" * 300)], [SPEED])
    with pytest.raises(AdminLimitExceededError):
        await receiving.subscription_change(many, [SPEED])
    with pytest.raises(AdminLimitExceededError):
        await channel.default_supplier_admin.offer_change(many, [])

    assert receiving.subscriptions == {SPEED}
    assert channel.subscriptions == (SPEED,)
    assert channel.offers == ()


async def test_two_uses_of_a_channel_in_one_process_are_two_members(
    connect: Connect, channel_name: str, eventually: Eventually
) -> None:
    connection = await connect("process")
    one = await connection.open_channel(channel_name, ChannelOptions(client="adapter"))
    other = await connection.open_channel(channel_name)
    await any_consumer(one, Anys())

    await eventually(lambda: other.others)
    assert [member.client for member in other.others] == ["adapter"]
    assert one.others == ()


async def test_a_process_that_was_halted_forgets_nobody(
    connect: Connect, channel_name: str, eventually: Eventually
) -> None:
    beat_s = 0.1
    car, city = await connect("car", beat_s=beat_s), await connect("city", beat_s=beat_s)
    here, there = await car.open_channel(channel_name), await city.open_channel(channel_name)
    supplier = Supplier()
    await any_supplier(here, supplier)
    await any_consumer(there, Anys())
    await eventually(lambda: supplier.told == [([ALL_TYPES], [])])

    await asyncio.sleep(2 * beat_s)
    time.sleep(10 * beat_s)  # noqa: ASYNC251 - the loop stands still
    await asyncio.sleep(2 * beat_s)
    await car.probe()

    assert supplier.told == [([ALL_TYPES], [])]


async def test_a_client_of_whom_the_others_would_not_take_its_state_is_refused(
    connect: Connect, channel_name: str
) -> None:
    connection = await connect()
    with pytest.raises(MalformedError):
        await connection.open_channel(channel_name, ChannelOptions(client="x" * 256))
    assert connection.channels == ()
