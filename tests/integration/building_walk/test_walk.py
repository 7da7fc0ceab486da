"""The whole: plan, services, buses, gateways, native clients, judge."""

import asyncio
import json
import sys
from asyncio.subprocess import DEVNULL, PIPE, STDOUT
from pathlib import Path

import pytest
from support.processes.federation import is_alive

pytestmark = [pytest.mark.broker, pytest.mark.timeout(240)]


async def test_doors_open_and_mail_follows_in_a_short_walk(tmp_path: Path) -> None:
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "building_walk", "demo", "--runs", str(tmp_path)),
        *("--steps", "14"),
        stdin=DEVNULL,
        stdout=PIPE,
        stderr=STDOUT,
    )
    out, _ = await process.communicate()
    assert process.returncode == 0, out.decode()
    folder = tmp_path / "latest"
    verdict = json.loads((folder / "verdict.json").read_text())
    assert verdict["passed"]
    assert all(each["kept"] and each["checked"] for each in verdict["promises"])
    assert not any(each["excused"] for each in verdict["promises"])
    processes = json.loads((folder / "endpoints.json").read_text())["processes"]
    assert {"naming", "policy", "bus-net1", "bus-office", "walk"} <= processes.keys()
    assert [name for name, pid in processes.items() if is_alive(pid)] == []
