"""What comes of a run is the exit status; only a run that ended by itself is judged."""

import sys
from pathlib import Path

import pytest
from scenario_kit.playing import play
from scenario_kit.programs import Programs
from scenario_kit.statuses import BAD_INPUT, FAILED, INTERRUPTED, PASSED
from serving.output import CLOSED

SIGNAL = "import os, signal; os.kill(os.getppid(), signal.SIGINT); signal.pause()"


def played(folder: Path, code: str, judged: list[Path], verdict: int = PASSED) -> int:
    def judge(run: Path) -> int:
        judged.append(run)
        return verdict

    return play(folder, judge, programs=Programs(fes=(sys.executable, "-c", code)))


@pytest.mark.parametrize("verdict", [PASSED, FAILED, BAD_INPUT])
def test_the_verdict_on_a_run_that_ended_is_the_status(tmp_path: Path, verdict: int) -> None:
    judged: list[Path] = []
    assert played(tmp_path, "pass", judged, verdict) == verdict
    assert judged == [tmp_path]


@pytest.mark.parametrize(
    ("code", "status"),
    [
        (f"raise SystemExit({BAD_INPUT})", BAD_INPUT),
        ("raise SystemExit(7)", FAILED),
        (f"raise SystemExit({CLOSED})", CLOSED),
        (SIGNAL, INTERRUPTED),
    ],
)
def test_a_run_that_did_not_end_well_is_not_judged(tmp_path: Path, code: str, status: int) -> None:
    judged: list[Path] = []
    assert played(tmp_path, code, judged) == status
    assert judged == []
