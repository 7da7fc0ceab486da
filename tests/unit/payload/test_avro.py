"""Avro payloads by a schema file: framing, types, what is refused and what is lost."""

import json
from pathlib import Path
from typing import Any

import pytest
from fes.errors import FederationError
from fes.payload.bodies import Bodies
from fes.payload.by_schema.loading import load_schema
from fes.payload.by_schema.schemas import MAX_SCHEMA_BYTES, Schema
from fes.payload.losses import Losses
from support.payloads.values import fields

READING = {
    "type": "record",
    "name": "Reading",
    "namespace": "plant",
    "fields": [
        {"name": "room", "type": "string"},
        {"name": "celsius", "type": "double"},
        {"name": "count", "type": ["null", "long"], "default": None},
    ],
}
ONE = fields(room="hall", celsius=21.5, count=2**40)


def loaded(folder: Path, schema: Any, losses: Losses | None = None, **given: Any) -> Bodies:
    (folder / "x.avsc").write_text(json.dumps(schema), encoding="utf-8")
    made = Schema(file="x.avsc", **given)
    return Bodies("", load_schema(made, "avro", folder, losses or Losses()))


def of(type_: Any, **more: Any) -> dict[str, Any]:
    return {"type": "record", "name": "R", "fields": [{"name": "x", "type": type_, **more}]}


def test_a_record_is_parameters_and_comes_back(tmp_path: Path) -> None:
    """The octets are those of the specification: length, text, eight octets, branch, zigzag."""
    bodies = loaded(tmp_path, READING)
    payload, hints = bodies.write("avro", ONE)
    assert payload.hex() == "0868616c6c" + "0000000000803540" + "02" + "808080808040"
    assert hints == {}
    assert bodies.read("avro", payload, {}) == ONE


def test_an_absent_parameter_of_a_nullable_field_is_null(tmp_path: Path) -> None:
    bodies = loaded(tmp_path, READING)
    some = fields(room="hall", celsius=21.5)
    assert bodies.read("avro", bodies.write("avro", some)[0], {}) == some


def test_single_object_encoding_has_the_fingerprint_of_its_schema(tmp_path: Path) -> None:
    """The fingerprint of a record of no field is computed from the table of the specification."""
    empty = {"type": "record", "name": "E", "fields": []}
    bodies = loaded(tmp_path, empty, framing="single-object")
    canonical = b'{"name":"E","type":"record","fields":[]}'
    assert bodies.write("avro", ())[0] == b"\xc3\x01" + rabin(canonical).to_bytes(8, "little")


def rabin(data: bytes) -> int:
    """CRC-64-AVRO, as the specification writes it down."""
    table = []
    for each in range(256):
        fp = each
        for _ in range(8):
            fp = (fp >> 1) ^ (0xC15D213AA4D7A795 & -(fp & 1))
        table.append(fp)
    found = 0xC15D213AA4D7A795
    for byte in data:
        found = (found >> 8) ^ table[(found ^ byte) & 0xFF]
    return found


def test_the_framing_of_a_registry_has_the_number_that_the_rule_fixes(tmp_path: Path) -> None:
    bodies = loaded(tmp_path, READING, framing="confluent", id=17)
    payload, _ = bodies.write("avro", ONE)
    assert payload.startswith(b"\0\0\0\0\x11\x08hall")
    assert bodies.read("avro", payload, {}) == ONE
    with pytest.raises(ValueError, match="confluent: expected 0000000011, found 0000000012"):
        bodies.read("avro", b"\0\0\0\0\x12" + payload[5:], {})


def test_a_logical_type_is_what_it_is_made_of(tmp_path: Path) -> None:
    schema = of({"type": "long", "logicalType": "timestamp-millis"})
    bodies = loaded(tmp_path, schema)
    assert bodies.read("avro", b"\x02", {}) == fields(x=1)
    octets = of({"type": "bytes", "logicalType": "decimal", "precision": 4, "scale": 2})
    assert loaded(tmp_path, octets).read("avro", b"\x04\x01\x02", {}) == fields(x=b"\x01\x02")


@pytest.mark.parametrize(
    ("type_", "value"),
    [
        ("boolean", True),
        ("int", -5),
        ("bytes", b"\x00\xff"),
        ({"type": "enum", "name": "E", "symbols": ["A", "B"]}, "B"),
        ({"type": "fixed", "name": "F", "size": 2}, b"ab"),
        (["null", "int", "double", "string", "bytes"], 2.5),
        (["null", "int", "double", "string", "bytes"], "text"),
        (["float", "double"], 0.1),
        (["int", "long"], 2**40),
    ],
)
def test_values_of_every_type_come_back(tmp_path: Path, type_: Any, value: object) -> None:
    bodies = loaded(tmp_path, of(type_))
    assert bodies.read("avro", bodies.write("avro", fields(x=value))[0], {}) == fields(x=value)


def test_records_arrays_and_maps_are_events_in_events(tmp_path: Path) -> None:
    inner = {"type": "record", "name": "In", "fields": [{"name": "a", "type": "int"}]}
    schema = of({"type": "array", "items": [inner, {"type": "map", "values": "string"}]})
    payload = b"\x04\x00\x02\x02\x02\x02k\x02v\x00\x00"
    bodies = loaded(tmp_path, schema)
    (field,) = found = bodies.read("avro", payload, {})
    assert [each.value.subject for each in field.value.parameters] == ["object", "object"]
    assert bodies.write("avro", found)[0] == payload


@pytest.mark.parametrize(
    ("schema", "reason"),
    [
        ({"type": "string"}, "that of a record"),
        (of("R"), "R is recursive"),
        (of(["null", {"type": "array", "items": "R"}]), "R is recursive"),
        (of("null"), "without octets"),
        (of({"type": "array", "items": "null"}), "without octets"),
        (
            of({"type": "array", "items": {"type": "fixed", "name": "F", "size": 0}}),
            "without octets",
        ),
        (of("Other"), "'Other' is not known"),
        (of(7), "a type is a text"),
        ({"type": "record", "name": "R"}, "fields is a list"),
        ({"type": "record", "fields": []}, "needs a name"),
        (of("int", default="x"), "not an Avro schema"),
    ],
)
def test_a_schema_that_has_no_bound_or_is_none_is_refused(
    tmp_path: Path, schema: Any, reason: str
) -> None:
    with pytest.raises(FederationError, match=reason):
        loaded(tmp_path, schema)


def test_a_schema_that_repeats_itself_is_counted_as_often_as_it_is_written_out(
    tmp_path: Path,
) -> None:
    """Each of thirteen records has the one before it twice: 2^13 fields in a few lines."""
    type_: Any = {"type": "record", "name": "A0", "fields": [{"name": "z", "type": "boolean"}]}
    for number in range(1, 14):
        pair = [{"name": "l", "type": type_}, {"name": "r", "type": f"A{number - 1}"}]
        type_ = {"type": "record", "name": f"A{number}", "fields": pair}
    with pytest.raises(FederationError, match="more than 4096 fields"):
        loaded(tmp_path, type_)


def test_a_schema_that_is_nested_too_deep_is_refused(tmp_path: Path) -> None:
    type_: Any = "int"
    for _ in range(40):
        type_ = {"type": "array", "items": type_}
    with pytest.raises(FederationError, match="nested deeper than 32"):
        loaded(tmp_path, of(type_))


def test_a_schema_file_that_is_missing_or_too_large_is_named(tmp_path: Path) -> None:
    with pytest.raises(FederationError, match=r"schema no\.avsc: cannot be read: No such file"):
        load_schema(Schema(file="no.avsc"), "avro", tmp_path, Losses())
    (tmp_path / "big.avsc").write_bytes(b" " * (MAX_SCHEMA_BYTES + 1))
    with pytest.raises(FederationError, match=r"schema big\.avsc: exceeds the limit"):
        load_schema(Schema(file="big.avsc"), "avro", tmp_path, Losses())


@pytest.mark.parametrize(
    ("payload", "reason"),
    [
        (b"", "not of this Avro schema"),
        (b"\x08hal", "not of this Avro schema"),
        (b"\xfe\xff\xff\xff\xff\xff\xff\xff\xff\x01", "not of this Avro schema"),
        (b"Obj\x01\x02", "a container"),
        (b"\x00" + b"\x00" * 8 + b"\x00\x00", "1 bytes are left"),
    ],
)
def test_a_payload_of_another_schema_is_refused(
    tmp_path: Path, payload: bytes, reason: str
) -> None:
    with pytest.raises(ValueError, match=reason):
        loaded(tmp_path, READING).read("avro", payload, {})


def test_an_array_that_promises_more_than_it_has_is_refused(tmp_path: Path) -> None:
    bodies = loaded(tmp_path, of({"type": "array", "items": "boolean"}))
    with pytest.raises(ValueError, match="not of this Avro schema"):
        bodies.read("avro", b"\xfe\xff\xff\xff\xff\xff\xff\xff\xff\x01", {})
    for size, reason in ((8192, "more than 4096 values"), (24_576, "too many values")):
        many = b"\x80\x80" + bytes((size // 8192,)) + b"\x01" * size + b"\x00"
        with pytest.raises(ValueError, match=reason):
            bodies.read("avro", many, {})


@pytest.mark.parametrize(
    ("given", "reason"),
    [
        (fields(room="x"), "celsius: the schema needs this field"),
        (fields(room=1, celsius=1.5), "room: the schema has type 'string', found 1"),
        (fields(room="x", celsius=1.5, count="y"), "count: no branch of the union"),
    ],
)
def test_an_event_that_does_not_fit_is_refused_with_its_field(
    tmp_path: Path, given: Any, reason: str
) -> None:
    with pytest.raises(ValueError, match=reason):
        loaded(tmp_path, READING).write("avro", given)


def test_what_a_schema_cannot_carry_is_counted(tmp_path: Path) -> None:
    losses = Losses()
    bodies = loaded(tmp_path, of("float"), losses)
    bodies.write("avro", fields(x=0.1, more=1))
    bodies.write("avro", fields(x=5))
    assert losses == Losses(fields_lost=1, types_changed=1, precision_lost=1)
