"""The command, with a `fes` that only records how it was called."""

import json
import sys
from pathlib import Path

import pytest
from scenario_kit.programs import Programs
from traffic_control_events.__main__ import main
from traffic_control_events.demo import demo
from traffic_control_events.plan import Wanted
from traffic_control_events.story import HEARD
from unit.traffic_control_events.corruptions import CORRUPTIONS
from unit.traffic_control_events.good import Good

GOOD = """
import sys
from pathlib import Path
from unit.traffic_control_events.good import make_good
folder = Path(sys.argv[sys.argv.index("--run") + 1])
make_good(folder)
folder.joinpath("called").write_text(" ".join(sys.argv[1:]))
"""
WANTED = Wanted(40, 4.0)


@pytest.fixture
def tests_on_the_path(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONPATH", ":".join(path for path in sys.path if path))


def fes(tmp_path: Path, lines: str) -> Programs:
    """Return a `fes` of a few lines."""
    path = tmp_path / "stub.py"
    path.write_text(lines)
    return Programs(fes=(sys.executable, str(path)))


@pytest.mark.usefixtures("tests_on_the_path")
def test_a_good_run_passes_and_each_gateway_had_a_process(tmp_path: Path) -> None:
    assert demo(tmp_path / "runs", WANTED, fes(tmp_path, GOOD)) == 0
    latest = tmp_path / "runs/latest"
    called = (latest / "called").read_text()
    assert all(f"--own-process {gateway}" in called for gateway in ("g1", "g2", "g3"))
    assert json.loads((latest / "verdict.json").read_text())["verdict"] == "pass"


@pytest.mark.parametrize(("ended", "status"), [(1, 1), (2, 2), (77, 1)])
def test_a_run_that_failed_is_not_judged(tmp_path: Path, ended: int, status: int) -> None:
    programs = fes(tmp_path, f"raise SystemExit({ended})")
    assert demo(tmp_path / "runs", WANTED, programs) == status
    assert not (tmp_path / "runs/latest/verdict.json").exists()


def test_a_run_that_left_nothing_cannot_be_judged(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert demo(tmp_path / "runs", WANTED, fes(tmp_path, "")) == 2
    assert "not judged" in capsys.readouterr().out


def test_the_verdict_is_a_table_a_file_and_the_status(
    good: Good, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["judge", str(good.folder)]) == 0
    told = capsys.readouterr().out
    assert "siena-sub  Speed, rate > 40" in told
    assert "verdict: pass" in told
    verdict = json.loads((good.folder / "verdict.json").read_text())
    assert verdict["verdict"] == "pass"
    assert [row["missing"] for row in verdict["clients"]] == [[]] * 6


def test_a_fault_is_told_by_client_kind_and_event(
    good: Good, capsys: pytest.CaptureFixture[str]
) -> None:
    lost = good.lines(HEARD)[0]["stamp"]["id"]
    CORRUPTIONS["a report is lost"][0](good)
    assert main(["judge", str(good.folder)]) == 1
    told = capsys.readouterr().out
    assert f"siena-sub: missing: {lost}" in told
    assert "verdict: fail" in told


def test_the_journey_tells_second_by_second_what_came_of_it(good: Good) -> None:
    main(["judge", str(good.folder)])
    header, *journey = (good.folder / "journey.csv").read_text().splitlines()
    assert header == "time_us,id,rate,in_range,on_air,in_city,reported"
    assert len(journey) == 40
    assert sum(row.endswith("1,1,1") for row in journey) == len(good.lines(HEARD))
    assert any(",steam-m1 steam-m2," in row for row in journey)


def test_a_plan_without_a_run_is_written(tmp_path: Path) -> None:
    assert main(["plan", "--out", str(tmp_path / "new")]) == 0
    assert (tmp_path / "new/script.csv").exists()


@pytest.mark.parametrize("option", [["--seconds", "0"], ["--speedup", "-1"], ["--seed", "x"]])
def test_an_option_out_of_range_ends_with_status_2(tmp_path: Path, option: list[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["plan", "--out", str(tmp_path), *option])
    assert ended.value.code == 2


def test_a_federation_file_that_is_missing_is_bad_input(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    none = str(tmp_path / "none.yaml")
    assert main(["plan", "--out", str(tmp_path), "--federation", none]) == 2
    assert "none.yaml" in capsys.readouterr().err
