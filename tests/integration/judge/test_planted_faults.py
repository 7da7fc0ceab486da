"""A product with a planted fault is run, and the judge names the promise that the fault breaks.

What must be found is planted where the product cannot know of it (`support/planting`), in a run of
the traffic scenario as `make demo` plays it. `FES_LIVE_FAULTS` names those to play; a few in CI.
"""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

pytestmark = [pytest.mark.broker, pytest.mark.spark, pytest.mark.timeout(300)]

ROOT = Path(__file__).parents[3]
PLANTING = ROOT / "tests/support/planting"
RUN_S = 240
BROKEN = {
    "no content filter": "filters work at the source",
    "control storm": "no control-plane storm",
    "never withdrawn": "no native subscription is left",
    "crash": "nothing asked for is lost",
    "loss": "nothing asked for is lost",
    "copy": "at most once per destination",
    "inversion": "order of each origin is kept",
}
IN_CI = "no content filter,control storm,never withdrawn,crash"
PLAYED = os.environ.get("FES_LIVE_FAULTS", IN_CI).split(",")


def judged(folder: Path, fault: str) -> dict[str, Any]:
    """Play the scenario with a fault, and return the verdict."""
    environment = {
        **os.environ,
        "PYTHONPATH": str(PLANTING),
        "FES_TEST_FAULT": fault,
        "FES_TEST_ONCE": str(folder / "once"),
    }
    program = Path(sys.executable).with_name("fes-traffic")
    options = ("--vehicles", "8", "--duration", "45", "--runs", str(folder / "runs"))
    done = subprocess.run(
        (str(program), "demo", *options), env=environment, cwd=folder, timeout=RUN_S,
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    verdict = folder / "runs/latest/verdict.json"
    assert verdict.exists(), done.stdout + done.stderr
    found: dict[str, Any] = json.loads(verdict.read_text("utf-8"))
    assert done.returncode == (0 if found["verdict"] == "pass" else 1), done.stdout + done.stderr
    return found


@pytest.mark.parametrize("fault", [each for each in BROKEN if each in PLAYED])
def test_the_judge_names_the_promise_that_a_planted_fault_breaks(
    tmp_path: Path, fault: str
) -> None:
    verdict = judged(tmp_path, fault)
    broken = {one["name"]: one for one in verdict["promises"] if one["status"] == "broken"}
    assert verdict["verdict"] == "fail"
    assert BROKEN[fault] in broken, verdict["promises"]
    assert broken[BROKEN[fault]]["examples"]


def test_a_run_without_a_fault_passes_under_the_same_eyes(tmp_path: Path) -> None:
    verdict = judged(tmp_path, "none")
    told = {one["name"]: one["detail"] for one in verdict["promises"]}
    assert verdict["verdict"] == "pass", verdict["promises"]
    for name in ("filters work at the source", "no control-plane storm"):
        assert "natively too" in told[name]
