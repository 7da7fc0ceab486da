"""Topics and payloads together, as messages of plain systems."""

import json
from pathlib import Path

import pytest
from eventservices.stamp import Stamp
from fes.adapter.context import Received
from fes.adapter.plain.codec import PlainCodec, RouteText
from fes.errors import CodecError
from fes.mapping import Mapping, Native, load_rules
from fes.mapping.topics.levels import NATS, TopicNames
from fes.model import Event, Field, Type

NOTE = Field("note", Type.STRING, "n")
STAMP = Stamp("far", 1, 2, 3, "away")
ROUTES = (RouteText("r.{room}", "Reading", "json"), RouteText("raw.{room}", "Raw", "raw"))


def codec(mapping: Mapping | None = None, largest: int = 100) -> PlainCodec:
    return PlainCodec(
        TopicNames(NATS), ROUTES, RouteText("", "", "json"), mapping or Mapping(()), largest
    )


def test_a_payload_may_tell_a_level_again() -> None:
    heard = codec().to_native("r.hall", {}, b'{"c": 1, "room": "hall"}', None)
    assert heard is not None
    assert heard.native == Native("Reading", Event.of("x", room="hall", c=1).parameters)


@pytest.mark.parametrize("other", ["attic", 1, None])
def test_a_payload_that_tells_another_level_is_refused(other: object) -> None:
    payload = json.dumps({"room": other}).encode()
    if other is None:  # a null tells nothing
        assert codec().to_native("r.hall", {}, payload, None) is not None
        return
    with pytest.raises(CodecError, match="another in the payload"):
        codec().to_native("r.hall", {}, payload, None)


def test_a_payload_that_is_too_large_is_not_parsed() -> None:
    with pytest.raises(CodecError, match="101 bytes exceeds the limit of 100 bytes"):
        codec().to_native("r.hall", {}, b"x" * 101, None)


def test_a_rule_with_a_layout_takes_the_payload_as_it_is() -> None:
    rule = {
        "native": {"subject": "Raw"},
        "subject": "Speed",
        "parameters": {"rate": {"bytes": [0, 1], "type": "long"}},
    }
    mapping = Mapping(load_rules([rule], Path()))
    made = codec(mapping)
    heard = made.to_native("raw.hall", {}, b"\x05\x01", None)
    assert heard is not None
    ((event, _),) = mapping.to_events(heard.native)
    assert event == Event.of("Speed", rate=261)


def test_a_control_event_is_json_whatever_the_setting() -> None:
    event = Event.of("FES_ControlEvent", Type=2, Event=Event.of("Speed", rate=1.0))
    made = PlainCodec(TopicNames(NATS), (), RouteText("", "", "raw"), Mapping(()), 10_000)
    message = made.to_control_message(event, STAMP)
    assert message.topic == "FES_ControlEvent"
    assert made.to_control(message.packed.headers, message.packed.payload, STAMP) == (event, STAMP)


def test_parameters_that_are_not_in_a_payload_are_those_of_its_event() -> None:
    parameters = Event.of("x", c=1, room="hall").parameters
    headers = {"Content-Type": "application/cloudevents+json", "note": "n"}
    heard = codec().with_parameters("r.hall", headers, parameters, STAMP)
    expected = Native("Reading", Event.of("x", room="hall", c=1).parameters, (NOTE,))
    assert heard == Received(expected, STAMP)
    with pytest.raises(CodecError, match="another in the payload"):
        codec().with_parameters("r.attic", {}, parameters, None)


def test_a_payload_of_one_value_leaves_out_what_the_message_has_beside_it() -> None:
    text = RouteText("t.{room}", "Note", "text", "note")
    made = PlainCodec(TopicNames(NATS), (*ROUTES, text), text, Mapping(()), 100)
    note = Native("Note", Event.of("x", room="hall", note="n", rate=1).parameters)
    assert made.to_message(note, STAMP, ("rate", "room")).packed.payload == b"n"
    with pytest.raises(CodecError):
        made.to_message(note, STAMP)
    reading = Native("Reading", Event.of("x", room="hall", rate=1).parameters)
    message = made.to_message(reading, STAMP, ("rate",))
    assert (message.topic, message.packed.payload) == ("r.hall", b'{"rate":1}')
