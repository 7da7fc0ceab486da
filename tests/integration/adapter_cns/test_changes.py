"""What native clients see of an adapter: offers, subscriptions, names."""

import pytest
from adapter_cns.observed import MARK
from eventservices.cns import EventChannel
from fes.errors import AdapterError
from fes.mapping import Native
from fes.model import Field, Type
from fes.testing.eventually import eventually
from integration.adapter_cns.conftest import MakeAdapter
from integration.adapter_cns.natives import (
    SPEED_RULE,
    Client,
    Sink,
    any_supplier,
    consumer,
    subscribe,
    unsubscribe,
)

pytestmark = pytest.mark.broker

SPEED, PLACE = ("*", "Speed"), ("*", "Place")
CAN = ("*", "%ANY")
CONTROL = ("*", "FES_ControlEvent")


async def test_suppliers_see_the_types_that_subscriptions_need_and_nothing_after_them(
    make: MakeAdapter, channel: EventChannel
) -> None:
    supplier = Client()
    await any_supplier(channel, supplier)
    adapter = make(rules=[SPEED_RULE])
    await adapter.connect(Sink())
    told = supplier.subscriptions

    await subscribe(adapter, 1, "subject = 'Speed' AND rate > 70")
    await eventually(lambda: told == [([CAN, SPEED], [])])
    await subscribe(adapter, 2, "subject IN ('Speed', 'Place')")
    await eventually(lambda: told[1:] == [([PLACE], [])])
    await unsubscribe(adapter, 1, "subject = 'Speed' AND rate > 70")
    await unsubscribe(adapter, 2, "subject IN ('Speed', 'Place')")
    await eventually(lambda: told[2:] == [([], [CAN, PLACE, SPEED])])
    assert channel.subscriptions == ()
    assert channel.others == ()
    await adapter.disconnect()


async def test_consumers_see_what_is_announced_until_the_last_announcement_goes(
    make: MakeAdapter, channel: EventChannel
) -> None:
    native = Client()
    await consumer(channel, native)
    adapter = make()
    await adapter.connect(Sink())

    await adapter.announce(Native("Speed"))
    await adapter.announce(Native("Speed", (Field("rate", Type.DOUBLE, 0.0),)))
    await adapter.announce(Native(None, (), (), bytes(8), 12345, True))
    await eventually(lambda: native.offers == [([SPEED], []), ([CAN], [])])
    await adapter.unannounce(Native("Speed"))
    await adapter.unannounce(Native(None, (), (), bytes(8), 12345, True))
    await eventually(lambda: native.offers[2:] == [([], [CAN])])
    await adapter.unannounce(Native("Speed"))
    await eventually(lambda: native.offers[3:] == [([], [SPEED])])
    await adapter.unannounce(Native("Speed"))
    await adapter.disconnect()
    assert channel.offers == ()


async def test_a_stopped_adapter_leaves_nothing(make: MakeAdapter, channel: EventChannel) -> None:
    adapter = make(hears_control=True)
    await adapter.connect(Sink())
    await subscribe(adapter, 1, "Speed")
    await adapter.announce(Native("Place"))
    await eventually(lambda: channel.subscriptions == (CONTROL, SPEED))
    await eventually(lambda: channel.offers == (PLACE,))

    await adapter.disconnect()

    await eventually(lambda: not (channel.subscriptions or channel.offers or channel.others))
    await adapter.disconnect()


async def test_more_types_than_a_client_may_name_become_all(
    make: MakeAdapter, channel: EventChannel
) -> None:
    adapter = make()
    await adapter.connect(Sink())
    many = ", ".join(f"'s{number}'" for number in range(501))

    assert await subscribe(adapter, 1, "Speed") == ()
    widened = await subscribe(adapter, 2, f"subject IN ({many})")

    await eventually(lambda: channel.subscriptions == (("", "%ALL"), SPEED))
    assert "more than 500" in widened[-1]
    await unsubscribe(adapter, 2, "")
    await eventually(lambda: channel.subscriptions == (SPEED,))
    await adapter.disconnect()


async def test_an_announcement_that_is_no_event_type_is_refused_and_harms_no_other(
    make: MakeAdapter, channel: EventChannel
) -> None:
    adapter = make()
    await adapter.connect(Sink())

    with pytest.raises(AdapterError, match="255 bytes"):
        await adapter.announce(Native("x" * 300))
    await adapter.announce(Native("Speed"))

    await eventually(lambda: channel.offers == (SPEED,))
    await adapter.disconnect()


async def test_its_name_among_the_members_is_its_identifier_behind_a_mark(
    make: MakeAdapter, channel: EventChannel
) -> None:
    adapters = [make("g1"), make("g2")]
    for adapter in adapters:
        await adapter.connect(Sink())
        await subscribe(adapter, 1, "Speed")

    await eventually(
        lambda: {member.client for member in channel.others} == {MARK + a.id for a in adapters}
    )
    for adapter in adapters:
        await adapter.disconnect()
