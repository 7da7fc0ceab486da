"""Filters that the channel applies itself, in ETCL."""

import pytest
from eventservices.cns import EventChannel, StructuredEvent, Value, structured_event
from fes.link.messages import Subscribe
from fes.testing.conformance.bench import captured
from fes.testing.eventually import eventually
from integration.adapter_cns.conftest import MakeAdapter
from integration.adapter_cns.natives import Sink, structured_supplier, subscribe, unsubscribe

pytestmark = pytest.mark.broker


def speed(rate: float, **more: Value) -> StructuredEvent:
    """Return a native event."""
    return structured_event(("", "Speed"), filterable_data={"rate": rate, **more})


async def test_a_filter_is_applied_by_the_channel_as_a_constraint(
    make: MakeAdapter, channel: EventChannel
) -> None:
    supplier = await structured_supplier(channel)
    async with captured(make()) as gateway:
        text = "subject = 'Speed' AND rate > 70 AND license_no STARTS WITH 'FES'"
        await gateway.order(Subscribe(1, text, 1))
        for rate in (50.0, 83.0):
            await supplier.push_structured_event(speed(rate, license_no="FES0001"))

        await eventually(lambda: gateway.heard)

        counters = gateway.runtime.counted().counters
        assert [event.parameter("rate") for event in gateway.events()] == [83.0]
        assert (counters["native_filtered"], counters["native_delivered"]) == (1, 1)
        assert (counters["filtered"], counters["native_constraints"]) == (0, 1)


async def test_overlapping_constraints_hand_an_event_over_once(
    make: MakeAdapter, channel: EventChannel
) -> None:
    supplier, adapter = await structured_supplier(channel), make()
    sink = Sink()
    await adapter.connect(sink)
    for number, limit in ((1, 30), (2, 40)):
        await subscribe(adapter, number, f"subject = 'Speed' AND rate > {limit}")

    for rate in (50.0, 35.0, 20.0, 60.0):
        await supplier.push_structured_event(speed(rate))

    await eventually(lambda: len(sink.natives) == 3)
    assert [native.parameters[0].value for native, _ in sink.natives] == [50.0, 35.0, 60.0]
    await adapter.disconnect()


async def test_a_filter_in_place_of_another_is_the_only_one(
    make: MakeAdapter, channel: EventChannel
) -> None:
    supplier, adapter = await structured_supplier(channel), make()
    sink = Sink()
    await adapter.connect(sink)
    await subscribe(adapter, 1, "subject = 'Speed' AND rate > 30")
    await subscribe(adapter, 1, "subject = 'Speed' AND rate > 50")
    assert adapter.counters["constraints"] == 1

    for rate in (40.0, 60.0):
        await supplier.push_structured_event(speed(rate))

    await eventually(lambda: sink.natives)
    assert [native.parameters[0].value for native, _ in sink.natives] == [60.0]
    await adapter.disconnect()


async def test_more_constraints_than_a_filter_takes_become_none(
    make: MakeAdapter, channel: EventChannel, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("adapter_cns.consumer.MAX_CONSTRAINTS", 2)
    supplier, adapter = await structured_supplier(channel), make()
    sink = Sink()
    await adapter.connect(sink)
    for number in range(3):
        widened = await subscribe(adapter, number, f"subject = 'Speed' AND rate > {number}")
    assert "all events are received" in widened[-1]
    await supplier.push_structured_event(structured_event(("", "Other")))
    await eventually(lambda: sink.subjects() == ["Other"])

    await unsubscribe(adapter, 2, "")
    await supplier.push_structured_event(structured_event(("", "Other")))
    await supplier.push_structured_event(speed(9.0))
    await eventually(lambda: sink.subjects() == ["Other", "Speed"])
    await adapter.disconnect()
