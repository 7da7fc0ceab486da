"""Whatever is a metric leads back through a Sparkplug message, and no octets end a reader."""

import json
import struct
from contextlib import suppress
from typing import Any

from eventservices.stamp import Stamp
from fes.errors import CodecError
from fes.model import Event, Field, Type
from fes.payload.losses import Losses
from fes.payload.sparkplug.codec import SparkplugCodec
from fes.payload.sparkplug.topics import DEVICE_KINDS, NODE_KINDS
from fes.payload.sparkplug.values import usual
from hypothesis import given
from hypothesis import strategies as st
from support.payloads.sparkplug import metric, payload

STAMP = Stamp("far", 1, 7, 1_700_000_000_000_000, "away")
TEXTS = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=8)
NAMES = TEXTS.filter(bool)
FLOATS = st.floats(allow_nan=False)
SINGLE = st.floats(allow_nan=False, width=32)


def whole(bits: int, *, signed: bool = True) -> st.SearchStrategy[int]:
    low = -(1 << bits - 1) if signed else 0
    return st.integers(low, min((1 << bits - signed) - 1, 2**63 - 1))


SCALARS: dict[str, tuple[Type, st.SearchStrategy[Any]]] = {
    "Int8": (Type.LONG, whole(8)),
    "Int16": (Type.LONG, whole(16)),
    "Int32": (Type.LONG, whole(32)),
    "Int64": (Type.LONGLONG, whole(64)),
    "UInt8": (Type.LONG, whole(8, signed=False)),
    "UInt16": (Type.LONG, whole(16, signed=False)),
    "UInt32": (Type.LONGLONG, whole(32, signed=False)),
    "UInt64": (Type.LONGLONG, whole(64, signed=False)),
    "DateTime": (Type.LONGLONG, whole(64, signed=False)),
    "Float": (Type.DOUBLE, SINGLE),
    "Double": (Type.DOUBLE, FLOATS),
    "Boolean": (Type.BOOLEAN, st.booleans()),
    "String": (Type.STRING, TEXTS),
}
OTHERS: dict[str, tuple[Type, st.SearchStrategy[Any]]] = {
    "Text": (Type.STRING, TEXTS),
    "UUID": (Type.STRING, TEXTS),
    "Bytes": (Type.OCTETS, st.binary(max_size=8)),
    "File": (Type.OCTETS, st.binary(max_size=8)),
}


def array(type_: Type, values: list[Any]) -> Event:
    return Event("array", tuple(Field(str(at), type_, each) for at, each in enumerate(values)))


@st.composite
def metrics(draw: st.DrawFn) -> tuple[tuple[Field, ...], dict[str, str]]:
    fields, kinds = [], {}
    for name in draw(st.lists(NAMES, unique=True, max_size=5)):
        kind = draw(st.sampled_from([*SCALARS, *OTHERS]))
        type_, values = {**SCALARS, **OTHERS}[kind]
        if kind in SCALARS and draw(st.booleans()):
            value = array(type_, draw(st.lists(values, max_size=9)))
            field, kind = Field(name, Type.EVENT, value), f"{kind}Array"
        else:
            field = Field(name, type_, draw(values))
        fields.append(field)
        if usual(field) != kind:
            kinds[name] = kind
    return tuple(fields), kinds


def codec() -> SparkplugCodec:
    return SparkplugCodec(Losses(), lambda: 0.0)


@given(given_metrics=metrics(), topic=st.sampled_from(("NBIRTH/n", "DBIRTH/n/d", "NCMD/n")))
def test_metrics_of_every_type_lead_back(
    given_metrics: tuple[tuple[Field, ...], dict[str, str]], topic: str
) -> None:
    fields, kinds = given_metrics
    told = (Field("MetricTypes", Type.STRING, json.dumps(kinds)),) if kinds else ()
    made = codec()
    data = made.write(f"spBv1.0/g/{topic}", fields, told, STAMP)
    found = made.read(f"spBv1.0/g/{topic}", data or b"")
    assert found is not None
    assert found.parameters == fields
    assert json.loads(next((f.value for f in found.attributes if f.id == "MetricTypes"), "{}")) == (
        kinds
    )
    again = made.write(f"spBv1.0/g/{topic}", found.parameters, found.attributes, STAMP)
    assert again == data


TOPICS = st.sampled_from(
    [
        *(f"spBv1.0/g/{kind}/n" for kind in NODE_KINDS),
        *(f"spBv1.0/g/{kind}/n/d" for kind in DEVICE_KINDS),
    ]
)
WELL_FORMED = st.builds(
    payload,
    st.builds(
        metric,
        st.sampled_from(("", "a", "bdSeq")),
        st.none() | st.integers(0, 300),
        alias=st.none() | st.integers(0, 3),
        kind=st.sampled_from((1, 3, 4, 7, 8, 13)),
        told=st.booleans(),
    ),
    seq=st.none() | st.integers(0, 300),
)


@st.composite
def spoilt(draw: st.DrawFn) -> bytes:
    data = bytearray(draw(WELL_FORMED))
    for _ in range(draw(st.integers(0, 3))):
        at = draw(st.integers(0, len(data)))
        data[at : at + draw(st.integers(0, 3))] = draw(st.binary(max_size=3))
    return bytes(data)


@given(messages=st.lists(st.tuples(TOPICS, spoilt() | st.binary(max_size=40)), max_size=12))
def test_any_messages_in_any_order_are_read_or_refused(messages: list[tuple[str, bytes]]) -> None:
    """What was refused leaves nothing behind that a later birth does not mend."""
    made = codec()
    for topic, data in messages:
        with suppress(CodecError):  # and nothing else
            made.read(topic, data)
    birth = payload(metric("a", 1, alias=1, kind=3), seq=0)
    made.read("spBv1.0/g/NBIRTH/n", birth)
    found = made.read("spBv1.0/g/NDATA/n", payload(metric(alias=1, value=5, kind=3), seq=1))
    assert found is not None
    assert found.parameters == (Field("a", Type.LONG, 5),)


@given(value=FLOATS)
def test_a_float_is_what_its_four_octets_say(value: float) -> None:
    made, told = codec(), (Field("MetricTypes", Type.STRING, '{"x":"Float"}'),)
    field = Field("x", Type.DOUBLE, value)
    data = made.write("spBv1.0/g/NCMD/n", (field,), told, STAMP) or b""
    (found,) = (made.read("spBv1.0/g/NCMD/n", data) or ((),))[0]
    try:
        expected = struct.unpack("<f", struct.pack("<f", value))[0]
    except OverflowError:
        expected = float("inf") if value > 0 else float("-inf")
    assert found.value == expected
