"""Planning with the real can-sim."""

import json
import math
from collections.abc import Callable
from itertools import combinations
from pathlib import Path

import pytest
from fes.federation import load
from scenario_kit.programs import Programs
from scenario_kit.run_folder import make_folder
from traffic_scenario.__main__ import main
from traffic_scenario.errors import InputError
from traffic_scenario.federation import describe
from traffic_scenario.plan import Wanted, plan, write_federation
from traffic_scenario.runfolder import Monitor, Plan, read_plan

MakePrograms = Callable[..., Programs]


@pytest.fixture(scope="module")
def generated(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("run")
    assert main(["plan", "--out", str(folder), "--vehicles", "12", "--duration", "40"]) == 0
    return folder


def distance_m(a: Monitor, b: Monitor) -> float:
    north = math.radians(b.lat - a.lat) * 6_371_008.8
    east = math.radians(b.lon - a.lon) * 6_371_008.8 * math.cos(math.radians(a.lat))
    return math.hypot(north, east)


def test_a_generated_plan_has_a_federation_file_that_loads(generated: Path) -> None:
    federation = load(generated / "federation.yaml", {})
    planned = read_plan(generated)
    assert len(planned.vehicles) == 12
    assert len(federation.gateways) == 12 + len(planned.monitors)
    assert federation.clock.speed == 3.0


def test_a_generated_plan_has_two_monitors_that_overlap_with_different_limits(
    generated: Path,
) -> None:
    pairs = combinations(read_plan(generated).monitors, 2)
    assert any(
        distance_m(a, b) < a.radius_m + b.radius_m and a.limit_kmh != b.limit_kmh for a, b in pairs
    )


def test_a_plan_counts_the_frames_to_come(generated: Path) -> None:
    rows = (generated / "trace.csv").read_text().splitlines()
    assert read_plan(generated).samples == len(rows) - 1


def test_a_given_trace_is_not_cut_by_the_defaults_of_the_made_up_town(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    trace = tmp_path / "two.csv"
    rows = [f"{t},{v},50.0,{11.5 + t / 1e5},40" for t in range(200) for v in ("a", "b")]
    trace.write_text("time,vehicle,lat,lon,speed_kmh\n" + "\n".join(rows) + "\n")
    folder = tmp_path / "run"
    assert main(["plan", "--out", str(folder), "--trace", str(trace), "--speedup", "20"]) == 0
    assert read_plan(folder).duration_s == 199
    assert "2 vehicles" in capfd.readouterr().out


def test_bad_input_ends_with_status_2_and_names_the_file(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    trace = tmp_path / "none.csv"
    assert main(["plan", "--out", str(tmp_path / "run"), "--trace", str(trace)]) == 2
    assert "none.csv" in capfd.readouterr().err


@pytest.mark.parametrize("option", [["--speedup", "0"], ["--vehicles", "-1"], ["--port", "0"]])
def test_an_option_out_of_range_ends_with_status_2(tmp_path: Path, option: list[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["plan", "--out", str(tmp_path / "run"), *option])
    assert ended.value.code == 2


@pytest.mark.slow
def test_a_federation_that_would_be_too_large_is_bad_input(
    tmp_path: Path, small_plan: Plan
) -> None:
    many = Plan(tuple(f"V{n:05}" for n in range(4000)), small_plan.monitors, 0, 1, 4000)
    with pytest.raises(InputError, match="bytes"):
        write_federation(tmp_path, many, 1.0, 8090)
    assert not (tmp_path / "federation.yaml").exists()


def test_a_monitor_that_hears_farther_than_radio_does_is_bad_input(tmp_path: Path) -> None:
    endless = Plan(("A",), (Monitor("M01", 50.0, 11.5, 1e9, 50.0),), 0, 1, 1)
    with pytest.raises(InputError, match="range_m"):
        write_federation(tmp_path, endless, 1.0, 8090)


def test_folders_made_in_one_second_are_different_ones(tmp_path: Path) -> None:
    folders = {make_folder(tmp_path) for _ in range(3)}
    assert len(folders) == 3


def test_a_plan_without_monitors_has_nobody_to_report_to(tmp_path: Path) -> None:
    (tmp_path / "trace.csv").write_text(
        "time_us,vehicle,licence,lat,lon,speed_kmh\n0,A,A000000,1,1,1\n"
    )
    (tmp_path / "monitors.csv").write_text("monitor,lat,lon,radius_m,limit_kmh\n")
    with pytest.raises(InputError, match="names no monitor"):
        read_plan(tmp_path)


def test_what_was_left_out_of_an_input_is_told(
    tmp_path: Path, programs: MakePrograms, capfd: pytest.CaptureFixture[str]
) -> None:
    plan(tmp_path, Wanted((), 1.0), programs())
    told = capfd.readouterr().out
    assert "left out: 2 bad_row" in told
    assert "note: row 3: no time" in told


def test_the_port_that_was_asked_for_is_recorded(tmp_path: Path, small_plan: Plan) -> None:
    write_federation(tmp_path, small_plan, 1.0, 8123)
    federation = load(tmp_path / "federation.yaml", {})
    assert federation == describe(small_plan, 1.0, 8123)
    assert "8123" in json.dumps(federation.applications["traffic-control"].command)
