"""A federation in the background, played by a program that only waits."""

import json
import os
import signal
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from traffic_scenario import background
from traffic_scenario.errors import RunningError


def waiting(folder: Path) -> tuple[str, ...]:
    told = json.dumps({"processes": {"can-sim": 1}})
    path = str(folder / "endpoints.json")
    code = f"with open({path!r}, 'w') as file: file.write({told!r})\nimport time; time.sleep(60)"
    return (sys.executable, "-c", code)


@pytest.fixture
def runs(tmp_path: Path) -> Iterator[Path]:
    yield tmp_path
    background.stop(tmp_path)


@pytest.fixture
def folder(runs: Path) -> Path:
    folder = runs / "one"
    folder.mkdir()
    return folder


def test_what_was_started_is_stopped(runs: Path, folder: Path) -> None:
    with background.reserved(runs) as place:
        process = background.start(waiting(folder), folder, place)
    assert process.poll() is None
    assert background.stop(runs) == process.pid
    assert process.wait() == -signal.SIGTERM
    assert not (runs / "up.pid").exists()


def test_only_one_runs_in_the_background(runs: Path, folder: Path) -> None:
    with background.reserved(runs) as place:
        process = background.start(waiting(folder), folder, place)
    with process:
        with pytest.raises(RunningError, match=str(process.pid)), background.reserved(runs):
            pass
        background.stop(runs)


def test_stopping_where_nothing_runs_does_nothing(tmp_path: Path) -> None:
    assert background.stop(tmp_path) is None


def test_a_process_id_left_over_is_not_signalled(tmp_path: Path) -> None:
    (tmp_path / "up.pid").write_text(str(os.getpid()))
    assert background.stop(tmp_path) is None
    assert not (tmp_path / "up.pid").exists()


def test_what_ends_at_once_is_told_with_its_log(runs: Path, folder: Path) -> None:
    failing = (sys.executable, "-c", "raise SystemExit('no such gateway')")
    with background.reserved(runs) as place, pytest.raises(RunningError, match=r"status 1.*log"):
        background.start(failing, folder, place)
    assert "no such gateway" in (folder / "logs" / background.LOG).read_text()
