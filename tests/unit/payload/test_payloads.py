"""Payloads of plain systems as parameters and attributes, and back."""

import json
from typing import Any

import msgpack
import pytest
from eventservices.stamp import Stamp
from fes.errors import CodecError
from fes.model import Event, Field, Type
from fes.payload.bodies import form_of
from fes.payload.headers import read_attributes, read_block, read_hints, write_headers
from fes.payload.packing import Packing, Payload
from fes.payload.plain import MAX_VALUES

STAMP = Stamp("far/away", 3, 7, 1_700_000_000_000_000, "elsewhere")
NOTHING: dict[str, str] = {}


def fields(**values: Any) -> tuple[Field, ...]:
    return Event.of("x", values).parameters


def read(payload: bytes, form: Payload = "json", value: str = "") -> tuple[Field, ...]:
    return Packing(form, value).unpack(NOTHING, payload, "s", None).parameters


def crossed(
    form: Payload,
    parameters: tuple[Field, ...],
    attributes: tuple[Field, ...] = (),
    value: str = "",
) -> tuple[tuple[Field, ...], tuple[Field, ...]]:
    packing = Packing(form, value)
    packed = packing.pack("s", parameters, attributes, STAMP)
    found = packing.unpack(packed.headers, packed.payload, "s", STAMP)
    return found.parameters, found.attributes


def test_json_keeps_integers_and_doubles_apart() -> None:
    """D22."""
    found = read(
        b'{"userId": 1688888483063664642, "whole": 1.0, "one": 1, "large": 1e3, "z": -0.0}'
    )
    assert [(field.type, repr(field.value)) for field in found] == [
        (Type.LONGLONG, "1688888483063664642"),
        (Type.DOUBLE, "1.0"),
        (Type.LONG, "1"),
        (Type.DOUBLE, "1000.0"),
        (Type.DOUBLE, "-0.0"),
    ]


@pytest.mark.parametrize("edge", [2**63 - 1, -(2**63)])
def test_integers_are_exact_to_64_bits(edge: int) -> None:
    assert read(json.dumps({"x": edge}).encode()) == fields(x=edge)
    assert read(msgpack.packb({"x": edge}), "msgpack") == fields(x=edge)


@pytest.mark.parametrize(
    ("payload", "reason"),
    [
        (b'{"x": 9223372036854775808}', "x: integer 9223372036854775808 does not fit 64 bit"),
        (b'{"x": 1' + b"0" * 5000 + b"}", "not JSON"),
        (b'{"x": NaN}', "bare NaN"),
        (b'{"x": -Infinity}', "bare -Infinity"),
        (b'{"x": 1e400}', "out of range"),
        (b'{"x": 1, "x": 2}', "'x' occurs twice"),
        (b'{"a": {"x": 1, "x": 2}}', "'x' occurs twice"),
        (b"[" * 100_000, "not JSON"),
        (b'{"a":' * 33 + b"1" + b"}" * 33, "nested deeper than 32"),
        (b'{"a":' + b"[" * 32 + b"]" * 32 + b"}", "nested deeper than 32"),
        (b'{"Time":"2022-12-27T15\xf4\x02\x00', "not JSON"),
        (b'{"x": "\\ud800"}', "lone surrogate"),
        (b'{"\\ud800": 1}', "lone surrogate"),
        (b"21.5", "expected an object, found a number"),
        (b"", "not JSON"),
        (b"\xef\xbb\xbf{}", "not JSON"),
    ],
)
def test_json_that_could_be_taken_for_two_things_is_refused(payload: bytes, reason: str) -> None:
    with pytest.raises(CodecError, match=reason):
        read(payload)


@pytest.mark.parametrize(
    ("payload", "reason"),
    [
        (b"\xc1", "not MessagePack"),
        (b"\x81", "not MessagePack"),
        (b"\x80\x00", "not MessagePack"),
        (b"\x82\xa1x\x01\xa1x\x02", "'x' occurs twice"),
        (b"\x81\x01\x01", "not MessagePack"),
        (msgpack.packb({"x": 2**63}), "does not fit 64 bit"),
        (msgpack.packb({"x": msgpack.ExtType(5, b"")}), "no type"),
        (b"\x91" * 2000 + b"\x01", "not MessagePack|expected an object"),
        (b"\x81\xa1x" * 40 + b"\x01", "nested deeper"),
        (b"\xdf\xff\xff\xff\xff", "not MessagePack"),
    ],
)
def test_messagepack_that_is_none_is_refused(payload: bytes, reason: str) -> None:
    with pytest.raises(CodecError, match=reason):
        read(payload, "msgpack")


@pytest.mark.parametrize("form", ["json", "msgpack"])
@pytest.mark.parametrize(
    "value",
    [[0] * 4096, [{}] * 5000, [1.5] * 5000, [None] * 5000, [[[0] * 1000]] * 5, {"a": {}}],
)
def test_what_would_hold_up_everything_else_is_refused(form: Payload, value: Any) -> None:
    """There is one limit for all values of a payload, at any depth."""
    if isinstance(value, dict):
        value = {str(number): value for number in range(2048)}
    whole = {"a": value}
    payload = json.dumps(whole).encode() if form == "json" else msgpack.packb(whole)
    with pytest.raises(CodecError, match=r"more than|exceeds"):
        read(payload, form)
    assert read(b'{"a":' + b"[0]" + b"}")[0].value.subject == "array"


def test_as_many_values_as_are_allowed_are_read() -> None:
    values = list(range(MAX_VALUES - 1))
    assert len(read(json.dumps({"a": values}).encode())[0].value.parameters) == len(values)


def test_objects_and_arrays_are_events_in_events_and_come_back() -> None:
    payload = b'{"at":{"lat":50.0,"tags":["a",1,null,{}]},"none":[]}'
    (at, none) = found = read(payload)
    assert at.value.subject == "object"
    assert at.value.parameter("tags").subject == "array"
    assert none.value == Event("array")
    packed = Packing("json").pack("s", found, (), STAMP)
    assert packed.payload == payload
    assert "Event-Types" not in packed.headers


def test_a_null_is_absent_and_counted() -> None:
    packing = Packing("json")
    found = packing.unpack(NOTHING, b'{"x": null, "y": {"z": null}}', "s", None).parameters
    assert [field.id for field in found] == ["y"]
    assert packing.nulls == 2


def test_a_payload_of_one_value_is_the_parameter_that_the_setting_names() -> None:
    assert read(b"21.5", value="celsius") == fields(celsius=21.5)
    assert Packing("json", "celsius").pack("s", fields(celsius=1.0), (), STAMP).payload == b"1.0"
    assert read(b"caf\xc3\xa9", "text") == fields(value="café")
    for wrong in (fields(x=1.0), fields(celsius=1.0, more=2)):
        with pytest.raises(CodecError, match="is the parameter 'celsius'"):
            Packing("json", "celsius").pack("s", wrong, (), STAMP)


def test_octets_come_out_as_they_went_in() -> None:
    """D20."""
    octets = bytes.fromhex("84f4bd1e595b1121")
    assert read(octets, "raw") == fields(value=octets)
    assert crossed("raw", fields(value=octets)) == (fields(value=octets), ())


def test_text_that_is_not_unicode_is_refused() -> None:
    """D21."""
    with pytest.raises(CodecError, match="not UTF-8"):
        read(b"\xff", "text")


@pytest.mark.parametrize("value", ["x", "21.5", 5, 2**40, 1.0, True])
def test_values_cross_as_text(value: object) -> None:
    packed = Packing("text").pack("s", fields(value=value), (), STAMP)
    assert packed.payload.decode() == (value if isinstance(value, str) else json.dumps(value))
    assert crossed("text", fields(value=value)) == (fields(value=value), ())


def test_what_has_no_text_and_no_octets_is_refused() -> None:
    for form, value in (("text", b"x"), ("text", float("nan")), ("raw", "x")):
        with pytest.raises(CodecError, match="value: "):
            Packing(form).pack("s", fields(value=value), (), STAMP)  # type: ignore[arg-type] # one of the forms


@pytest.mark.parametrize(
    ("content_type", "form"),
    [
        ("application/json; charset=utf-8", "json"),
        ("Application/JSON", "json"),
        ("application/senml+json", "json"),
        ("application/x-msgpack", "msgpack"),
        ("text/plain", "text"),
        ("application/octet-stream", "raw"),
        ("image/png", None),
        ("", None),
    ],
)
def test_the_content_type_tells_the_form(content_type: str, form: str | None) -> None:
    assert form_of(content_type) == form


def test_the_content_type_of_a_message_comes_before_the_setting() -> None:
    packed = Packing("msgpack").pack("s", fields(x=1), (), STAMP)
    assert Packing("text").unpack(packed.headers, packed.payload, "s", None).parameters == fields(
        x=1
    )


@pytest.mark.parametrize("hints", ["[]", '{"x": 1}', "{", '{"x": "octets"}', '{"x": "year"}'])
def test_hints_that_are_none_are_refused(hints: str) -> None:
    with pytest.raises(CodecError):
        Packing("json").unpack({"Event-Types": hints}, b'{"x": "*"}', "s", None)


def test_attributes_are_headers_and_what_has_no_header_is_in_one_for_all() -> None:
    attributes = Event.of(
        "x", {}, {"Priority": 7, "note": "kept", "Größe": "ü", "Timeout": 2.5}
    ).attributes
    headers = write_headers(attributes, {})
    assert headers == {
        "Priority": "7",
        "note": "kept",
        "Event-Attributes": '{"Gr\\u00f6\\u00dfe":"\\u00fc","Timeout":2.5}',
    }
    assert read_attributes(headers) == attributes


@pytest.mark.parametrize(
    "name", ["Nats-Rollup", "Event-Stamp", "content-type", "EVENT-TYPES", "a:b", "a b", "", "é"]
)
def test_no_attribute_becomes_a_header_that_means_something_else(name: str) -> None:
    attributes = (Field(name, Type.STRING, "sub"),)
    headers = write_headers(attributes, {})
    assert list(headers) == ["Event-Attributes"]
    assert read_attributes(headers) == attributes


@pytest.mark.parametrize("value", ["a\r\nEvil: 1", " a", "a ", "\t", "é", "a\0"])
def test_no_value_ends_its_header(value: str) -> None:
    attributes = (Field("note", Type.STRING, value),)
    headers = write_headers(attributes, {})
    assert list(headers) == ["Event-Attributes"]
    assert read_attributes(headers) == attributes


def test_a_block_is_read_and_repetitions_are_counted() -> None:
    block = b"NATS/1.0\r\nA: 1\r\nB:2\r\nA: 3\r\nno colon\r\nC: a:b\r\n\r\n"
    assert read_block(block) == ({"A": "1", "B": "2", "C": "a:b"}, 1)
    assert read_block(b"NATS/1.0 503\r\n\r\n") == ({}, 0)
    assert read_hints({}) == {}


EVENT = {"specversion": "1.0", "id": "1", "source": "/a", "type": "t", "ext": 5}


def test_a_structured_cloudevent_is_context_and_data() -> None:
    """The data may be an object, a text, octets in base64, or absent."""
    for body, parameters in (
        ({"data": {"c": 1.5}}, fields(c=1.5)),
        ({"data": "a"}, fields(value="a")),
        ({"data_base64": "hPS9"}, fields(value=bytes.fromhex("84f4bd"))),
        ({"data_base64": "eyJjIjoxfQ==", "datacontenttype": "application/json"}, fields(c=1)),
        ({}, ()),
        ({"data": None}, ()),
    ):
        payload = json.dumps({**EVENT, **body}).encode()
        found = Packing("cloudevents").unpack(NOTHING, payload, "s", None)
        assert found.parameters == parameters
        assert [(field.id, field.value) for field in found.attributes][:5] == [
            ("ce-specversion", "1.0"),
            ("ce-id", "1"),
            ("ce-source", "/a"),
            ("ce-type", "t"),
            ("ce-ext", 5),
        ]


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"id": ""}, "needs the attribute 'id'"),
        ({"source": None}, "needs the attribute 'source'"),
        ({"specversion": "0.3"}, "not known"),
        ({"ext": {}}, "'ext' of a CloudEvent"),
        ({"ext": 2**70}, "64 bit"),
        ({"data": 1, "data_base64": "AA=="}, "data once"),
        ({"data_base64": "*"}, "data_base64"),
        ({"data_base64": 5}, "data_base64"),
        ({"data": [1]}, "expected an object"),
    ],
)
def test_what_is_no_cloudevent_is_refused(change: dict[str, Any], reason: str) -> None:
    with pytest.raises(CodecError, match=reason):
        read(json.dumps({**EVENT, **change}).encode(), "cloudevents")


@pytest.mark.parametrize("form", ["cloudevents", "cloudevents-binary"])
def test_an_event_of_the_federation_is_a_whole_cloudevent_and_comes_back(form: Payload) -> None:
    parameters, attributes = fields(c=1.5), Event.of("x", {}, {"Priority": 7}).attributes
    packed = Packing(form).pack("Reading", parameters, attributes, STAMP)
    found = {
        **json.loads(packed.payload),
        **{name.removeprefix("ce-"): text for name, text in packed.headers.items()},
    }
    assert found["id"] == "far/away/3/7"
    assert found["source"] == "/elsewhere"
    assert found["type"] == "Reading"
    assert found["time"] == "2023-11-14T22:13:20Z"
    assert crossed(form, parameters, attributes) == (parameters, attributes)


def test_a_cloudevent_in_binary_mode_is_headers_and_data() -> None:
    headers = {f"ce-{name}": str(value) for name, value in EVENT.items()}
    found = Packing("json").unpack(headers, b'{"c": 1.5}', "s", None)
    assert found.parameters == fields(c=1.5)
    assert {field.id for field in found.attributes} == set(headers)
