"""Messages of CAN databases."""

from pathlib import Path
from typing import Any

import pytest
from fes.errors import FederationError, MappingError
from fes.mapping import Mapping, Native, load_rules
from fes.model import Event, Type

DBC = """VERSION ""
NS_ :
BS_:
BU_: A
BO_ 614 Engine: 8 A
 SG_ Temp : 0|8@1+ (1,-40) [-40|215] "\u00b0C" A
 SG_ Torque : 8|12@1- (0.5,0) [0|0] "Nm" A
 SG_ Gear : 24|4@1+ (1,0) [0|0] "" A
 SG_ Last : 55|16@0+ (1,0) [0|0] "" A
BO_ 2147495993 Speed: 8 A
 SG_ Mph : 16|12@1+ (0.05,-25) [0|0] "mph" A
BO_ 1885 Trip: 8 A
 SG_ Index M : 0|8@1+ (1,0) [0|0] "" A
 SG_ Range m0 : 8|16@1+ (1,0) [0|0] "" A
 SG_ Energy m1 : 8|32@1- (1,0) [0|0] "" A
 SG_ Always : 56|8@1+ (1,0) [0|0] "" A
BO_ 7 Wide: 8 A
 SG_ Count : 0|64@1+ (1,0) [0|0] "" A
BO_ 8 Real: 8 A
 SG_ Value : 0|32@1- (1,0) [0|0] "" A
VAL_ 614 Gear 0 "Park" 1 "Drive" ;
SIG_VALTYPE_ 8 Value : 1;
"""
TRIP = Native(can_id=1885)


@pytest.fixture(params=["utf-8", "cp1252"])
def folder(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    (tmp_path / "car.dbc").write_bytes(DBC.encode(request.param))
    return tmp_path


def mapping_of(folder: Path, message: str, **more: Any) -> Mapping:
    plain = {"subject": "S", "dbc": {"file": "car.dbc", "message": message}, **more}
    return Mapping(load_rules([plain], folder), automatic=False)


def read(mapping: Mapping, can_id: int, octets: bytes, *, extended: bool = False) -> Event:
    ((event, _),) = mapping.to_events(Native(octets=octets, can_id=can_id, extended=extended))
    return event


def test_every_signal_becomes_a_parameter_of_its_name(folder: Path) -> None:
    mapping = mapping_of(folder, "Engine")
    event = read(mapping, 614, b"\x3c\xfe\x0f\x01\0\0\x12\x34")
    values = {field.id: (field.type, field.value) for field in event.parameters}
    assert values == {
        "Temp": (Type.LONG, 20),
        "Torque": (Type.DOUBLE, -1.0),
        "Gear": (Type.LONG, 1),
        "Last": (Type.LONG, 0x1234),
    }
    assert mapping.counters.short_frames == 0


def test_a_frame_shorter_than_its_message_keeps_the_signals_that_are_all_there(
    folder: Path,
) -> None:
    mapping = mapping_of(folder, "Engine")
    event = read(mapping, 614, bytes.fromhex("1D00112F110087")[:2])
    assert {field.id: field.value for field in event.parameters} == {"Temp": -11}
    assert mapping.counters.short_frames == 1
    assert mapping.counters.by_kind["short_frames", "266"] == 1


def test_the_29_bit_identifier_comes_from_the_database(folder: Path) -> None:
    fields = {"rate": {"signal": "Mph", "scale": 1.609344}}
    mapping = mapping_of(folder, "Speed", parameters=fields)
    event = read(mapping, 12345, b"\0\0\xd0\x07\0\0\0\0", extended=True)
    assert event.parameter("rate") == pytest.approx(75 * 1.609344)
    (native,) = mapping.to_native(event)
    assert native == Native(octets=b"\0\0\xd0\x07\0\0\0\0", can_id=12345, extended=True)


def test_named_values_are_read_and_written_as_text(folder: Path) -> None:
    fields = {"gear": {"signal": "Gear", "type": "string"}}
    mapping = mapping_of(folder, "Engine", parameters=fields)
    for octet, text in ((0, "Park"), (1, "Drive"), (5, "5")):
        event = read(mapping, 614, bytes([0, 0, 0, octet]) + bytes(4))
        assert event == Event.of("S", gear=text)
        assert mapping.to_native(event)[0].octets == bytes([0, 0, 0, octet]) + bytes(4)
    for bad in ("Reverse", "16", "05", "-1"):
        with pytest.raises(MappingError, match="is not a named value"):
            mapping.to_native(Event.of("S", gear=bad))


def test_only_the_signals_of_the_selector_are_read_and_written(folder: Path) -> None:
    mapping = mapping_of(folder, "Trip")
    for octets, expected in (
        (b"\0\x02\x01\0\0\0\0\x09", Event.of("S", Index=0, Range=258, Always=9)),
        (b"\1\xff\xff\xff\xff\0\0\x09", Event.of("S", Index=1, Energy=-1, Always=9)),
    ):
        assert dict(_values(read(mapping, 1885, octets))) == dict(_values(expected))
        assert mapping.to_native(expected)[0].octets == octets


def test_an_unknown_selector_keeps_the_frame_raw_and_marks_it(folder: Path) -> None:
    mapping = mapping_of(folder, "Trip")
    octets = bytes.fromhex("0D00000000000000")
    event = read(mapping, 1885, octets)
    assert event == Event.of("S", {"Index": 13, "octets": octets}, {"Undecoded": True})
    assert mapping.counters.undecoded == 1
    assert mapping.counters.by_kind["undecoded", "75D"] == 1


def test_a_rule_that_asks_for_no_selected_signal_does_not_mind_the_selector(folder: Path) -> None:
    mapping = mapping_of(folder, "Trip", parameters={"a": {"signal": "Always"}})
    assert read(mapping, 1885, bytes.fromhex("0D00000000000005")) == Event.of("S", a=5)
    assert mapping.counters.undecoded == 0


def test_a_selected_signal_cannot_go_out_without_its_selector(folder: Path) -> None:
    fields = {"range": {"signal": "Range"}}
    with pytest.raises(FederationError, match="signal 'Index' selects others; map it too"):
        mapping_of(folder, "Trip", parameters=fields)
    inward = mapping_of(folder, "Trip", parameters=fields, direction="in")
    assert read(inward, 1885, b"\0\x02\x01\0\0\0\0\0") == Event.of("S", range=258)


def test_an_integer_beyond_64_bit_signed_is_left_out_and_counted(folder: Path) -> None:
    mapping = mapping_of(folder, "Wide")
    assert read(mapping, 7, b"\xff" * 7 + b"\x7f") == Event.of("S", Count=2**63 - 1)
    assert read(mapping, 7, b"\xff" * 8) == Event("S")
    assert mapping.counters.undecoded == 1


def test_floating_point_signals_are_doubles(folder: Path) -> None:
    event = read(mapping_of(folder, "Real"), 8, b"\0\0\xc0\xbf\0\0\0\0")
    assert event == Event.of("S", Value=-1.5)


@pytest.mark.parametrize(
    ("dbc", "fields", "reason"),
    [
        ({"file": "none.dbc", "message": "Engine"}, {}, "cannot be read"),
        ({"file": "car.dbc", "message": "None"}, {}, "has no message 'None'"),
        ({"file": "bad.dbc", "message": "Engine"}, {}, "cannot be read"),
        ({"file": "car.dbc", "message": "Engine"}, {"x": {"signal": "None"}}, "no signal 'None'"),
        (
            {"file": "car.dbc", "message": "Engine"},
            {"x": {"signal": "Torque", "type": "long"}},
            "whole",
        ),
        (
            {"file": "car.dbc", "message": "Engine"},
            {"x": {"signal": "Temp", "type": "octets"}},
            "octets",
        ),
    ],
)
def test_what_is_wrong_with_a_database_is_told_when_rules_are_loaded(
    folder: Path, dbc: dict[str, str], fields: dict[str, Any], reason: str
) -> None:
    (folder / "bad.dbc").write_text("BO_ nothing of the kind")
    plain = [{"subject": "S", "dbc": dbc, "parameters": fields}]
    with pytest.raises(FederationError, match=reason):
        load_rules(plain, folder)


def _values(event: Event) -> list[tuple[str, Any]]:
    return [(field.id, field.value) for field in event.parameters]
