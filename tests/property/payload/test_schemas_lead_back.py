"""Whatever fits a schema leads back, and no payload ends a reader."""

import json
import math
import struct
from contextlib import suppress
from functools import cache
from pathlib import Path
from tempfile import mkdtemp
from typing import Any

import pytest
from fes.errors import CodecError
from fes.payload.bodies import Bodies, Form
from fes.payload.by_schema.loading import load_schema
from fes.payload.by_schema.schemas import Schema
from fes.payload.losses import Losses
from fes.payload.plain import Plain
from hypothesis import given
from hypothesis import strategies as st

AVRO = {
    "type": "record",
    "name": "R",
    "fields": [
        {"name": "text", "type": "string"},
        {"name": "small", "type": "int"},
        {"name": "large", "type": ["null", "long"]},
        {"name": "real", "type": "double"},
        {"name": "rough", "type": ["null", "float"]},
        {"name": "on", "type": "boolean"},
        {"name": "raw", "type": "bytes"},
        {"name": "any", "type": ["null", "boolean", "long", "double", "string", "bytes"]},
        {"name": "list", "type": {"type": "array", "items": ["long", "string"]}},
        {"name": "map", "type": {"type": "map", "values": "double"}},
        {
            "name": "inner",
            "type": {"type": "record", "name": "I", "fields": [{"name": "a", "type": "string"}]},
        },
    ],
}
PROTO = """
syntax = "proto3";
message R {
  string text = 1; sint32 small = 2; optional int64 large = 3; double real = 4;
  optional float rough = 5; bool on = 6; bytes raw = 7; repeated string list = 8;
  map<string, double> map = 9; message I { string a = 1; } I inner = 10;
}
"""
FORMS = pytest.mark.parametrize("form", ["avro", "protobuf"])

TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=8)
LARGE = st.integers(-(2**63), 2**63 - 1)
FLOATS = st.floats(allow_nan=False)
SINGLE = FLOATS.filter(lambda value: math.isinf(value) or abs(value) < 3e38).map(
    lambda value: struct.unpack("<f", struct.pack("<f", value))[0]
)
COMMON: dict[str, st.SearchStrategy[Any]] = {
    "text": TEXTS,
    "small": st.integers(-(2**31), 2**31 - 1),
    "real": FLOATS,
    "on": st.booleans(),
    "raw": st.binary(max_size=8),
    "inner": st.fixed_dictionaries({"a": TEXTS}),
}
OPTIONAL: dict[str, st.SearchStrategy[Any]] = {"large": LARGE, "rough": SINGLE}
VALUES = {
    "avro": st.fixed_dictionaries(
        {
            **COMMON,
            "list": st.lists(LARGE | TEXTS, max_size=4),
            "map": st.dictionaries(TEXTS, FLOATS, max_size=4),
        },
        optional={**OPTIONAL, "any": st.booleans() | LARGE | FLOATS | TEXTS | st.binary()},
    ),
    # Empty lists and maps are absent in Protobuf, and maps have no order.
    "protobuf": st.fixed_dictionaries(
        COMMON,
        optional={
            **OPTIONAL,
            "list": st.lists(TEXTS, min_size=1, max_size=4),
            "map": st.dictionaries(TEXTS, FLOATS, min_size=1, max_size=4).map(
                lambda found: dict(sorted(found.items()))
            ),
        },
    ),
}


@cache
def bodies(form: Form) -> Bodies:
    folder = Path(mkdtemp())
    name = "x.avsc" if form == "avro" else "x.proto"
    (folder / name).write_text(json.dumps(AVRO) if form == "avro" else PROTO, encoding="utf-8")
    schema = Schema(file=name, message="" if form == "avro" else "R")
    return Bodies("", load_schema(schema, form, folder, Losses()))


@FORMS
@given(data=st.data())
def test_what_fits_a_schema_leads_back(form: Form, data: st.DataObject) -> None:
    """Equal but for the order of fields, which is the schema's."""
    fields = Plain(binary=True).read(data.draw(VALUES[form]))
    payload, hints = bodies(form).write(form, fields)
    found = bodies(form).read(form, payload, hints)
    assert {field.id: field for field in found} == {field.id: field for field in fields}
    assert bodies(form).write(form, found)[0] == payload


@FORMS
@given(data=st.data())
def test_any_change_of_a_payload_is_read_or_refused(form: Form, data: st.DataObject) -> None:
    payload, _ = bodies(form).write(form, Plain(binary=True).read(data.draw(VALUES[form])))
    spoilt = bytearray(payload)
    for _ in range(data.draw(st.integers(1, 4))):
        at = data.draw(st.integers(0, len(spoilt)))
        spoilt[at : at + data.draw(st.integers(0, 3))] = data.draw(st.binary(max_size=3))
    read_or_refused(form, bytes(spoilt))


@FORMS
@given(payload=st.binary(max_size=64))
def test_any_octets_are_read_or_refused(form: Form, payload: bytes) -> None:
    read_or_refused(form, payload)


@FORMS
@given(value=st.dictionaries(st.sampled_from([*COMMON, *OPTIONAL, "list", "map"]), TEXTS | LARGE))
def test_any_event_is_written_or_refused(form: Form, value: dict[str, Any]) -> None:
    fields = Plain(binary=True).read(value)
    with suppress(CodecError):  # and nothing else
        bodies(form).write(form, fields)


def read_or_refused(form: Form, payload: bytes) -> None:
    with suppress(CodecError):  # and nothing else
        bodies(form).read(form, payload, {})
