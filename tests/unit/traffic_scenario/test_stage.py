"""The folder of a run whose parts are started elsewhere."""

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from fes.federation.load import load
from scenario_kit.programs import Programs
from traffic_scenario.errors import InputError
from traffic_scenario.stage import Staged, stage

NOW_US = 1_800_000_000_000_000
FEDERATION = """
version: 1
system: traffic
clock: {speed: 2.0}
brokers:
  air: {kind: mqtt}
event_services:
  steam-v:
    kind: steam
    brokers: [air]
    settings: {location: {trace: trace.csv, vehicle: A}}
gateways:
  g1: {adapters: {steam-v: {}}}
"""
URL = {"FES__BROKERS__AIR__URL": "mqtt://air:1883"}


@pytest.fixture
def staged(tmp_path: Path) -> Staged:
    file = tmp_path / "federation.yaml"
    file.write_text(FEDERATION)
    return Staged(file, (), 20.0, "http://127.0.0.1:1/{gateway}")


@pytest.fixture
def programs_of(programs: Callable[[], Programs]) -> Programs:
    return programs()


def test_a_staged_folder_holds_what_every_part_reads(
    tmp_path: Path, staged: Staged, programs_of: Programs
) -> None:
    folder, begun = stage(tmp_path / "runs", staged, URL, programs_of, lambda: NOW_US)
    assert begun
    assert (tmp_path / "runs/latest").resolve() == folder
    clock = json.loads((folder / "clock.json").read_text())
    assert clock == {"start_us": 0, "wall_start_us": NOW_US + 20_000_000, "speed": 2.0}
    federation = load(folder / "federation.yaml", {})
    assert federation.brokers["air"].url == "mqtt://air:1883"
    assert federation.clock.wall_start_us == clock["wall_start_us"]
    endpoints = json.loads((folder / "endpoints.json").read_text())
    assert endpoints == {"gateways": {"g1": {"url": "http://127.0.0.1:1/g1"}}}


def test_a_run_that_goes_on_keeps_its_clock_and_takes_the_new_file(
    tmp_path: Path, staged: Staged, programs_of: Programs
) -> None:
    first, _ = stage(tmp_path / "runs", staged, URL, programs_of, lambda: NOW_US)
    moved = {"FES__BROKERS__AIR__URL": "mqtt://elsewhere:1883"}
    again, begun = stage(tmp_path / "runs", staged, moved, programs_of, lambda: NOW_US + 9)
    assert not begun
    assert again.resolve() == first
    federation = load(first / "federation.yaml", {})
    assert federation.brokers["air"].url == "mqtt://elsewhere:1883"
    assert federation.clock.wall_start_us == NOW_US + 20_000_000


def test_a_run_whose_trace_is_over_is_followed_by_another(
    tmp_path: Path, staged: Staged, programs_of: Programs
) -> None:
    first, _ = stage(tmp_path / "runs", staged, URL, programs_of, lambda: NOW_US)
    later, begun = stage(tmp_path / "runs", staged, URL, programs_of, lambda: NOW_US + 10**9)
    assert begun
    assert later != first


def test_a_broker_without_an_address_is_told_with_its_variable(
    tmp_path: Path, staged: Staged, programs_of: Programs
) -> None:
    with pytest.raises(InputError, match=r"brokers\.air: has no url.*FES__BROKERS__AIR__URL"):
        stage(tmp_path / "runs", staged, {}, programs_of)
    assert not (tmp_path / "runs").exists()


def test_a_bad_file_is_told_by_line_and_key(
    tmp_path: Path, staged: Staged, programs_of: Programs
) -> None:
    staged.federation.write_text(FEDERATION.replace("system:", "sistem:"))
    with pytest.raises(InputError, match=r"federation\.yaml:3:1: sistem"):
        stage(tmp_path / "runs", staged, URL, programs_of)


def test_a_vehicle_that_the_trace_does_not_have_is_refused(
    tmp_path: Path, staged: Staged, programs_of: Programs
) -> None:
    staged.federation.write_text(FEDERATION.replace("vehicle: A", "vehicle: B"))
    with pytest.raises(InputError, match="'B' is not in the trace"):
        stage(tmp_path / "runs", staged, URL, programs_of, lambda: NOW_US)


def test_old_runs_go_when_another_begins(
    tmp_path: Path, staged: Staged, programs_of: Programs
) -> None:
    runs = tmp_path / "runs"
    for name in ("20260101-000000", "20260101-000000-2", "20260101-000000-10", "mine"):
        (runs / name / "logs").mkdir(parents=True)
    few = replace(staged, keep=2)
    folder, _ = stage(runs, few, URL, programs_of, lambda: NOW_US)
    left = {path.name for path in runs.iterdir()}
    assert left == {"20260101-000000-10", "mine", "latest", folder.name}
