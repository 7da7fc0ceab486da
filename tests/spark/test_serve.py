"""The service as a process: it shows the verdict of a run, and goes on where it was ended."""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest
from support.judge.growing import Growing
from support.judge.runs import read_lines

pytestmark = [pytest.mark.spark, pytest.mark.timeout(600)]

PATIENCE_S = 240.0


@contextmanager
def _serving(run: Path, state: Path) -> Iterator[str]:
    """Run the service; give its address, and see that it ends well when it is told to."""
    told = {"ANALYTICS_RUN": str(run), "ANALYTICS_CHECKPOINT": str(state)}
    timing = {"ANALYTICS_TRIGGER_S": "1", "ANALYTICS_IDLE_S": "2", "ANALYTICS_SETTLE_S": "2"}
    command = [sys.executable, "-m", "analytics", "serve", "--http-port", "0"]
    environment = {**os.environ, **told, **timing}
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment) as process:
        assert process.stdout is not None
        yield json.loads(process.stdout.readline())["url"]
        process.send_signal(signal.SIGTERM)
        process.stdout.read()
        assert process.wait(PATIENCE_S) == 0


def _eventually(url: str, **members: Any) -> dict[str, Any]:
    """Return the verdict once its progress has these members."""
    until = time.monotonic() + PATIENCE_S
    while time.monotonic() < until:
        answer = httpx.get(f"{url}/verdict.json", timeout=PATIENCE_S)
        if answer.status_code == 200:
            told: dict[str, Any] = answer.json()
            if members.items() <= told["progress"].items():
                return told
        time.sleep(0.2)
    raise AssertionError(f"never {members}")


def test_the_service_waits_for_a_run_judges_it_and_ends_when_told(
    good_run: Path, tmp_path: Path
) -> None:
    run = tmp_path / "run"
    with _serving(run, tmp_path / "state") as url:
        early = httpx.get(f"{url}/readyz", timeout=PATIENCE_S)
        Growing(good_run, run).grow()
        told = _eventually(url, ended=True)
        ready = httpx.get(f"{url}/readyz", timeout=PATIENCE_S)
        page = httpx.get(url, timeout=PATIENCE_S)
        metrics = httpx.get(f"{url}/metrics", timeout=PATIENCE_S).text

    lines = sum(len(read_lines(file)) for file in good_run.rglob("*.jsonl"))
    assert early.status_code == 503
    assert told["verdict"] == "pass"
    assert ready.json() == {"status": "ready", "faults": {}}
    assert "Ended" in page.text
    assert f"fes_analytics_lines_total {float(lines)}" in metrics
    assert not (run / "analytics").exists(), "the run folder is left alone"
