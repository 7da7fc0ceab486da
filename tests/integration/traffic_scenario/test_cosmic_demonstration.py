"""The whole with a true CAN bus on board of each vehicle."""

import asyncio
import json
import sys
from pathlib import Path

import pytest

pytestmark = [pytest.mark.broker, pytest.mark.spark, pytest.mark.timeout(300)]


async def test_vehicles_with_a_can_bus_are_judged_all_pass(tmp_path: Path) -> None:
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "traffic_scenario", "demo", "--runs", str(tmp_path)),
        *("--bus", "cosmic", "--vehicles", "6", "--duration", "24", "--speedup", "4"),
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.STDOUT,
    )
    out, _ = await process.communicate()
    assert process.returncode == 0, out.decode()
    folder = tmp_path / "latest"
    verdict = json.loads((folder / "verdict.json").read_text())
    assert verdict["verdict"] == "pass"
    assert len((folder / "offenders.csv").read_text().splitlines()) > 1
    assert "cosmic-v-FES0001" in (folder / "federation.yaml").read_text()
    assert "cns-v-" not in (folder / "federation.yaml").read_text()
