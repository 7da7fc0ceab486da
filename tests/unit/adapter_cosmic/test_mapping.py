from pathlib import Path
from typing import Any

import msgspec
import pytest
from adapter_cosmic.mapping import Wanted, plan
from adapter_cosmic.settings import CosmicSettings
from fes.errors import AdapterError
from fes.filter import Filter
from fes.mapping import Mapping, Rule
from fes.mapping.named import MAX_SUBJECTS

CAN_SPEED = {
    "native": {"can_id": 12345, "extended": True},
    "subject": "Speed",
    "parameters": {
        "license_no": {"bytes": [0, 6], "type": "string"},
        "rate": {"bytes": [7, 7], "type": "double"},
    },
}
FRAME = Wanted("", 12345, extended=True)


def wanted(text: str, *rules: dict[str, Any], **settings: Any) -> tuple[Wanted, ...]:
    mapping = Mapping(tuple(msgspec.convert(rule, Rule) for rule in rules))
    given = msgspec.convert({"node": 1, **settings}, CosmicSettings)
    return plan(Filter.of(text), mapping, given).wanted


def test_a_subject_is_a_channel() -> None:
    assert wanted("subject = 'Speed'") == (Wanted("Speed"),)
    assert wanted("Speed") == (Wanted("Speed"),)
    assert set(wanted("subject IN ('Speed', 'Place')")) == {Wanted("Speed"), Wanted("Place")}


def test_a_rule_makes_it_frames_beside_the_channel() -> None:
    assert set(wanted("subject = 'Speed' AND rate > 30", CAN_SPEED)) == {FRAME, Wanted("Speed")}


def test_a_rule_of_a_parameter_group_asks_for_all_its_identifiers(tmp_path: Path) -> None:
    (tmp_path / "truck.dbc").write_text(
        'VERSION ""\nBS_:\nBU_: N\nBO_ 2566844926 Motion: 8 N\n'
        ' SG_ WheelSpeed : 8|16@1+ (1,0) [0|0] "km/h" N\n\n'
        'BA_DEF_ BO_ "VFrameFormat" ENUM "StandardCAN","ExtendedCAN","reserved","J1939PG";\n'
        'BA_DEF_DEF_ "VFrameFormat" "J1939PG";\n'
    )
    rule = {
        "subject": "Speed",
        "dbc": {"file": str(tmp_path / "truck.dbc"), "message": "Motion"},
        "direction": "in",
    }
    group = Wanted("", 0x18FEF1FE, extended=True, group=True)
    assert set(wanted("Speed", rule)) == {group, Wanted("Speed")}


def test_a_rule_on_another_channel_makes_that_the_source() -> None:
    renamed = {"native": {"subject": "CarSpeed"}, "subject": "Speed"}
    assert set(wanted("Speed", renamed)) == {Wanted("CarSpeed"), Wanted("Speed")}


def test_a_channel_that_a_rule_makes_another_subject_of_is_not_its_own() -> None:
    taken = {"native": {"subject": "Speed"}, "subject": "CarSpeed"}
    assert set(wanted("CarSpeed", taken)) == {Wanted("Speed"), Wanted("CarSpeed")}
    with pytest.raises(AdapterError, match="nothing on this bus"):
        wanted("Speed", taken)


def test_a_rule_outwards_is_no_source() -> None:
    assert wanted("Speed", {**CAN_SPEED, "direction": "out"}) == (Wanted("Speed"),)


def test_what_content_says_is_told_as_widened() -> None:
    mapping, settings = Mapping(()), msgspec.convert({"node": 1}, CosmicSettings)
    assert plan(Filter.of("Speed"), mapping, settings).widened == ()
    assert plan(Filter.of("subject = 'Speed' AND rate > 30"), mapping, settings).widened


def test_a_filter_that_accepts_nothing_needs_nothing() -> None:
    assert wanted("subject = 'Speed' AND subject = 'Place'") == ()


@pytest.mark.parametrize(
    "text",
    [
        "rate > 30",
        "subject LIKE 'S%'",
        "subject <> 'Speed'",
        "subject = 'Speed' OR rate > 30",
        " OR ".join(f"subject = 's{number}'" for number in range(MAX_SUBJECTS + 1)),
        "subject = 'FES_ControlEvent'",
    ],
)
def test_a_filter_that_does_not_name_its_subjects_is_refused(text: str) -> None:
    with pytest.raises(AdapterError):
        wanted(text)


def test_a_channel_for_this_network_only_goes_no_further() -> None:
    with pytest.raises(AdapterError, match="this network only"):
        wanted("Speed", channels={"Speed": {"local": True}})
