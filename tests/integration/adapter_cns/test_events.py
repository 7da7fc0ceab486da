import pytest
from adapter_cns.adapter import CnsAdapter
from eventservices.cns import EventChannel, can_frame_any, structured_event
from eventservices.stamp import Stamp
from fes.errors import AdapterError
from fes.link.messages import Subscribe
from fes.mapping import Native
from fes.model import Event, Field, Type
from fes.testing.conformance.bench import captured
from fes.testing.eventually import eventually
from integration.adapter_cns.conftest import MakeAdapter
from integration.adapter_cns.natives import (
    SPEED_RULE,
    Client,
    Sink,
    any_consumer,
    any_supplier,
    consumer,
    structured_supplier,
    subscribe,
    unsubscribe,
)

pytestmark = pytest.mark.broker

TIME_US = 1_200_000_000_000_123
STAMP = Stamp("far/away", 3, 7, TIME_US, "elsewhere", ("cns-v", "steam-v"))
FRAME = b"FES0001\x37"


async def opened(adapter: CnsAdapter) -> Sink:
    """Connect an adapter to a list."""
    sink = Sink()
    await adapter.connect(sink)
    return sink


@pytest.mark.parametrize("time", ["stamp", "frame"])
async def test_a_can_frame_is_heard_as_a_speed_event_with_the_frames_time(
    make: MakeAdapter, channel: EventChannel, service: str, time: str
) -> None:
    supplier = await any_supplier(channel)
    async with captured(make(rules=[{**SPEED_RULE, "time": time}])) as gateway:
        await gateway.order(Subscribe(1, "subject = 'Speed' AND rate > 50", 1))

        slow = can_frame_any(12345, b"FES0001\x1e")
        await supplier.push(slow, time_us=TIME_US - 1)
        await supplier.push(can_frame_any(777, FRAME), time_us=TIME_US - 1)
        stamp = await supplier.push(can_frame_any(12345, FRAME), time_us=TIME_US)

        await eventually(lambda: gateway.heard)
        [heard] = gateway.heard
        assert heard.stamp.identity == stamp.identity
        assert (heard.stamp.time_us, heard.stamp.home) == (TIME_US, service)
        assert gateway.events() == [Event.of("Speed", license_no="FES0001", rate=55.0)]
        assert gateway.runtime.inbound.counters["filtered"] == 1


async def test_a_speed_event_is_published_as_a_can_frame_under_its_stamp(
    make: MakeAdapter, channel: EventChannel
) -> None:
    native = Client()
    await any_consumer(channel, native)
    adapter = make(rules=[SPEED_RULE])
    await opened(adapter)
    event = Event.of("Speed", license_no="FES0001", rate=54.5)

    for made in adapter.context.mapping.to_native(event):
        await adapter.publish(made, STAMP)

    await eventually(lambda: native.anys)
    assert native.anys == [can_frame_any(12345, FRAME)]
    assert native.stamps == [STAMP]
    await adapter.disconnect()


async def test_a_published_event_is_a_structured_event_of_its_domain(
    make: MakeAdapter, channel: EventChannel
) -> None:
    native = Client()
    await consumer(channel, native, ("Traffic", "Speed"))
    adapter = make(domain="Traffic")
    await opened(adapter)
    event = Native(
        "Speed",
        (Field("rate", Type.DOUBLE, 55.0), Field("serial", Type.LONGLONG, 5)),
        (Field("Priority", Type.LONG, -3), Field("Timeout", Type.DOUBLE, 1.5)),
    )

    await adapter.publish(event, STAMP)

    await eventually(lambda: native.events)
    [got] = native.events
    assert got == structured_event(
        ("Traffic", "Speed"),
        "Speed",
        variable_header={"Priority": -3, "Timeout": 15_000_000},
        filterable_data={"rate": 55.0, "serial": 5},
    )
    assert type(got.filterable_data["serial"]).__name__ == "LongLong"
    assert native.stamps == [STAMP]
    await adapter.disconnect()


async def test_an_event_that_two_subscriptions_want_is_handed_over_once(
    make: MakeAdapter, channel: EventChannel
) -> None:
    adapter = make()
    sink = await opened(adapter)
    supplier = await structured_supplier(channel)
    await subscribe(adapter, 1, "Speed")
    await subscribe(adapter, 2, "subject STARTS WITH 'S' AND rate > 3")
    await subscribe(adapter, 3, "")

    for name in ("Speed", "End"):
        await supplier.push_structured_event(structured_event(("Traffic", name)))

    await eventually(lambda: "End" in sink.subjects())
    assert sink.subjects() == ["Speed", "End"]
    await adapter.disconnect()


async def test_each_subscription_holds_until_it_is_withdrawn_itself(
    make: MakeAdapter, channel: EventChannel
) -> None:
    adapter = make()
    sink = await opened(adapter)
    supplier = await structured_supplier(channel)
    await subscribe(adapter, 1, "Speed")
    await subscribe(adapter, 2, "subject = 'Speed' OR subject = 'Place'")
    await unsubscribe(adapter, 1, "Speed")

    for name in ("Other", "Speed", "Place"):
        await supplier.push_structured_event(structured_event(("Traffic", name)))

    await eventually(lambda: "Place" in sink.subjects())
    assert sink.subjects() == ["Speed", "Place"]
    await unsubscribe(adapter, 2, "subject = 'Speed' OR subject = 'Place'")
    await subscribe(adapter, 3, "End")
    for name in ("Speed", "End"):
        await supplier.push_structured_event(structured_event(("Traffic", name)))
    await eventually(lambda: "End" in sink.subjects())
    assert sink.subjects() == ["Speed", "Place", "End"]
    assert adapter.counters["delivered"] == 3
    await adapter.disconnect()


async def test_a_subject_may_be_the_name_of_the_event(
    make: MakeAdapter, channel: EventChannel
) -> None:
    supplier = await structured_supplier(channel)
    async with captured(make(subject="event_name")) as gateway:
        await gateway.order(Subscribe(1, "Speed", 1))

        await supplier.push_structured_event(structured_event(("Traffic", "Car"), "Place"))
        await supplier.push_structured_event(structured_event(("Traffic", "Car"), "Speed"))

        await eventually(lambda: gateway.heard)
        assert [event.subject for event in gateway.events()] == ["Speed"]


async def test_an_any_with_a_struct_has_the_subject_of_the_settings(
    make: MakeAdapter, channel: EventChannel
) -> None:
    supplier = await any_supplier(channel)
    async with captured(make(any_subject="Reading")) as gateway:
        await gateway.order(Subscribe(1, "subject = 'Reading' AND celsius > 20", 1))

        await supplier.push({"celsius": 20.5, "room": "A"})

        await eventually(lambda: gateway.heard)
        assert gateway.events() == [Event.of("Reading", celsius=20.5, room="A")]


async def test_an_any_without_a_form_is_set_aside_with_the_reason(
    make: MakeAdapter, channel: EventChannel
) -> None:
    adapter = make(rules=[SPEED_RULE])
    sink = await opened(adapter)
    supplier = await any_supplier(channel)
    await subscribe(adapter, 1, "Speed")

    await supplier.push("text")
    await supplier.push({"can_id": 1, "extended": True, "data": bytes(9)})
    await supplier.push(can_frame_any(12345, FRAME))

    await eventually(lambda: sink.natives)
    assert ["STRING" in sink.aside[0][0], "9 bytes" in sink.aside[1][0]] == [True, True]
    assert b"text" in sink.aside[0][1]
    assert len(sink.aside) == 2
    await adapter.disconnect()


async def test_an_event_too_large_is_refused_with_size_and_limit(
    make: MakeAdapter, channel: EventChannel
) -> None:
    native = Client()
    await consumer(channel, native)
    adapter = make()
    await opened(adapter)
    large = Native("Speed", (Field("note", Type.STRING, "x" * 2_000_000),))

    with pytest.raises(AdapterError, match=r"event of 2\d{6} bytes exceeds the limit of 1\d{6}"):
        await adapter.publish(large, STAMP)
    await adapter.publish(Native("Speed"), STAMP)

    await eventually(lambda: native.events)
    assert len(native.events) == 1
    await adapter.disconnect()


async def test_what_the_channel_has_no_form_for_is_refused(make: MakeAdapter) -> None:
    adapter = make()
    await opened(adapter)

    with pytest.raises(AdapterError, match="without subject"):
        await adapter.publish(Native(), STAMP)
    with pytest.raises(AdapterError, match="CAN"):
        await adapter.publish(Native(None, (), (), bytes(9), 1, True), STAMP)
    await adapter.disconnect()


async def test_an_event_without_a_stamp_gets_the_adapters(
    make: MakeAdapter, channel: EventChannel, service: str
) -> None:
    adapter = make(rules=[SPEED_RULE])
    async with captured(adapter) as gateway:
        await gateway.order(Subscribe(1, "Speed", 1))
        payload = b"\x92\x01\x83\xa6can_id\xcd09\xa8extended\xc3\xa4data\xc4\x08" + FRAME

        await channel._core.link.publish(f"cns.event.{service}", payload)

        await eventually(lambda: gateway.heard)
        assert gateway.heard[0].stamp.origin == adapter.id
        assert gateway.events()[0].parameter("rate") == 55.0
