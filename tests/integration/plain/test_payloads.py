"""Payloads that need more than a message: Sparkplug's births, and schemas, on real brokers."""

import json
from pathlib import Path

import pytest
from eventservices.stamp import Stamp
from fes.mapping import Native
from fes.model import Event, Field, Type
from fes.testing.eventually import eventually
from support.payloads.bindings import Message, kafka, mqtt311
from support.payloads.sparkplug import metric, payload

pytestmark = pytest.mark.broker

STAMP = Stamp("far", 1, 7, 1_700_000_000_000_000, "elsewhere")
ROUTE = {"topic": "spBv1.0/{group}/{message}/{node}", "event": "Reading", "payload": "sparkplug"}
BIRTH = payload(metric("celsius", -12, alias=3, kind=1), seq=0)
DATA = payload(metric(alias=3, value=-13, kind=1, told=False), seq=1)


async def test_a_node_that_was_born_before_is_requested_to_repeat_its_birth(tmp_path: Path) -> None:
    """The filter accepts data alone; the subscription brings the births that name its metrics."""
    filter_ = "subject = 'Reading' AND message = 'NDATA'"
    async with mqtt311(tmp_path, filter_=filter_, routes=[ROUTE]) as system:
        await system.client.send(Message("", {}, DATA), "spBv1.0/plant/NDATA/edge")
        await system.client.got()
        command = await system.client.got()
        assert b"Node Control/Rebirth" in command.payload
        await eventually(lambda: system.gateway.aside)
        ((reason, raw),) = system.gateway.aside
        assert "alias 3 is not known: it was in no birth" in reason
        assert raw == DATA

        await system.client.send(Message("", {}, BIRTH), "spBv1.0/plant/NBIRTH/edge")
        await system.client.send(Message("", {}, DATA), "spBv1.0/plant/NDATA/edge")
        await eventually(lambda: len(system.gateway.natives) == 2)
        assert system.adapter.counters["rebirths_requested"] == 1
    birth, data = system.gateway.natives
    assert birth.parameters[-1] == Field("celsius", Type.LONG, -12)
    levels = Event.of("x", group="plant", message="NDATA", node="edge").parameters
    assert data.parameters == (*levels, Field("celsius", Type.LONG, -13))
    assert data.time_us == 1_700_000_000_000_000


async def test_a_record_of_avro_with_the_framing_of_a_registry_crosses_both_ways(
    tmp_path: Path,
) -> None:
    """What has another number is set aside, and the next record is read."""
    fields = [{"name": "room", "type": "string"}, {"name": "celsius", "type": "double"}]
    schema = {"type": "record", "name": "Reading", "fields": fields}
    (tmp_path / "reading.avsc").write_text(json.dumps(schema), encoding="utf-8")
    settings = {"file": "reading.avsc", "framing": "confluent", "id": 17}
    record = b"\x08hall" + b"\0\0\0\0\0\x80\x35\x40"
    async with kafka(tmp_path, payload="avro", schema=settings) as system:
        await system.client.send(Message("", {}, b"\0\0\0\0\x12" + record))
        await system.client.send(Message("", {}, b"\0\0\0\0\x11" + record))
        await eventually(lambda: system.gateway.natives)
        expected = Event.of("x", room="hall", celsius=21.5).parameters
        assert system.gateway.natives[0].parameters == expected
        ((reason, _),) = system.gateway.aside
        assert "expected 0000000011, found 0000000012" in reason
        await system.adapter.publish(Native("Reading", expected), STAMP)
        found = await system.client.got()
    assert (found.content_type, found.payload) == ("application/avro", b"\0\0\0\0\x11" + record)
