"""Parts of a federation are killed while events flow: it mends itself, and tells what was lost.

The tests stand in the order of the run that they share; the last ones end it and have it judged.
The brokers are the federation's own.
"""

import asyncio
import json
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from analytics.__main__ import main as fes_analytics
from fes.testing.eventually import eventually
from support.processes.federation import Federation, is_alive, observing, plan, running

pytestmark = [pytest.mark.broker, pytest.mark.timeout(120)]

FLOWING = 5
"""So many events are enough to see that they flow."""

SETTLED_S = 11.5
"""Longer than the judge gives a command before a kill, and a gateway after it."""

LIMIT = {"M01": "subject = 'Speed' AND rate > 50", "M03": "subject = 'Speed' AND rate > 60"}
APART = "g-m-M03.steam-m-M03"
PACK = "gateways-siena-steam"
"""The process of all monitors' gateways that have none of their own; `APART` dials it."""


@pytest.fixture(scope="module")
def town(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Federation]:
    folder = plan(tmp_path_factory.mktemp("traffic") / "run")
    with running(folder, "g-m-M01", APART) as federation:
        yield federation


@pytest.fixture(scope="module")
async def verdict(town: Federation) -> dict[str, Any]:
    """End the run, once the last part that was killed has settled, and have it judged."""
    backs_us = [one["to_us"] for one in seen(town)]
    until_s = max(backs_us, default=0) / 1e6 + SETTLED_S
    await eventually(lambda: time.time() > until_s, 2 * SETTLED_S)
    assert town.stop() == 130
    status = await asyncio.to_thread(fes_analytics, ["verify", str(town.folder), "--no-html"])
    told: dict[str, Any] = json.loads((town.folder / "verdict.json").read_text())
    assert status == 0, json.dumps(told, indent=1)
    return told


@pytest.mark.parametrize("broker", ["siena-1", "air"])
async def test_a_broker_that_was_killed_comes_back_and_so_does_everybody(
    town: Federation, broker: str
) -> None:
    # What is killed while limits are being set cannot be compared with what was before.
    limits_set_us = max(one["sent_us"] for one in town.lines("commands.jsonl"))
    await eventually(lambda: time.time() > limits_set_us / 1e6 + SETTLED_S, 2 * SETTLED_S)
    gone = town.kill(broker)
    await eventually(lambda: not is_alive(gone))
    await eventually(lambda: told(town, broker), 20.0, "it is told as an outage")
    assert town.pid(broker) != gone
    await flow(town, "M01", "M03")


async def test_an_adapter_that_was_killed_comes_back_and_is_named_meanwhile(
    town: Federation,
) -> None:
    gone = town.kill(APART)
    await eventually(lambda: APART in town.faults("g-m-M03"), what="readiness names it")
    others = town.reports("M01")
    await eventually(lambda: told(town, APART), 20.0, "it is told as an outage")
    assert town.pid(APART) != gone
    assert town.faults("g-m-M03") == {}
    assert town.reports("M01") > others, "the others went on"
    await flow(town, "M03")


async def test_a_gateway_that_was_killed_has_its_subscriptions_again(
    town: Federation, tmp_path: Path
) -> None:
    limits_set_us = max(one["sent_us"] for one in town.lines("commands.jsonl"))
    await eventually(lambda: time.time() > limits_set_us / 1e6 + SETTLED_S, 2 * SETTLED_S)
    before = town.subscriptions("g-m-M01")
    assert before[LIMIT["M01"]] == {"steam-m-M01"}
    others = town.reports("M03")
    town.kill("g-m-M01")
    await eventually(lambda: town.reports("M03") >= others + FLOWING, what="others go on")
    await eventually(lambda: told(town, "g-m-M01"), 20.0, "it is told as an outage")
    await eventually(lambda: town.subscriptions("g-m-M01") == before, what="the same list")
    with observing("steam", town.broker("air"), tmp_path / "seen.jsonl") as air:
        await eventually(lambda: air.saw("join", "steam-m-M01"), what="natively too")
    await flow(town, "M01")


async def test_an_adapter_apart_finds_its_gateway_again(town: Federation) -> None:
    apart = town.pid(APART)
    town.kill(PACK)
    await eventually(lambda: told(town, "g-m-M03"), 20.0, "its gateway is told as an outage")
    assert town.pid(APART) == apart, "the adapter lived on"
    assert town.ear("M03")["linked"]
    assert town.subscriptions("g-m-M03")[LIMIT["M03"]] == {"steam-m-M03"}
    await flow(town, "M03")


def told(town: Federation, part: str) -> list[dict[str, Any]]:
    """Return the outages of a part that are over, as `fes run` saw them."""
    return [one for one in seen(town) if one["part"] == part and one["to_us"]]


def seen(town: Federation) -> list[dict[str, Any]]:
    """Return what `fes run` says that was away."""
    return [one for one in town.lines("outages.jsonl") if one["by"] == "supervisor"]


async def flow(town: Federation, *monitors: str) -> None:
    """Wait until the city heard of more offenders from each monitor."""
    before = {monitor: town.reports(monitor) for monitor in monitors}
    await eventually(
        lambda: all(town.reports(one) >= before[one] + FLOWING for one in monitors),
        15.0,
        f"reports from {monitors}",
    )


async def test_each_part_that_was_killed_is_told_once(
    town: Federation, verdict: dict[str, Any]
) -> None:
    outages = seen(town)
    parts = [one["part"] for one in outages]
    assert sorted(parts) == sorted({"siena-1", "air", APART, "g-m-M01", "g-m-M02", "g-m-M03"})
    assert {one["cause"] for one in outages} == {"signal 9"}
    assert all(one["from_us"] < one["to_us"] for one in outages)


@pytest.mark.spark
async def test_what_was_lost_is_an_outage_and_nothing_is_missing_or_double(
    town: Federation, verdict: dict[str, Any]
) -> None:
    reports = verdict["reports"]
    assert verdict["verdict"] == "pass"
    assert reports["outage"] > 0
    assert reports["missing"] == reports["duplicate"] == reports["unexpected"] == 0


@pytest.mark.spark
async def test_a_gateway_that_was_killed_decides_as_before(verdict: dict[str, Any]) -> None:
    promises = {one["name"]: one["status"] for one in verdict["promises"]}
    assert promises["killed and restarted decides as before"] == "held"


def test_logs_of_killed_processes_go_on_in_files_of_their_own(
    town: Federation, verdict: dict[str, Any]
) -> None:
    for process in ("g-m-M01", APART, PACK):
        assert len(list(Path(town.folder / "logs").glob(f"eventlog-{process}.[0-9].jsonl"))) == 2
