"""The city as a process: real SIENA, real gateways, the air in memory."""

import asyncio
import json
import signal
import sys
from pathlib import Path

import pytest
from fes.testing.eventually import eventually
from integration.adapter_siena.bench import Cluster
from integration.traffic_control.town import Town, city

pytestmark = pytest.mark.broker


@pytest.fixture
def town(tmp_path: Path, cluster: Cluster) -> Town:
    return Town.plan(tmp_path, cluster)


async def test_limits_come_into_force_and_offenders_are_logged(town: Town) -> None:
    async with town.gateways(), city(town) as running:
        await eventually(running.is_ready, 20.0, "the city ready")
        assert (town.limits("M01"), town.limits("M02")) == ({"70"}, {"50"})

        for number, (monitor, rate) in enumerate(
            [("M01", 60.0), ("M01", 83.0), ("M02", 60.0), ("M02", 50.0)], 1
        ):
            town.drive(monitor, rate, number)
        await eventually(lambda: len(town.lines("offenders.jsonl")) == 2)

        found = [
            (line["monitor"], line["rate"], line["id"], line["time_us"], line["path"])
            for line in town.lines("offenders.jsonl")
        ]
        assert sorted(found) == [
            ("M01", 83.0, "FES0001/1/2", 2_000_000, ["cns-v-1", "s-v", "steam-m-M01"]),
            ("M02", 60.0, "FES0001/1/3", 3_000_000, ["cns-v-1", "s-v", "steam-m-M02"]),
        ]
        seen = (await running.get("/v1/offenders")).json()
        assert {one["vehicle"] for one in seen["offenders"]} == {"FES0001"}
        assert await running.stop() == 0


async def test_commands_are_logged_with_when_they_were_applied(town: Town) -> None:
    async with town.gateways(), city(town) as running:
        await eventually(running.is_ready, 20.0, "the city ready")
        requests = await running.set("M01", 62.5)
        await eventually(lambda: town.limits("M01") == {"62.5"})
        await eventually(lambda: len(town.lines("commands.jsonl")) == 4)
        assert await running.stop() == 0

    lines = town.lines("commands.jsonl")
    changed = [line for line in lines if line["monitor"] == "M01"]
    assert [(line["action"], line["limit"]) for line in changed] == [
        ("subscribe", 70.0),
        ("subscribe", 62.5),
        ("unsubscribe", 70.0),
        ("unsubscribe", 62.5),
    ]
    assert changed[1]["request"] in requests
    assert changed[1]["filter"] == "subject = 'Speed' AND rate > 62.5"
    assert changed[1]["destination"] == "steam-m-M01"
    assert all(line["sent_us"] <= line["applied_us"] for line in lines)
    assert changed[1]["applied_us"] <= changed[2]["sent_us"]


async def test_a_graceful_stop_leaves_nothing_behind(town: Town) -> None:
    async with town.gateways(), city(town) as running:
        await eventually(running.is_ready, 20.0, "the city ready")
        assert await running.stop(signal.SIGINT) == 0
        await eventually(lambda: not town.limits("M01") | town.limits("M02"))
    log = [json.loads(line) for line in (town.folder / "city.log").read_text().splitlines()]
    assert [line["event"] for line in log][-1] == "stopped"


async def test_a_city_that_was_killed_goes_on_where_it_was(town: Town) -> None:
    async with town.gateways():
        async with city(town) as running:
            await eventually(running.is_ready, 20.0, "the city ready")
            await running.set("M01", 90.0)
            await eventually(lambda: town.limits("M01") == {"90"})
            await eventually(lambda: len(town.lines("commands.jsonl")) == 4)
            await running.stop(signal.SIGKILL)
        assert town.limits("M01") == {"90"}
        async with city(town) as again:
            await eventually(again.is_ready, 20.0, "the city ready again")
            assert (town.limits("M01"), town.limits("M02")) == ({"90"}, {"50"})
            assert await again.stop() == 0
    assert [line["action"] for line in town.lines("commands.jsonl")][4:6] == ["renew", "renew"]


async def test_limits_die_with_a_city_that_is_gone(town: Town) -> None:
    async with town.gateways():
        async with city(town, "--renew-s", "0.5", "--lease-s", "2") as running:
            await eventually(running.is_ready, 20.0, "the city ready")
            await asyncio.sleep(2.5)
            assert town.limits("M01") == {"70"}, "renewals keep it in force"
            await running.stop(signal.SIGKILL)
        await eventually(lambda: not town.limits("M01") | town.limits("M02"), 15.0)


async def test_the_city_is_not_ready_while_a_gateway_is_away_and_waits_for_it(town: Town) -> None:
    async with city(town) as running:
        faults = (await running.get("/readyz")).json()["faults"]
        assert faults["M01"] == "limit 70 km/h is not applied yet"
        assert (await running.get("/healthz")).status_code == 200
        async with town.gateways():
            await eventually(running.is_ready, 30.0, "the city ready at last")
            assert town.limits("M01") == {"70"}
            assert await running.stop() == 0


async def test_the_command_line_speaks_to_the_running_city(town: Town) -> None:
    async def say(*arguments: str) -> str:
        command = (sys.executable, "-m", "traffic_control", *arguments, "--run", str(town.folder))
        process = await asyncio.create_subprocess_exec(*command, stdout=asyncio.subprocess.PIPE)
        out, _ = await process.communicate()
        assert process.returncode == 0
        return out.decode()

    async with town.gateways(), city(town) as running:
        await eventually(running.is_ready, 20.0, "the city ready")
        assert await say("limits") == "M01  70 km/h  applied\nM02  50 km/h  applied\n"
        assert (await say("set", "M02", "80")).startswith("M02  80 km/h  pending, request ")
        await eventually(lambda: town.limits("M02") == {"80"})
        assert await running.stop() == 0


async def test_a_port_that_is_taken_ends_with_status_1(town: Town) -> None:
    async with city(town) as running:
        port = running.url.rpartition(":")[2]
        process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-m", "traffic_control", "serve", "--run", str(town.folder)),
            *("--port", port),
            stderr=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.DEVNULL,
        )
        _, err = await process.communicate()
        assert process.returncode == 1
        assert b"in use" in err
