import pytest
from eventservices.cns import EventChannel, structured_event
from eventservices.stamp import Stamp
from fes.control import ControlEvent, RequestType, to_event
from fes.model import Event
from fes.model import Stamp as EventStamp
from fes.testing.eventually import eventually
from integration.adapter_cns.conftest import MakeAdapter
from integration.adapter_cns.natives import (
    Client,
    Sink,
    consumer,
    structured_supplier,
    subscribe,
)

pytestmark = pytest.mark.broker

NATIVE = Stamp("other", 1, 1, 5, "cns")
CONTROL = to_event(
    ControlEvent(
        stamp=EventStamp("city", 1, 5, 7, "far"),
        system="test",
        type=RequestType.PUBLICATION,
        source="far",
        dist_list="near",
        event=Event.of("Speed", {"rate": 55.0, "raw": b"\x00\xff"}, {"Priority": 3}),
        version=2**40,
    )
)


async def test_a_control_event_is_a_structured_event_of_a_type_of_its_own(
    make: MakeAdapter, channel: EventChannel
) -> None:
    others, all_ = Client(), Client()
    await consumer(channel, others, ("*", "Speed"))
    await consumer(channel, all_)
    adapter, hearing, deaf = make("a"), make("b", hears_control=True), make("c")
    sinks = [Sink(), Sink(), Sink()]
    for each, sink in zip((adapter, hearing, deaf), sinks, strict=True):
        await each.connect(sink)
    await subscribe(deaf, 1, "")

    await adapter.publish_control(CONTROL, NATIVE)
    await eventually(lambda: all_.events, what="the control event, which another connection brings")
    await (await structured_supplier(channel)).push_structured_event(
        structured_event(("", "Speed"))
    )

    await eventually(lambda: sinks[2].natives and others.events)
    assert [event.event_type for event in all_.events] == [("", "FES_ControlEvent"), ("", "Speed")]
    assert '"Priority": 3' in str(all_.events[0].filterable_data["Event"])
    assert [event.event_type.type_name for event in others.events] == ["Speed"]
    assert sinks[0].controls == sinks[2].controls == []
    assert sinks[1].controls == [(CONTROL, NATIVE)]
    assert sinks[2].subjects() == ["Speed"]
    for each in (adapter, hearing, deaf):
        await each.disconnect()


async def test_a_malformed_control_event_is_set_aside(
    make: MakeAdapter, channel: EventChannel
) -> None:
    adapter, sink = make(hears_control=True), Sink()
    await adapter.connect(sink)
    supplier = await structured_supplier(channel)

    await supplier.push_structured_event(
        structured_event(("", "FES_ControlEvent"), filterable_data={"Event": "{"})
    )

    await eventually(lambda: sink.aside)
    assert "parameter 'Event'" in sink.aside[0][0]
    assert sink.controls == []
    await adapter.disconnect()
