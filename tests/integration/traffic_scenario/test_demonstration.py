"""The whole: plan, brokers, gateways, applications, judge."""

import asyncio
import json
import os
import signal
import sys
from asyncio.subprocess import DEVNULL, PIPE, Process
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from fes.testing.eventually import eventually

pytestmark = [pytest.mark.broker, pytest.mark.timeout(300)]

FES_TRAFFIC = (sys.executable, "-m", "traffic_scenario")
SMALL = ("--vehicles", "6", "--duration", "24")
LASTING = (*SMALL, "--speedup", "0.1")
START_S = 60.0
SIX = {
    *("gateways-cns-steam", "gateways-siena-steam", "traffic-control", "can-sim"),
    *("air-observer", "city-observer"),
}


async def fes_traffic(*arguments: str) -> tuple[int, str, str]:
    """Run a command to its end; return its status and what it said."""
    process = await asyncio.create_subprocess_exec(
        *FES_TRAFFIC, *arguments, stdin=DEVNULL, stdout=PIPE, stderr=PIPE
    )
    out, err = await process.communicate()
    return process.returncode or 0, out.decode(), err.decode()


@asynccontextmanager
async def playing(runs: Path) -> AsyncIterator[Process]:
    """Start a demonstration that lasts, and give it once frames are on the buses."""
    process = await asyncio.create_subprocess_exec(
        *FES_TRAFFIC, "demo", "--runs", str(runs), *LASTING, stdin=DEVNULL, stdout=DEVNULL
    )
    try:
        truth = runs / "latest/ground_truth.jsonl"
        await eventually(lambda: size(truth) > 0, START_S, "a frame on a bus")
        yield process
    finally:
        if process.returncode is None:
            process.terminate()
            await process.wait()


def size(path: Path) -> int:
    return path.stat().st_size if path.exists() else 0


def is_alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


def processes(folder: Path) -> dict[str, int]:
    told: dict[str, dict[str, int]] = json.loads((folder / "endpoints.json").read_text())
    return told["processes"]


@pytest.mark.spark
async def test_a_small_demonstration_passes_and_leaves_what_it_promises(tmp_path: Path) -> None:
    status, out, err = await fes_traffic(
        *("demo", "--runs", str(tmp_path), *SMALL, "--speedup", "4"),
        *("--own-process", "g-m-M01", "--own-process", "g-m-M02.steam-m-M02"),
    )
    assert status == 0, out + err
    folder = tmp_path / "latest"
    assert json.loads((folder / "verdict.json").read_text())["verdict"] == "pass"
    assert len((folder / "offenders.csv").read_text().splitlines()) > 1
    for name in ("federation.yaml", "report.html", "logs", "ground_truth.jsonl", "commands.jsonl"):
        assert (folder / name).exists()
    assert processes(folder).keys() == SIX | {"g-m-M01", "g-m-M02.steam-m-M02"}


async def test_a_ctrl_c_stops_every_process_and_leaves_the_logs(tmp_path: Path) -> None:
    async with playing(tmp_path) as process:
        pids = processes(tmp_path / "latest")
        assert pids.keys() == SIX
        process.send_signal(signal.SIGINT)
        assert await process.wait() == 130
    assert [name for name, pid in pids.items() if is_alive(pid)] == []
    assert size(tmp_path / "latest/logs/eventlog-gateways-cns-steam.0.jsonl") > 0
    assert not (tmp_path / "latest/verdict.json").exists()


async def test_a_name_of_no_gateway_is_bad_input(tmp_path: Path) -> None:
    status, _, err = await fes_traffic(
        "demo", "--runs", str(tmp_path), *SMALL, "--own-process", "g-m-M99"
    )
    assert status == 2
    assert "g-m-M99" in err


async def test_a_federation_in_the_background_is_stopped_again(tmp_path: Path) -> None:
    runs = ("--runs", str(tmp_path))
    status, _, err = await fes_traffic("up", *runs, *LASTING)
    try:
        assert status == 0, err
        pids = processes(tmp_path / "latest")
        assert (await fes_traffic("up", *runs, *LASTING))[0] == 1
    finally:
        stopped = await fes_traffic("down", *runs)
    assert stopped[0] == 0
    assert [name for name, pid in pids.items() if is_alive(pid)] == []
    assert "nothing ran" in (await fes_traffic("down", *runs))[1]
