"""Codecs: exact in both directions, strict about what is not an event."""

import math

import msgspec
import pytest
from fes.errors import CodecError
from fes.model import Event, Field, Type, binary
from fes.model.text import from_json, to_json

INNER = Event.of("Inner", {"x": 1.0})


def test_json_shows_what_people_expect() -> None:
    event = Event.of(
        "Speed", {"s": "x", "n": 2**40, "d": 1.0, "b": True, "o": b"\x84\xf4", "e": INNER}
    )

    assert to_json(event) == (
        '{"subject": "Speed", "parameters": {"s": "x", "n": 1099511627776, "d": 1.0, "b": true, '
        '"o": {"octets": "hPQ="}, "e": {"event": {"subject": "Inner", "parameters": {"x": 1.0}, '
        '"attributes": {}}}}, "attributes": {}}'
    )


def test_integers_stay_integers_beyond_53_bits() -> None:
    event = from_json('{"subject": "a", "parameters": {"userId": 1688888483063664642}}')

    assert event.parameters == (Field("userId", Type.LONGLONG, 1688888483063664642),)
    assert from_json(to_json(event)) == event
    assert binary.decode(binary.encode(event)) == event


def test_a_double_with_a_whole_value_stays_a_double() -> None:
    event = from_json('{"subject": "a", "parameters": {"x": 1.0, "y": 1, "z": 1e2}}')

    assert [field.type for field in event.parameters] == [Type.DOUBLE, Type.LONG, Type.DOUBLE]
    assert from_json(to_json(event)) == event


def test_bytes_above_7f_come_out_as_they_went_in() -> None:
    payload = bytes.fromhex("84f4bd1e595b1121")
    event = Event.of("a", {"payload": payload})

    assert from_json(to_json(event)).parameter("payload") == payload
    assert binary.decode(binary.encode(event)).parameter("payload") == payload


def test_a_longlong_that_fits_a_long_stays_a_longlong() -> None:
    event = Event("a", (Field("x", Type.LONGLONG, 5),))

    assert to_json(event).count('{"longlong": 5}') == 1
    assert from_json(to_json(event)) == event
    assert binary.decode(binary.encode(event)) == event


@pytest.mark.parametrize(
    "value", [math.nan, math.inf, -math.inf, -0.0, 5e-324, 1.7976931348623157e308]
)
def test_every_double_survives(value: float) -> None:
    event = Event.of("a", {"x": value})
    for again in (from_json(to_json(event)), binary.decode(binary.encode(event))):
        found = again.parameter("x")
        assert math.isnan(found) if math.isnan(value) else found == value
        assert math.copysign(1, found) == math.copysign(1, value) or math.isnan(value)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ('{"subject": "a", "parameters": {"x": NaN}}', "bare NaN"),
        ('{"subject": "a", "parameters": {"x": Infinity}}', "bare Infinity"),
        ('{"subject": "a", "parameters": {"x": 1e400}}', "out of range"),
        ('{"subject": "a", "subject": "b"}', "'subject' occurs twice"),
        ('{"subject": "a", "parameters": {"x": 1, "x": 2}}', "'x' occurs twice"),
        ('{"subject": "a", "parameters": {"x": 9223372036854775808}}', "does not fit 64 bit"),
        ('{"subject": "a", "parameters": {"x": null}}', "event.parameters.x"),
        ('{"subject": "a", "parameters": {"x": [1]}}', "event.parameters.x"),
        ('{"subject": "a", "parameters": {"x": {"double": "nan"}}}', "event.parameters.x"),
        ('{"subject": "a", "parameters": {"x": {"octets": "*"}}}', "not base64"),
        ('{"subject": "a", "parameters": {"x": {"long": 1}}}', "event.parameters.x"),
        ('{"subject": "a", "parameters": {"x": {"octets": "", "double": 1.0}}}', "one member"),
        ('{"subject": "a", "extra": 1}', "unknown member 'extra'"),
        ('{"subject": 5}', "event.subject"),
        ('{"subject": ""}', "subject is empty"),
        ('{"parameters": {}}', "event.subject"),
        ("[]", "expected an object"),
        ("", "not JSON"),
        ('{"subject": "a"} x', "not JSON"),
        ('{"subject": "\\ud800"}', "lone surrogate"),
        ("[" * 100_000, "nested deeper"),
    ],
)
def test_text_that_tells_no_event_is_refused_with_its_place(text: str, reason: str) -> None:
    with pytest.raises(CodecError, match=reason):
        from_json(text)


def test_text_that_is_not_utf8_is_refused() -> None:
    with pytest.raises(CodecError, match="not JSON"):
        from_json(b'{"subject": "T15\xf4\x02\x00"}')


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"\xc1",
        msgspec.msgpack.encode("Speed"),
        msgspec.msgpack.encode(["Speed", [["x", 2, "text"]], []]),
        msgspec.msgpack.encode(["Speed", [["x", 2, 2**40]], []]),
        msgspec.msgpack.encode(["Speed", [["x", 9, 1]], []]),
        msgspec.msgpack.encode(["Speed", [["x", 4, ["Inner", [["y", 2, "z"]], []]]], []]),
        msgspec.msgpack.encode(["", [], []]),
        b"\x91" * 10_000,
    ],
)
def test_bytes_that_tell_no_event_are_refused(data: bytes) -> None:
    with pytest.raises(CodecError):
        binary.decode(data)
