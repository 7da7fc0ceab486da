"""A hostile client at the city's event service, beside the scenario.

It publishes what is no event, what is no control event, and control events with which nothing is
wrong. `FES_HOSTILE_S` has it last longer than a test, `FES_HOSTILE_RATE` has it publish more: `inf`
is as fast as the broker accepts it.
"""

import asyncio
import json
import os
import sys
from asyncio.subprocess import DEVNULL, PIPE
from pathlib import Path

import pytest
import yaml
from fes.testing.eventually import eventually
from support.processes.demonstration import demonstrated

pytestmark = [pytest.mark.broker, pytest.mark.spark, pytest.mark.timeout(600)]

SECONDS = float(os.environ.get("FES_HOSTILE_S", "6"))
RATE = os.environ.get("FES_HOSTILE_RATE", "1500")
SPEEDUP = 3
AFTER_S = 14.0
"""How much longer the scenario lasts: gateways process what waits, and compare their tables."""


async def attacked(runs: Path) -> dict[str, int]:
    """Attack once frames are on the buses; return how many messages of each kind were sent."""
    folder = runs / "latest"
    truth, file = folder / "ground_truth.jsonl", folder / "federation.yaml"
    await eventually(lambda: truth.exists() and truth.stat().st_size > 0, 120, "a frame on a bus")
    url: str = yaml.safe_load(file.read_text())["brokers"]["siena-1"]["url"]
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "support.siena.hostile"),
        *(url, "siena-m", "steam-m-M01", "traffic", str(SECONDS), RATE),
        cwd=Path(__file__).parents[2],
        stdin=DEVNULL,
        stdout=PIPE,
    )
    out, _ = await process.communicate()
    sent: dict[str, int] = json.loads(out)
    return sent


async def test_a_hostile_client_of_the_city_costs_no_report(tmp_path: Path) -> None:
    duration = round((SECONDS + AFTER_S) * SPEEDUP)
    attack = asyncio.create_task(attacked(tmp_path))

    verdict, _ = await demonstrated(
        *("traffic_scenario", tmp_path, "--vehicles", "12"),
        *("--duration", str(duration), "--speedup", str(SPEEDUP)),
    )

    sent = await attack
    assert min(sent.values()) > 100
    assert verdict["verdict"] == "pass"
    assert verdict["reports"]["received"] > 0
