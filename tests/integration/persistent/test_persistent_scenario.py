"""The persistent promise, whole: real brokers, real processes, each of them killed."""

import asyncio
import json
import os
import signal
import sys
from asyncio.subprocess import DEVNULL, PIPE, STDOUT
from pathlib import Path

import pytest
from fes.testing.eventually import eventually

pytestmark = [pytest.mark.broker, pytest.mark.timeout(300)]

FES_PERSISTENT = (sys.executable, "-m", "persistent_scenario")
SCENARIO = Path(__file__).parents[3] / "scenarios/persistent"
CHAIN_PARTS = {"a", "b", "c", "g1", "g2", "g1.cns-a", "g1.cns-b", "g2.cns-b", "g2.cns-c"}
PAIR_PARTS = {"a", "b", "g1", "g1.cns-a", "g1.cns-b"}
REPLICA_PARTS = {"a", "b", "g1-r1", "g1-r2", "g1-r3", "g1.cns-a", "g1.cns-b"}
ORDERED = 9
"""How many kills have three members killed in every order."""

LEADERS = 2
"""How many times a leader is stopped, or made to stand still, before that."""


async def fes_persistent(file: str, runs: Path, *arguments: str) -> tuple[int, str]:
    """Run a scenario to its end; return its status and what it said."""
    process = await asyncio.create_subprocess_exec(
        *(*FES_PERSISTENT, "run", "--federation", str(SCENARIO / file), "--runs", str(runs)),
        *arguments,
        stdin=DEVNULL,
        stdout=PIPE,
        stderr=STDOUT,
    )
    out, _ = await process.communicate()
    return process.returncode or 0, out.decode()


def killed(runs: Path) -> list[str]:
    lines = (runs / "latest/killed.jsonl").read_text().splitlines()
    return [part for line in lines for part in json.loads(line)["parts"]]


async def test_one_gateway_between_two_services_is_killed_and_nothing_is_lost(
    tmp_path: Path,
) -> None:
    status, out = await fes_persistent(
        "pair.yaml", tmp_path, "--events", "1000", "--rate", "125", "--kills", "5"
    )
    assert status == 0, out
    assert set(killed(tmp_path)) == PAIR_PARTS


async def test_a_chain_is_killed_part_by_part_in_every_order_and_nothing_is_lost(
    tmp_path: Path,
) -> None:
    kills = len(CHAIN_PARTS) + ORDERED
    status, out = await fes_persistent(
        "chain.yaml", tmp_path, "--events", "3000", "--rate", "90", "--kills", str(kills)
    )
    assert status == 0, out
    assert set(killed(tmp_path)) == CHAIN_PARTS
    assert len(killed(tmp_path)) == kills
    told = json.loads((tmp_path / "latest/verdict.json").read_text())
    assert told["figures"]["of them requested"] == 3000


@pytest.mark.parametrize("store", ["sqlite", "jetstream"])
async def test_replicas_are_killed_in_every_order_and_nothing_is_lost(
    tmp_path: Path, store: str
) -> None:
    """Their leader also stops in order, and stands still and lives on."""
    parts = REPLICA_PARTS | ({"journals"} if store == "jetstream" else set())
    kills = len(parts) + LEADERS + ORDERED
    told = ("--replicas", "3", "--store", store, "--kills", str(kills))
    status, out = await fes_persistent(
        "pair.yaml", tmp_path, "--events", "2000", "--rate", "60", *told
    )
    assert status == 0, out
    assert set(killed(tmp_path)) >= parts
    figures = json.loads((tmp_path / "latest/verdict.json").read_text())["figures"]
    assert figures["leaders that stood still"] == figures["leaders that stopped"] == 1


async def test_a_ctrl_c_stops_every_process_and_leaves_the_logs(tmp_path: Path) -> None:
    process = await asyncio.create_subprocess_exec(
        *(*FES_PERSISTENT, "run", "--federation", str(SCENARIO / "pair.yaml")),
        *("--runs", str(tmp_path), "--events", "100000"),
        stdin=DEVNULL,
        stdout=DEVNULL,
    )
    received = tmp_path / "latest/received.jsonl"
    await eventually(lambda: received.exists() and received.stat().st_size, 60.0, "a reading")
    endpoints = json.loads((tmp_path / "latest/endpoints.json").read_text())
    process.send_signal(signal.SIGINT)

    assert await process.wait() == 130
    assert [name for name, pid in endpoints["processes"].items() if is_alive(pid)] == []
    assert not (tmp_path / "latest/verdict.json").exists()


def is_alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True
