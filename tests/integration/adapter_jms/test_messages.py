"""What becomes of messages of JMS, and of events, at a real ActiveMQ."""

import time
from typing import Any

import pytest
from adapter_jms.headers import to_jms_priority, to_priority
from eventservices.stamp import Stamp
from fes.errors import AdapterError, CodecError
from fes.mapping import Native
from fes.model import Field, Type
from fes.testing.eventually import eventually
from integration.adapter_jms.natives import connected, subscribed
from support.processes.activemq import ActiveMq
from support.processes.stomping import JmsClient

pytestmark = pytest.mark.broker

NAMES = (
    "type",
    "rate",
    "version",
    "a b",
    "x-y",
    "_x41$",
    "NULL",
    "JMSnope",
    "JMSXGroupID",
    "é",
    "message",
)


def stamp_of(number: int) -> Stamp:
    return Stamp("far", 1, number, time.time_ns() // 1000, "elsewhere")


def attribute(native: Native, name: str) -> Any:
    return next((field.value for field in native.attributes if field.id == name), None)


async def test_header_fields_and_properties_are_attributes_and_parameters(broker: ActiveMq) -> None:
    async with subscribed(
        broker, "subject = 'in.one'", properties={"rate": "double", "live": "boolean"}
    ) as (_, gateway):
        with JmsClient(broker.port) as client:
            now_ms = int(time.time() * 1000)
            client.send_as(
                "/topic/in.one",
                b'{"plate": "D 46"}',
                {
                    "rate": "46.5",
                    "live": "TRUE",
                    "region": "west",
                    "type": "reading",
                    "priority": "9",
                    "persistent": "true",
                    "expires": str(now_ms + 60_000),
                    "correlation-id": "c:1",
                    "reply-to": "/queue/answers",
                },
            )
            await eventually(lambda: gateway.natives)
    (native,) = gateway.natives
    assert {field.id: field.value for field in native.parameters} == {
        "rate": 46.5, "live": True, "plate": "D 46",
    }  # fmt: skip
    told = {field.id: field.value for field in native.attributes}
    assert 50 < told.pop("Timeout") <= 60
    assert told == {
        "region": "west", "JMSType": "reading", "JMSCorrelationID": "c:1",
        "JMSReplyTo": "/queue/answers", "Priority": 32767, "Reliability": 1,
    }  # fmt: skip
    (stamp,) = gateway.stamps
    assert stamp.origin.startswith("shop/ID:")
    assert abs(stamp.time_us // 1000 - now_ms) < 60_000


async def test_an_event_has_its_header_fields_at_native_clients(broker: ActiveMq) -> None:
    async with connected(broker, properties={"rate": "double"}) as (made, _):
        client = JmsClient(broker.port)
        client.subscribe("/topic/out", selector="rate > 46.0 AND JMSType = 'reading'")
        attributes = (
            Field("Priority", Type.LONG, 13000),
            Field("Reliability", Type.LONG, 1),
            Field("Timeout", Type.DOUBLE, 60.0),
            Field("JMSType", Type.STRING, "reading"),
            Field("note", Type.STRING, "n"),
        )
        rate = (Field("rate", Type.DOUBLE, 46.5),)
        await made.publish(Native("out", rate, attributes), stamp_of(1))
        await eventually(lambda: client.messages)
        headers, body = client.messages[0]
        client.close()
    assert body == b'{"rate":46.5}'
    assert (headers["priority"], headers["persistent"], headers["type"]) == ("6", "true", "reading")
    assert (headers["rate"], headers["note"]) == ("46.5", "n")
    left_ms = int(headers["expires"]) - time.time() * 1000
    assert 0 < left_ms <= 61_000


def test_priorities_are_those_of_the_interworking_and_come_back() -> None:
    """reference/jms.md, section 3."""
    table = [-32767, -24575, -16384, -8192, 0, 6553, 13107, 19660, 26214, 32767]
    assert [to_priority(each) for each in range(10)] == table
    assert [to_jms_priority(each) for each in table] == list(range(10))
    every = [to_jms_priority(each) for each in range(-32767, 32768)]
    assert every == sorted(every)
    assert (to_jms_priority(-4096), to_jms_priority(3276), to_jms_priority(-32768)) == (4, 4, 0)


async def test_names_that_jms_reserves_come_back_as_they_were(broker: ActiveMq) -> None:
    values = tuple(Field(name, Type.STRING, name) for name in NAMES)
    async with (
        subscribed(broker, "subject = 'names'") as (_, gateway),
        connected(broker, "other") as (other, _),
    ):
        await other.publish(Native("names", values, values), stamp_of(1))
        await eventually(lambda: gateway.natives)
    assert (gateway.natives[0].parameters, gateway.natives[0].attributes) == (values, values)


@pytest.mark.parametrize(
    "subject",
    [
        "/a",
        "a//b",
        "a/",
        "a..b",
        ".",
        "~",
        "a b",
        "$SYS.x",
        "*",
        ">",
        "a,b",
        "a?b",
        "queue://x",
        "é%2C",
    ],
)
async def test_a_subject_of_any_characters_crosses(broker: ActiveMq, subject: str) -> None:
    """Conventions, section 3."""
    quoted = subject.replace("'", "''")
    async with (
        subscribed(broker, f"subject = '{quoted}'") as (_, gateway),
        connected(broker, "other") as (other, _),
    ):
        await other.publish(Native(subject, (Field("n", Type.LONG, 1),)), stamp_of(1))
        await other.publish(Native("another", (Field("n", Type.LONG, 2),)), stamp_of(2))
        await eventually(lambda: gateway.natives)
    assert [(each.subject, each.parameters[0].value) for each in gateway.natives] == [(subject, 1)]


async def test_map_messages_cross_in_both_directions(broker: ActiveMq) -> None:
    values = (
        Field("text", Type.STRING, " <&>\r\n é東"),
        Field("whole", Type.LONG, -5),
        Field("long", Type.LONGLONG, 2**53 + 1),
        Field("real", Type.DOUBLE, 0.1),
        Field("yes", Type.BOOLEAN, True),
    )
    async with (
        subscribed(broker, "subject = 'maps'", messages="map") as (_, gateway),
        connected(broker, "other", messages="map") as (other, _),
    ):
        await other.publish(Native("maps", values), stamp_of(1))
        await eventually(lambda: gateway.natives)
        with JmsClient(broker.port) as client:
            body = b"<map><entry><string>n</string><short>7</short></entry></map>"
            client.send_as("/topic/maps", body, {"transformation": "jms-map-xml"})
            await eventually(lambda: len(gateway.natives) == 2)
        for value, reason in (
            (Field("o", Type.OCTETS, b""), "has no octets"),
            (Field("t", Type.STRING, "\U0001f600"), "has a character"),
        ):
            with pytest.raises(CodecError, match=reason):
                await other.publish(Native("maps", (value,)), stamp_of(2))
    assert sorted(gateway.natives[0].parameters, key=lambda f: f.id) == sorted(
        values, key=lambda f: f.id
    )
    assert gateway.natives[1].parameters == (Field("n", Type.LONG, 7),)


async def test_bytes_with_any_octet_cross(broker: ActiveMq) -> None:
    async with (
        subscribed(broker, "subject = 'raw'", payload="raw", value="o") as (_, gateway),
        connected(broker, "other", payload="raw", value="o") as (other, _),
    ):
        octets = bytes(range(256))
        await other.publish(Native("raw", (Field("o", Type.OCTETS, octets),)), stamp_of(1))
        await eventually(lambda: gateway.natives)
    assert gateway.natives[0].parameters == (Field("o", Type.OCTETS, octets),)


@pytest.mark.parametrize(
    ("headers", "body", "reason"),
    [
        ({}, b"\xff\xfe{", "poison"),
        ({}, b'{"n": NaN}', "poison"),
        ({}, b'{"n": 1e999}', "poison"),
        ({"rate": "fast"}, b"{}", "'fast' is not a double"),
        ({"rate": "1_000"}, b"{}", "not a double"),
        ({"rate": "1.0"}, b'{"rate": 2.0}', "another in the payload"),
        ({"FES_Stamp": "forged"}, b"{}", "stamp has 1 fields"),
        ({"FES_Stamp": ";".join("x" * 6)}, b"{}", "not well formed"),
        ({"FES_Types": "[]", "FES_Client": "x"}, b"{}", "object of strings"),
        ({"FES_Attributes": "{", "FES_Client": "x"}, b"{}", "poison"),
        ({"transformation": "jms-map-xml"}, b"<map><entry>", "map message"),
        ({"content-type": "application/json"}, b"[" * 5000, "poison"),
    ],
)
async def test_a_message_that_cannot_be_read_is_set_aside_and_the_next_arrives(
    broker: ActiveMq, headers: dict[str, str], body: bytes, reason: str
) -> None:
    async with subscribed(
        broker, "subject = 'poison'", properties={"rate": "double"}, persistent=True
    ) as (_, gateway):
        with JmsClient(broker.port) as client:
            client.send_as("/topic/poison", body, headers)
            client.send_as("/topic/poison", b'{"n": 9007199254740993}', {})
            await eventually(lambda: gateway.natives)
    assert gateway.values("n") == [2**53 + 1]
    ((told, raw),) = gateway.aside
    assert reason in told
    assert body.startswith(raw[:10])


async def test_a_message_above_the_limit_is_refused_with_its_size(broker: ActiveMq) -> None:
    async with connected(broker, max_bytes=1024) as (made, _):
        with pytest.raises(AdapterError, match="exceeds the limit of 1024"):
            await made.publish(Native("large", (Field("t", Type.STRING, "x" * 2000),)), stamp_of(1))
        await made.probe()


async def test_a_parameter_that_is_not_of_its_propertys_type_passes_the_selector(
    broker: ActiveMq,
) -> None:
    properties = {"rate": "int"}
    text = "subject = 'odd' AND rate = 'fast'"
    async with (
        subscribed(broker, text, properties=properties) as (_, gateway),
        connected(broker, "other", properties=properties) as (other, _),
    ):
        await other.publish(Native("odd", (Field("rate", Type.STRING, "fast"),)), stamp_of(1))
        await eventually(lambda: gateway.natives)
        assert other.counters["properties_lost"] == 1
    assert gateway.values("rate") == ["fast"]


async def test_a_message_without_a_body_has_no_parameter_whatever_the_payload(
    broker: ActiveMq,
) -> None:
    properties = {"rate": "int"}
    async with subscribed(broker, "subject = 'bare'", payload="text", properties=properties) as (
        _,
        gateway,
    ):
        with JmsClient(broker.port) as client:
            client.send_as("/topic/bare", b"", {"rate": "46", "note": "n"})
            await eventually(lambda: gateway.natives)
    (native,) = gateway.natives
    assert native.parameters == (Field("rate", Type.LONG, 46),)
    assert attribute(native, "note") == "n"


async def test_a_level_that_is_a_property_too_is_published_beside_a_payload_of_one_value(
    broker: ActiveMq,
) -> None:
    routes = [{"topic": "notes.{room}", "event": "Note", "payload": "text", "value": "note"}]
    async with connected(broker, routes=routes, properties={"room": "string"}) as (made, _):
        with JmsClient(broker.port) as client:
            client.subscribe("/topic/notes.hall")
            values = (Field("room", Type.STRING, "hall"), Field("note", Type.STRING, "n"))
            await made.publish(Native("Note", values), stamp_of(1))
            await eventually(lambda: client.messages)
            headers, body = client.messages[0]
    assert (headers["room"], body) == ("hall", b"n")
