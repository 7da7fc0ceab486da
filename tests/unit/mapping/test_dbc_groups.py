"""Rules with messages of SAE J1939: known by their parameter group."""

from pathlib import Path

import pytest
from fes.mapping import Mapping, Native, load_rules

DBC = """VERSION ""
BS_:
BU_: N
BO_ 2566844926 Motion: 8 N
 SG_ WheelSpeed : 8|16@1+ (0.00390625,0) [0|250.996] "km/h" N
 SG_ Axle : 24|4@1+ (1,0) [0|15] "" N

BA_DEF_ BO_ "VFrameFormat" ENUM "StandardCAN","ExtendedCAN","reserved","J1939PG";
BA_DEF_DEF_ "VFrameFormat" "StandardCAN";
BA_ "VFrameFormat" BO_ 2566844926 3;
"""


def mapping(folder: Path, text: str = DBC) -> Mapping:
    (folder / "truck.dbc").write_text(text)
    rule = {
        "subject": "Speed",
        "dbc": {"file": "truck.dbc", "message": "Motion"},
        "direction": "in",
        "parameters": {
            "rate": {"signal": "WheelSpeed", "type": "double"},
            "axle": {"signal": "Axle"},
        },
    }
    return Mapping(load_rules([rule], folder), automatic=False)


def frame(can_id: int, speed: str = "0032") -> Native:
    data = bytes.fromhex(f"FF{speed}05FFFFFFFF")
    return Native(octets=data, can_id=can_id, extended=True)


@pytest.mark.parametrize("can_id", [0x18FEF100, 0x18FEF1FE, 0x0CFEF117])
def test_a_rule_is_about_the_whole_parameter_group_p12(tmp_path: Path, can_id: int) -> None:
    ((event, _),) = mapping(tmp_path).to_events(frame(can_id))
    assert {field.id: field.value for field in event.parameters} == {"rate": 50.0, "axle": 5}


def test_another_group_is_not_meant(tmp_path: Path) -> None:
    made = mapping(tmp_path)
    assert made.to_events(frame(0x18FEF200)) == ()
    assert made.counters.unmatched == 1


def test_without_j1939_the_whole_identifier_counts(tmp_path: Path) -> None:
    exact = mapping(tmp_path, DBC.replace("4926 3;", "4926 1;"))
    assert exact.to_events(frame(0x18FEF100)) == ()
    assert len(exact.to_events(frame(0x18FEF1FE))) == 1


@pytest.mark.parametrize("raw", ["FFFF", "00FE", "00FB"])
def test_what_is_no_value_is_left_out_and_counted(tmp_path: Path, raw: str) -> None:
    made = mapping(tmp_path)
    ((event, _),) = made.to_events(frame(0x18FEF100, raw))
    assert [field.id for field in event.parameters] == ["axle"]
    assert made.counters.undecoded == 1
