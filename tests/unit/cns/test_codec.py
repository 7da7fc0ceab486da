import math
from collections.abc import Mapping
from typing import Any

import msgspec
import pytest
from eventservices.cns import (
    AnyEvent,
    LongLong,
    StructuredEvent,
    TypeCode,
    Value,
    as_any,
    as_structured,
    structured_event,
    type_code,
)
from eventservices.cns.codec import MAX_DEPTH, decode, encode_any, encode_structured
from eventservices.errors import MalformedError
from hypothesis import given
from hypothesis import strategies as st

scalars = (
    st.none()
    | st.booleans()
    | st.integers(-(2**63), 2**63 - 1)
    | st.integers(-(2**63), 2**63 - 1).map(LongLong)
    | st.floats()
    | st.text()
    | st.binary()
)
values = st.recursive(
    scalars,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=12,
)
members = st.dictionaries(st.text(), values, max_size=4)
events = st.builds(
    structured_event,
    st.tuples(st.text(), st.text()),
    st.text(),
    variable_header=members,
    filterable_data=members,
    body=values,
)


def exact(value: Any) -> Any:
    """Return what tells two values apart that `==` does not: type codes, NaN, order."""
    if isinstance(value, StructuredEvent):
        names = value.event_type, value.event_name
        parts = value.header.variable_header, value.filterable_data, value.remainder_of_body
        return names, [exact(part) for part in parts]
    if isinstance(value, Mapping):
        return [(name, exact(item)) for name, item in value.items()]
    if isinstance(value, list | tuple):
        return ["sequence", *[exact(item) for item in value]]
    code = type_code(value)
    if isinstance(value, float):
        return code, math.isnan(value) or value.hex()
    return code, value


@given(values)
def test_a_value_comes_back_with_its_type_code(value: Value) -> None:
    event = decode(encode_any(value))

    assert isinstance(event, AnyEvent)
    assert exact(event.value) == exact(value)


@given(events)
def test_a_structured_event_comes_back_whole(event: StructuredEvent) -> None:
    assert exact(decode(encode_structured(event))) == exact(event)


@given(events)
def test_an_event_within_an_any_comes_back_whole(event: StructuredEvent) -> None:
    found = decode(encode_any({"wrapped": [event]}))

    assert isinstance(found, AnyEvent)
    assert exact(found.value) == exact({"wrapped": [event]})


@given(values)
def test_any_to_structured_to_any_is_the_same_any(value: Value) -> None:
    structured = as_structured(AnyEvent(value))

    assert structured.event_type == ("", "%ANY")
    assert structured.event_name == ""
    assert not structured.header.variable_header
    assert not structured.filterable_data
    assert exact(as_any(structured)) == exact(value)


def test_an_any_consumer_gets_any_other_structured_event_whole() -> None:
    event = structured_event(("Telecom", "Alarm"), "lost_packet", body=5)

    assert as_any(event) is event


@pytest.mark.parametrize(
    ("value", "code"),
    [
        (None, TypeCode.NULL),
        (True, TypeCode.BOOLEAN),
        (2**31 - 1, TypeCode.LONG),
        (-(2**31), TypeCode.LONG),
        (2**31, TypeCode.LONGLONG),
        (LongLong(5), TypeCode.LONGLONG),
        (1.0, TypeCode.DOUBLE),
        ("", TypeCode.STRING),
        (b"", TypeCode.OCTETS),
        ((1, 2), TypeCode.SEQUENCE),
        ({}, TypeCode.STRUCT),
        (structured_event(("", "")), TypeCode.EVENT),
    ],
)
def test_python_values_have_type_codes(value: Value, code: TypeCode) -> None:
    assert type_code(value) is code


@pytest.mark.parametrize(
    "wrong",
    [
        2**63,
        -(2**63) - 1,
        1j,
        object(),
        {1: "a"},
        [{"a": {b"b": 1}}],
        {"a", "b"},
        "\ud800",
        TypeCode.LONG,
        bytearray(b"a"),
    ],
)
def test_what_no_any_carries_is_refused(wrong: Any) -> None:
    with pytest.raises(MalformedError):
        encode_any(wrong)


@pytest.mark.parametrize(
    "event",
    [
        structured_event((1, "t")),  # type: ignore[arg-type] # that is the case
        structured_event(("d", "t"), None),  # type: ignore[arg-type] # that is the case
        structured_event(("d", "t"), filterable_data={"x": object()}),  # type: ignore[dict-item] # that is the case
        structured_event(("d", "t"), variable_header={5: 1}),  # type: ignore[dict-item] # that is the case
    ],
)
def test_a_structured_event_of_wrong_parts_is_refused(event: StructuredEvent) -> None:
    with pytest.raises(MalformedError):
        encode_structured(event)


def nested(depth: int) -> Value:
    value: Value = 1
    for _ in range(depth):
        value = [value]
    return value


def test_nesting_is_limited_on_both_sides() -> None:
    assert decode(encode_any(nested(MAX_DEPTH))) == AnyEvent(nested(MAX_DEPTH))
    with pytest.raises(MalformedError):
        encode_any(nested(MAX_DEPTH + 1))
    with pytest.raises(MalformedError):
        decode(msgspec.msgpack.encode([1, nested(MAX_DEPTH + 1)]))


def boxed(payload: bytes, times: int) -> bytes:
    """Return an Any whose value is an event in an event in an event …."""
    for _ in range(times):
        event = [2, "", "", "", {}, {}, msgspec.msgpack.Ext(2, payload)]
        payload = msgspec.msgpack.encode(event)
    return payload


@pytest.mark.parametrize(
    "payload",
    [
        b"",
        b"hello",
        b"\xc0",
        b"\x92\x09\x01",
        b"\x91\x01",
        b"\x92\x01",
        b"\x92\x01\x01\x01",
        b"\x92\x01\xa1\xff",
        b"\x92\x01\xcf" + b"\xff" * 8,
        b"\x92\x01\x81\x01\x01",
        b"\x92\x01\xd6\xff\x00\x00\x00\x00",
        b"\x92\x01\xd4\x01x",
        b"\x92\x01\xd4\x02x",
        b"\x92\x01\xc7\x03\x02\x92\x01\x01",
        b"\x92\x01\xd4\x63x",
        b"\x92\x01\xdd\xff\xff\xff\xff",
        b"\x92\x01" + b"\x91" * 50_000 + b"\xc0",
        b"\x97\x02\x01\xa0\xa0\x80\x80\xc0",
        b"\x97\x02\xa0\xa0\xa0\x90\x80\xc0",
        b"\x97\x02\xa0\xa0\xa0\x81\xa1x\xcf" + b"\xff" * 8 + b"\x80\xc0",
        b"\x97\x02\xa0\xa0\xa0\x80\x81\xa1x\xcf" + b"\xff" * 8 + b"\xc0",
        b"\x97\x02\xa0\xa0\xa0\x80\x80\xcf" + b"\xff" * 8,
        boxed(b"\x97\x02\xa0\xa0\xa0\x80\x80\xc0", 600),
    ],
)
def test_what_is_no_event_is_malformed(payload: bytes) -> None:
    with pytest.raises(MalformedError):
        decode(payload)


@given(st.binary(max_size=40))
def test_no_bytes_raise_anything_else(payload: bytes) -> None:
    try:
        event = decode(payload)
    except MalformedError:
        return
    again = encode_any(event.value) if isinstance(event, AnyEvent) else encode_structured(event)
    assert exact(as_any(decode(again))) == exact(as_any(event))


def test_later_versions_may_add_elements() -> None:
    assert decode(msgspec.msgpack.encode([1, "x", "new"])) == AnyEvent("x")
