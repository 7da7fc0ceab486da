"""The demonstration, with programs that only record how they were called."""

from collections.abc import Callable
from pathlib import Path

import pytest
from scenario_kit.programs import Programs
from traffic_scenario.demo import demo
from traffic_scenario.errors import InputError
from traffic_scenario.plan import Wanted

MakePrograms = Callable[..., Programs]
MakeStub = Callable[[str, str], tuple[str, ...]]

WANTED = Wanted((), 10.0)


def only_run(runs: Path) -> Path:
    return next(path for path in runs.iterdir() if not path.is_symlink())


@pytest.mark.parametrize("verdict", [0, 1, 2])
def test_the_status_is_the_verdict(tmp_path: Path, programs: MakePrograms, verdict: int) -> None:
    assert demo(tmp_path / "runs", WANTED, (), programs(verify=verdict)) == verdict


@pytest.mark.parametrize(("ended", "status"), [(1, 1), (2, 2), (77, 1)])
def test_a_run_that_failed_is_not_judged(
    tmp_path: Path, programs: MakePrograms, ended: int, status: int
) -> None:
    runs = tmp_path / "runs"
    assert demo(runs, WANTED, (), programs(run=ended)) == status
    assert not (only_run(runs) / "analytics.called").exists()


def test_the_run_is_started_from_the_planned_file_with_processes_of_their_own(
    tmp_path: Path, programs: MakePrograms
) -> None:
    runs = tmp_path / "runs"
    demo(runs, WANTED, ("g-m-M01", "g-v-A.cns-v-A"), programs())
    folder = only_run(runs)
    assert (folder / "fes.called").read_text() == (
        f"run {folder}/federation.yaml --run {folder}"
        " --require-all --own-process g-m-M01 --own-process g-v-A.cns-v-A"
    )
    assert (folder / "analytics.called").read_text() == f"verify {folder}"


def test_latest_points_to_the_run(tmp_path: Path, programs: MakePrograms) -> None:
    runs = tmp_path / "runs"
    demo(runs, WANTED, (), programs())
    assert (runs / "latest").resolve() == only_run(runs)


def test_bad_input_leaves_no_folder_behind(tmp_path: Path, programs: MakePrograms) -> None:
    runs = tmp_path / "runs"
    with pytest.raises(InputError):
        demo(runs, WANTED, (), programs(plan="raise SystemExit(2)"))
    assert list(runs.iterdir()) == []


def test_where_everything_is_is_told(
    tmp_path: Path, programs: MakePrograms, capfd: pytest.CaptureFixture[str]
) -> None:
    demo(tmp_path / "runs", WANTED, (), programs())
    folder = only_run(tmp_path / "runs")
    assert f"federation {folder}/federation.yaml" in capfd.readouterr().out


def test_an_interrupted_run_ends_with_status_130_and_is_not_judged(
    tmp_path: Path, programs: MakePrograms, stub: MakeStub, capfd: pytest.CaptureFixture[str]
) -> None:
    made = programs()
    interrupting = stub(
        "interrupting",
        "import os, signal, time\nos.kill(os.getppid(), signal.SIGINT)\ntime.sleep(60)",
    )
    runs = tmp_path / "runs"
    made = type(made)(made.can_sim, interrupting, made.analytics)
    assert demo(runs, WANTED, (), made) == 130
    assert not (only_run(runs) / "analytics.called").exists()
    assert "interrupted" in capfd.readouterr().out
