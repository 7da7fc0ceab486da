"""Which gateways an outage cuts off, and which outages excuse."""

import json
from pathlib import Path
from typing import Any

import pytest
import yaml
from analytics.errors import CannotJudgeError
from analytics.inputs.federation import Federation, load_federation
from analytics.inputs.folder import RunFolder
from analytics.inputs.outages import FOREVER_US, Outage, load_outages
from support.judge.runs import Plan, federation


@pytest.fixture
def read(tmp_path: Path) -> Federation:
    file = tmp_path / "federation.yaml"
    file.write_text(yaml.safe_dump(federation(Plan(vehicles=2))), encoding="utf-8")
    return load_federation(file)


def _load(path: Path, read: Federation, **members: Any) -> tuple[Outage, ...]:
    record = {"v": 1, "from_us": 5, "to_us": 9, "cause": "signal 9", "by": "harness", **members}
    (path / "outages.jsonl").write_text(json.dumps(record) + "\n", encoding="utf-8")
    return load_outages(RunFolder(path), read, {"fleet": frozenset({"g-v-FES0001"})})


@pytest.mark.parametrize(
    ("part", "killed", "gateways"),
    [
        ("g-m-M01", True, ["g-m-M01"]),
        ("g-m-M01.steam-m-M01", True, ["g-m-M01"]),
        ("fleet", True, ["g-v-FES0001"]),
        ("steam-m-M02", False, ["g-m-M02"]),
        ("cns", False, ["g-v-FES0001", "g-v-FES0002"]),
        ("siena-2", False, ["g-m-M01", "g-m-M02", "g-m-M03"]),
        ("traffic-control", False, ["g-m-M01", "g-m-M02", "g-m-M03"]),
        ("can-sim", False, []),
        ("nobody", False, []),
    ],
)
def test_a_part_stands_for_the_gateways_that_need_it(
    tmp_path: Path,
    read: Federation,
    part: str,
    killed: bool,  # noqa: FBT001 - a table's column
    gateways: list[str],
) -> None:
    assert _load(tmp_path, read, part=part) == tuple(Outage(g, 5, 9, killed) for g in gateways)


def test_an_outage_without_an_end_lasts(tmp_path: Path, read: Federation) -> None:
    assert _load(tmp_path, read, part="g-m-M01", to_us=None)[0].to_us == FOREVER_US


KILL = {"by": "operator", "cause": "signal 9", "from_us": 5_000_000, "to_us": 5_000_000}
GONE = {"by": "supervisor", "cause": "signal 9", "from_us": 5_500_000, "to_us": 9_000_000}


@pytest.mark.parametrize("cause", ["exit 1", "signal 11", "signal 9"])
def test_a_crash_excuses_nothing_whatever_it_ended_from(
    tmp_path: Path, read: Federation, cause: str
) -> None:
    assert _load(tmp_path, read, part="g-m-M01", by="supervisor", cause=cause) == ()


def test_whoever_cuts_says_so(tmp_path: Path, read: Federation) -> None:
    assert len(_load(tmp_path, read, part="g-m-M01", cause="cable")) == 1
    assert len(_load(tmp_path, read, part="g-m-M01", by="operator", cause="restart")) == 1


def _all(path: Path, read: Federation, *records: dict[str, Any]) -> list[tuple[str, int, int]]:
    lines = [json.dumps({"v": 1, **record}) + "\n" for record in records]
    (path / "outages.jsonl").write_text("".join(lines), encoding="utf-8")
    inside = frozenset({"g-m-M01", "g-m-M01.siena-m", "g-m-M02"})
    found = load_outages(RunFolder(path), read, {"pack": inside})
    return [(one.gateway, one.from_us, one.to_us) for one in found if one.to_us > one.from_us]


@pytest.mark.parametrize("cut", ["g-m-M01", "g-m-M02", "pack", "g-m-M01.siena-m"])
def test_a_part_was_away_by_the_kill_of_its_process(
    tmp_path: Path, read: Federation, cut: str
) -> None:
    kill, gone = {"part": cut, **KILL}, {"part": "g-m-M01", **GONE}
    assert _all(tmp_path, read, kill, gone) == [("g-m-M01", 5_500_000, 9_000_000)]
    assert _all(tmp_path, read, gone, kill) == [("g-m-M01", 5_500_000, 9_000_000)]


def test_a_crash_long_after_a_kill_excuses_nothing(tmp_path: Path, read: Federation) -> None:
    kill = {"part": "g-m-M01", **KILL}
    assert _all(tmp_path, read, kill, {"part": "g-m-M01", **GONE, "from_us": 8_000_000}) == []


def test_a_crash_beside_the_kill_of_another_part_excuses_nothing(
    tmp_path: Path, read: Federation
) -> None:
    assert _all(tmp_path, read, {"part": "g-m-M03", **KILL}, {"part": "g-m-M01", **GONE}) == []


def test_a_record_that_lacks_a_member_is_refused_with_its_line(
    tmp_path: Path, read: Federation
) -> None:
    (tmp_path / "outages.jsonl").write_text('\n{"part": "g-m-M01"}\n', encoding="utf-8")

    with pytest.raises(CannotJudgeError, match=r"outages\.jsonl:2: "):
        load_outages(RunFolder(tmp_path), read, {})
