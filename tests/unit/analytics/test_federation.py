"""What the judge reads of federation.yaml, and how it refuses what it cannot read."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml
from analytics.errors import CannotJudgeError
from analytics.inputs.federation import load_federation
from support.judge.runs import Plan, federation


def _write(path: Path, value: object) -> Path:
    file = path / "federation.yaml"
    file.write_text(yaml.safe_dump(value, sort_keys=False), encoding="utf-8")
    return file


def test_vehicles_monitors_and_adapters_are_read(tmp_path: Path) -> None:
    read = load_federation(_write(tmp_path, federation(Plan(vehicles=2))))

    assert [(one.key, one.range_m, one.filters) for one in read.vehicles] == [
        ("FES0001", 300.0, ("subject = 'Speed'",)),
        ("FES0002", 300.0, ("subject = 'Speed'",)),
    ]
    assert [(one.name, one.gateway, one.city) for one in read.monitors] == [
        ("M01", "g-m-M01", "siena-m"),
        ("M02", "g-m-M02", "siena-m"),
        ("M03", "g-m-M03", "siena-m"),
    ]
    assert {one.role for one in read.adapters} == {"bus", "sender", "receiver", "city"}
    assert read.brokers["siena-m"] == {"siena-1", "siena-2", "siena"}
    assert read.sample == 1.0


def test_a_proximity_without_a_circle_leaves_the_ranges_alone(tmp_path: Path) -> None:
    value = federation(Plan(vehicles=1))
    del value["mappings"]

    assert load_federation(_write(tmp_path, value)).vehicles[0].area is None


def test_a_static_request_counts_only_for_its_own_vehicle(tmp_path: Path) -> None:
    value = federation(Plan(vehicles=2))
    value["requests"] = [{**value["requests"][0], "dist_list": "cns-v-FES000?"}]

    read = load_federation(_write(tmp_path, value))

    assert [len(one.filters) for one in read.vehicles] == [1, 0]


def _no_version(value: dict[str, Any]) -> None:
    value["version"] = 2


def _no_range(value: dict[str, Any]) -> None:
    del value["event_services"]["steam-m-M02"]["settings"]["range_m"]


def _a_rectangle(value: dict[str, Any]) -> None:
    rule = value["mappings"]["air-speed"][0]
    rule["attributes"]["Proximity"]["constant"] = "1,1,0,0,300,300"


def _a_hard_filter(value: dict[str, Any]) -> None:
    value["requests"][0]["filter"] = "subject LIKE 'S%'"


def _a_wrong_request(value: dict[str, Any]) -> None:
    value["requests"] = ["subscribe"]


def _a_wrong_sample(value: dict[str, Any]) -> None:
    value["event_log"]["sample"] = "all"


def _an_unknown_service(value: dict[str, Any]) -> None:
    del value["event_services"]["siena-m"]


@pytest.mark.parametrize(
    ("spoil", "word"),
    [
        (_no_version, "version: 2"),
        (_no_range, "settings:"),
        (_a_rectangle, "constant: 1,1,0,0,300,300"),
        (_a_hard_filter, "filter: subject LIKE"),
        (_a_wrong_request, "- subscribe"),
        (_a_wrong_sample, "sample: all"),
        (_an_unknown_service, "siena-m:"),
    ],
)
def test_what_cannot_be_judged_is_refused_with_its_line(
    tmp_path: Path, spoil: Callable[[dict[str, Any]], None], word: str
) -> None:
    value = federation(Plan(vehicles=1))
    spoil(value)
    file = _write(tmp_path, value)

    with pytest.raises(CannotJudgeError) as caught:
        load_federation(file)

    lines = file.read_text(encoding="utf-8").splitlines()
    near = " ".join(lines[max(0, caught.value.line - 2) : caught.value.line + 1])
    assert word in near
    assert str(caught.value).startswith(f"{file}:{caught.value.line}: ")


@pytest.mark.parametrize("text", ["a: [", "- 1\n", "a: \x00"])
def test_a_file_that_is_no_mapping_is_refused(tmp_path: Path, text: str) -> None:
    file = tmp_path / "federation.yaml"
    file.write_text(text, encoding="utf-8")

    with pytest.raises(CannotJudgeError):
        load_federation(file)


@pytest.mark.parametrize("given", ["subject = 'Speed'", "Speed", "subject = 'Speed' AND rate > 3"])
def test_a_range_of_the_frames_rule_is_a_part_of_what_is_asked(tmp_path: Path, given: str) -> None:
    """A speed that the rule leaves out is owed to nobody."""
    value = federation(Plan(vehicles=1))
    rate = {"bytes": [7, 7], "type": "double", "range": {"min": 0, "max": 250}}
    value["mappings"]["can-speed"] = [{"subject": "Speed", "parameters": {"rate": rate}}]
    value["requests"][0]["filter"] = given

    (vehicle,) = load_federation(_write(tmp_path, value)).vehicles

    words = given.replace("Speed", "subject = 'Speed'") if given == "Speed" else given
    assert vehicle.filters == (f"{words} AND rate >= 0 AND rate <= 250",)
