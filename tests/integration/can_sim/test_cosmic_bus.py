"""can-sim on CAN buses: the frames of 2003, and the stamps that follow them."""

import asyncio
import json
from collections.abc import Callable
from pathlib import Path

from eventservices.cosmic import Bus, BusSettings, ChannelAttributes, Delivery, Frame, NodeSettings
from fes.testing.eventually import eventually
from support.processes.canbus import multicast

Trace = Callable[[list[tuple[int, str, float]]], Path]

HELD = ChannelAttributes(hold_us=5_000_000)


async def test_each_vehicle_speaks_on_its_own_bus_under_its_own_stamps(
    can_sim: str, run_folder: Trace
) -> None:
    folder = run_folder([(0, "FES0001", 55.4), (0, "FES0002", 300.0), (100, "FES0001", 56.0)])
    buses = {name: multicast().interface for name in ("FES0001", "FES0002")}
    rows = [f"{name},{bus.kind},{bus.channel},{bus.port}" for name, bus in buses.items()]
    folder.joinpath("buses.csv").write_text("\n".join(["vehicle,interface,channel,port", *rows]))
    got: list[Delivery] = []
    frames: list[Frame] = []
    async with (
        Bus(BusSettings(buses["FES0001"])) as one,
        Bus(BusSettings(buses["FES0002"])) as two,
    ):
        for bus in (one, two):
            bus.monitors.append(frames.append)
            bus.node(NodeSettings("gateway", 1)).listen(12345, HELD, got.append)
        process = await asyncio.create_subprocess_exec(
            *(can_sim, "run", "--run", str(folder), "--bus", "cosmic"),
            *("--home-template", "cosmic-v-{vehicle}"),
            stdout=asyncio.subprocess.PIPE,
        )
        out, _ = await process.communicate()
        await eventually(lambda: len(got) == 3)
    assert process.returncode == 0
    assert json.loads(out)["saturated"] == 1
    truth = [json.loads(line) for line in (folder / "ground_truth.jsonl").read_text().splitlines()]
    heard = {
        "/".join(map(str, each.stamp.identity)): (each.stamp.time_us, each.stamp.home, each.content)
        for each in got
        if each.stamp
    }
    assert heard == {
        line["id"]: (
            line["time_us"],
            f"cosmic-v-{line['vehicle']}",
            line["licence"].encode() + bytes((line["rate"],)),
        )
        for line in truth
    }
    assert sorted(f.data for f in frames if f.can_id == 12345 and f.extended) == [
        b"FES0001\x37",
        b"FES0001\x38",
        b"FES0002\xff",
    ]


async def test_a_run_without_its_buses_ends_with_status_2(can_sim: str, run_folder: Trace) -> None:
    folder = run_folder([(0, "FES0001", 55.4)])
    process = await asyncio.create_subprocess_exec(
        *(can_sim, "run", "--run", str(folder), "--bus", "cosmic"), stderr=asyncio.subprocess.PIPE
    )
    _, err = await process.communicate()
    assert process.returncode == 2
    assert b"buses.csv" in err
