"""The whole: plan, brokers, gateways, native clients, judge."""

import asyncio
import json
import sys
from asyncio.subprocess import DEVNULL, PIPE, STDOUT
from pathlib import Path

import pytest
from support.processes.federation import is_alive

pytestmark = [pytest.mark.broker, pytest.mark.timeout(120)]

PARTS = {"g1", "g2", "g3", "siena-sub", "witness", "cns-pub"}


def processes(folder: Path) -> dict[str, int]:
    told: dict[str, dict[str, int]] = json.loads((folder / "endpoints.json").read_text())
    return told["processes"]


async def test_what_the_city_asked_for_comes_over_the_air_in_control_events(tmp_path: Path) -> None:
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "traffic_control_events", "demo", "--runs", str(tmp_path)),
        *("--seconds", "40", "--speedup", "8"),
        stdin=DEVNULL,
        stdout=PIPE,
        stderr=STDOUT,
    )
    out, _ = await process.communicate()
    assert process.returncode == 0, out.decode()
    folder = tmp_path / "latest"
    verdict = json.loads((folder / "verdict.json").read_text())
    assert verdict["verdict"] == "pass"
    expected = {row["client"]: row["expected"] for row in verdict["clients"] if row["expected"]}
    assert expected.keys() == {"cns-pub", "air", "city", "siena-sub", "repeated", "witness"}
    assert expected["air"] > expected["city"] > expected["siena-sub"]
    assert processes(folder).keys() == PARTS
    assert [name for name, pid in processes(folder).items() if is_alive(pid)] == []
