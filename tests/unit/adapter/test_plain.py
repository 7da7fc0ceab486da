"""Topics and payloads together, as messages of plain systems."""

import json
from pathlib import Path

import pytest
from eventservices.stamp import Stamp
from fes.adapter.plain.codec import PlainCodec, RouteText
from fes.errors import CodecError
from fes.mapping import Mapping, Native, load_rules
from fes.mapping.topics.levels import NATS, TopicNames
from fes.model import Event

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
