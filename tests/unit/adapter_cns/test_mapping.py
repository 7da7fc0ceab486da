from pathlib import Path
from typing import Any

import pytest
from adapter_cns.mapping import Forms
from adapter_cns.settings import Settings
from eventservices.cns import ANY_TYPE, AnyEvent, StructuredEvent, can_frame_any, structured_event
from eventservices.errors import MalformedError
from fes.errors import AdapterError, EventError
from fes.mapping import Mapping, Native, load_rules
from fes.model import Field, Type

FRAME = b"FES0001\x37"


def forms(rules: list[dict[str, Any]] | None = None, **settings: Any) -> Forms:
    return Forms(Settings(**settings), Mapping(load_rules(rules or [], Path())))


@pytest.mark.parametrize("can_id", [1234, 12345])
def test_a_can_frame_is_an_any_both_ways(can_id: int) -> None:
    extended = can_id > 0x7FF
    any_ = can_frame_any(can_id, FRAME, extended=extended)

    native = forms().from_any(any_, 55)

    assert native == Native(None, (), (), FRAME, can_id, extended, 55)
    assert forms().to_native(native) == AnyEvent(any_)


@pytest.mark.parametrize(
    "frame",
    [
        {"can_id": 2**29, "extended": True, "data": b""},
        {"can_id": 2**11, "extended": False, "data": b""},
        {"can_id": -1, "extended": True, "data": b""},
        {"can_id": 1, "extended": True, "data": bytes(9)},
        {"can_id": 1, "extended": 1, "data": b""},
        {"can_id": True, "extended": True, "data": b""},
        {"can_id": 1, "extended": True, "data": "x"},
    ],
)
def test_a_struct_that_is_nearly_a_can_frame_is_set_aside(frame: dict[str, Any]) -> None:
    with pytest.raises(MalformedError, match="CAN"):
        forms(any_subject="Any").from_any(frame, None)


@pytest.mark.parametrize(
    "native",
    [
        Native(None, (), (), bytes(9), 1, True),
        Native(None, (), (), b"", 2**11, False),
        Native(None, (), (), None, 1, True),
    ],
)
def test_what_no_can_frame_holds_is_refused(native: Native) -> None:
    with pytest.raises((AdapterError, MalformedError)):
        forms().to_native(native)


def test_octets_without_structure_are_an_any() -> None:
    native = forms().from_any(b"abc", None)

    assert native == Native(octets=b"abc")
    assert forms().to_native(native) == AnyEvent(b"abc")
    assert forms().event_type(native) == ANY_TYPE


def test_a_struct_has_the_subject_that_the_setting_gives() -> None:
    made = forms(any_subject="Reading")

    native = made.from_any({"celsius": 20.5, "room": "A"}, None)

    assert native == Native(
        "Reading", (Field("celsius", Type.DOUBLE, 20.5), Field("room", Type.STRING, "A"))
    )
    assert made.to_native(native) == AnyEvent({"celsius": 20.5, "room": "A"})
    assert made.event_type(native) == ANY_TYPE
    assert made.from_any(b"x", None) == Native("Reading", octets=b"x")
    assert made.to_native(Native("Reading", octets=b"x")) == AnyEvent(b"x")


def test_an_any_has_no_header_and_what_is_left_out_is_counted() -> None:
    made = forms(any_subject="Reading")

    made.to_native(Native("Reading", (), (Field("Priority", Type.LONG, 7),)))

    assert made.left_out == 1


@pytest.mark.parametrize(
    ("value", "named"),
    [
        ({"celsius": 20.5}, "any_subject"),
        ("text", "STRING"),
        (5, "LONG"),
        ([1], "SEQUENCE"),
        (None, "NULL"),
        (structured_event(("", "Speed")), "EVENT"),
    ],
)
def test_another_any_has_no_form_and_the_reason_is_told(value: Any, named: str) -> None:
    with pytest.raises(EventError, match=named):
        forms().from_any(value, None)


@pytest.mark.parametrize(
    ("native", "named"),
    [
        (Native(None, (Field("x", Type.LONG, 1),)), "without subject"),
        (Native("Reading", (Field("x", Type.LONG, 1),), (), b"x"), "either"),
        (Native("%ANY"), "%ANY"),
    ],
)
def test_what_has_no_form_on_the_channel_is_refused(native: Native, named: str) -> None:
    with pytest.raises(AdapterError, match=named):
        forms(any_subject="Reading").to_native(native)


LAYOUT = [
    {"subject": "Speed", "parameters": {"rate": {"bytes": [0, 0], "type": "double"}}},
    {"subject": "Out", "direction": "out", "parameters": {"a": {"bytes": [0, 0], "type": "long"}}},
]


def test_a_body_of_octets_is_a_payload_where_a_rule_reads_it() -> None:
    made = forms(LAYOUT)
    event = structured_event(("", "Speed"), "Speed", body=b"\x37")

    native = made.from_structured(event)

    assert native == Native("Speed", octets=b"\x37")
    assert made.to_native(native) == event


@pytest.mark.parametrize(("subject", "body"), [("Other", b"x"), ("Out", b"x"), ("Speed", "text")])
def test_any_other_body_is_a_parameter(subject: str, body: Any) -> None:
    native = forms(LAYOUT).from_structured(structured_event(("", subject), body=body))

    assert native.octets is None
    assert [(field.id, field.value) for field in native.parameters] == [("remainder_of_body", body)]


def test_an_event_is_offered_by_the_type_that_it_is_published_with() -> None:
    native = Native("Speed", (), (Field("DomainName", Type.STRING, "Traffic"),))

    for made in (forms(domain="Other"), forms(subject="event_name")):
        published = made.to_native(native)
        assert isinstance(published, StructuredEvent)
        assert made.event_type(native) == published.event_type == ("Traffic", "Speed")
    assert forms(domain="Other").event_type(Native("Speed")) == ("Other", "Speed")
    assert forms().event_type(Native(None, (), (), FRAME, 1, True)) == ANY_TYPE
