"""Values in octets."""

import math
from pathlib import Path
from typing import Any

import pytest
from fes.errors import MappingError
from fes.mapping import Mapping, Native, load_rules
from fes.model import Event, Field, Type


def mapping_of(fields: dict[str, Any], **more: Any) -> Mapping:
    plain = {"subject": "S", "native": {"can_id": 1}, "parameters": fields, **more}
    return Mapping(load_rules([plain], Path()), automatic=False)


def read(octets: bytes, **field: Any) -> Field:
    ((event, _),) = mapping_of({"x": field}).to_events(Native(octets=octets, can_id=1))
    return event.parameters[0]


def written(value: Any, **field: Any) -> bytes:
    (native,) = mapping_of({"x": field}).to_native(Event.of("S", x=value))
    assert native.octets is not None
    return native.octets


@pytest.mark.parametrize(
    ("field", "octets", "value"),
    [
        ({"bytes": [0, 1], "type": "long"}, b"\x01\x02", 0x0201),
        ({"bytes": [0, 1], "type": "long", "endian": "big"}, b"\x01\x02", 0x0102),
        ({"bytes": [1, 1], "type": "long", "signed": True}, b"\0\xfe", -2),
        ({"bytes": [0, 0], "type": "long", "scale": 5, "offset": -40}, b"\x0a", 10),
        ({"bytes": [0, 1], "type": "double", "scale": 0.05, "offset": -25}, b"\xf4\x01", 0.0),
        ({"bytes": [0, 7], "type": "longlong", "signed": True}, b"\xff" * 7 + b"\x7f", 2**63 - 1),
        ({"bits": [8, 9]}, b"\0\xff\x01", 511),
        ({"bits": [16, 12]}, b"\0\0\x34\xf2", 0x234),
        ({"bits": [4, 4], "signed": True}, b"\xf0", -1),
        ({"bits": [47, 16], "endian": "big"}, b"\0\0\0\0\0\x12\x34", 0x1234),
        ({"bits": [3, 8], "endian": "big"}, b"\xf1\x2f", 0x12),
        ({"bits": [0, 40]}, b"\xff\xff\xff\xff\x01", 2**33 - 1),
        ({"bits": [0, 8], "scale": 0.5}, b"\x03", 1.5),
        ({"bits": [5, 1], "type": "boolean"}, b"\x20", True),
        ({"bits": [5, 1], "type": "boolean"}, b"\xdf", False),
        ({"bytes": [0, 1], "type": "boolean"}, b"\0\x80", True),
        ({"bytes": [0, 3], "type": "double", "float": True}, b"\0\0\xc0\x3f", 1.5),
        (
            {"bytes": [0, 7], "type": "double", "float": True, "endian": "big"},
            b"\x40" + b"\0" * 7,
            2.0,
        ),
        ({"bytes": [0, 3], "type": "octets"}, b"\x84\xf4\xbd\x1e\x59", b"\x84\xf4\xbd\x1e"),
        ({"bytes": [1, None], "type": "octets"}, b"\x84\xf4\0\x20", b"\xf4\0\x20"),
        ({"bytes": [0, 3], "type": "string", "encoding": "utf-8"}, b"\xc3\xa9\0\0", "é"),
        ({"bytes": [1, None], "type": "string"}, b"\x01abc", "abc"),
    ],
)
def test_a_value_is_read_from_its_place(field: dict[str, Any], octets: bytes, value: Any) -> None:
    found = read(octets, **field)
    assert (found.value, type(found.value)) == (value, type(value))


@pytest.mark.parametrize(
    ("value", "field", "octets"),
    [
        (0x234, {"bits": [12, 12]}, b"\0\x40\x23"),
        (0x1234, {"bits": [7, 16], "endian": "big"}, b"\x12\x34"),
        (-1, {"bits": [4, 4], "signed": True}, b"\xf0"),
        (7, {"bytes": [0, 0], "type": "double", "scale": 2}, b"\x04"),
        (5, {"bytes": [0, 0], "type": "long", "scale": 2}, b"\x03"),
        (7.9, {"bytes": [0, 0], "type": "double", "round": "down"}, b"\x07"),
        (True, {"bits": [5, 1], "type": "boolean"}, b"\x20"),
        ("ab", {"bytes": [1, 3], "type": "string", "pad": "space"}, b"\0ab "),
        ("ab", {"bytes": [1, None], "type": "string"}, b"\0ab"),
        (b"\x84\xf4", {"bytes": [0, None], "type": "octets"}, b"\x84\xf4"),
        (1.5, {"bytes": [0, 3], "type": "double", "float": True}, b"\0\0\xc0\x3f"),
        (math.inf, {"bytes": [0, 3], "type": "double", "float": True}, b"\0\0\x80\x7f"),
        (2**53 + 1, {"bytes": [0, 7], "type": "longlong", "signed": True}, b"\1\0\0\0\0\0\x20\0"),
    ],
)
def test_a_value_is_written_in_its_place(value: Any, field: dict[str, Any], octets: bytes) -> None:
    assert written(value, **field) == octets


@pytest.mark.parametrize(
    ("value", "field", "reason"),
    [
        ("1", {"bytes": [0, 0], "type": "long"}, "expected a number, found str"),
        (True, {"bytes": [0, 0], "type": "long"}, "expected a number, found bool"),
        (1, {"bits": [0, 1], "type": "boolean"}, "expected a boolean, found int"),
        (1, {"bytes": [0, 0], "type": "string"}, "expected a string, found int"),
        ("a", {"bytes": [0, 0], "type": "octets"}, "expected octets, found str"),
        (b"a", {"bytes": [0, 1], "type": "octets"}, "1 octets where the layout has room for 2"),
        (1.5, {"bytes": [0, 0], "type": "double", "round": "exact"}, "not a whole number"),
        (1e300, {"bytes": [0, 3], "type": "double", "float": True}, "exceeds 32 bit"),
        ("é", {"bytes": [0, 0], "type": "string", "encoding": "ascii"}, "is not ascii"),
    ],
)
def test_a_value_that_does_not_fit_its_place_is_refused(
    value: Any, field: dict[str, Any], reason: str
) -> None:
    with pytest.raises(MappingError, match=reason):
        written(value, **field)


def test_octets_that_are_no_text_are_refused_on_the_way_in() -> None:
    with pytest.raises(MappingError, match=r"parameter 'x': .* is not ascii"):
        read(b"\xe9", bytes=[0, 0], type="string", encoding="ascii")


def test_fields_share_an_octet_without_disturbing_each_other() -> None:
    mapping = mapping_of({"low": {"bits": [0, 4]}, "high": {"bits": [4, 4]}}, length=3)
    (native,) = mapping.to_native(Event.of("S", low=5, high=10))
    assert native.octets == b"\xa5\0\0"


def test_attributes_have_places_too() -> None:
    mapping = mapping_of({}, attributes={"Priority": {"bytes": [0, 0], "type": "long"}})
    ((event, _),) = mapping.to_events(Native(octets=b"\x07", can_id=1))
    assert event == Event("S", (), (Field("Priority", Type.LONG, 7),))
    assert mapping.to_native(event)[0].octets == b"\x07"


def test_a_default_stands_for_octets_or_a_field_that_is_absent() -> None:
    mapping = mapping_of({"x": {"bytes": [1, 1], "type": "double", "default": 9}})
    ((event, _),) = mapping.to_events(Native(octets=b"\x07", can_id=1))
    assert event.parameters == (Field("x", Type.DOUBLE, 9.0),)
    assert mapping.to_native(Event("S"))[0].octets == b"\0\x09"


def test_a_constant_is_set_on_the_way_in_and_takes_no_room_on_the_way_out() -> None:
    fields = {"x": {"bytes": [0, 0], "type": "long"}, "unit": {"constant": "km/h"}}
    mapping = mapping_of(fields)
    native = Native(octets=b"\x07", can_id=1)
    ((event, _),) = mapping.to_events(native)
    assert event == Event.of("S", x=7, unit="km/h")
    assert mapping.to_native(event) == (native,)
    assert mapping.counters.left_out == 0
