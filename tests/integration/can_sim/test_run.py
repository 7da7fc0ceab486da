import asyncio
import json
import signal
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from eventservices.cns import ClientType, Connection, Value
from eventservices.servers import NatsServer
from eventservices.stamp import Stamp

pytestmark = pytest.mark.broker

Trace = Callable[[list[tuple[int, str, float]]], Path]


class Listener:
    """Keeps the frames that it is given."""

    def __init__(self) -> None:
        self.got: list[tuple[Value, Stamp | None]] = []

    def push(self, value: Value, stamp: Stamp | None) -> None:
        self.got.append((value, stamp))


@asynccontextmanager
async def listening(url: str, *channels: str) -> AsyncIterator[Listener]:
    listener = Listener()
    async with Connection(url, name="listener") as connection:
        for name in channels:
            channel = await connection.open_channel(name)
            proxy = channel.default_consumer_admin.obtain_notification_push_supplier(
                ClientType.ANY_EVENT
            )
            await proxy.connect_any_push_consumer(listener)
        yield listener


async def start(can_sim: str, folder: Path, url: str, *more: str) -> asyncio.subprocess.Process:
    pipe = asyncio.subprocess.PIPE
    arguments = ["run", "--run", str(folder), "--url", url, *more]
    return await asyncio.create_subprocess_exec(can_sim, *arguments, stdout=pipe, stderr=pipe)


async def finished(process: asyncio.subprocess.Process) -> dict[str, Any]:
    async with asyncio.timeout(30):
        out, err = await process.communicate()
    assert process.returncode == 0, err
    summary: dict[str, Any] = json.loads(out)
    return summary


async def eventually(holds: Callable[[], bool], within_s: float = 20.0) -> None:
    async with asyncio.timeout(within_s):
        while not holds():  # noqa: ASYNC110 - other processes set no event
            await asyncio.sleep(0.02)


def truth(folder: Path) -> list[dict[str, Any]]:
    path = folder / "ground_truth.jsonl"
    text = path.read_text("utf-8") if path.exists() else ""
    return [json.loads(line) for line in text.splitlines() if line.endswith("}")]


async def test_every_frame_is_heard_on_its_vehicles_channel(
    broker: NatsServer, run_folder: Trace, can_sim: str
) -> None:
    folder = run_folder([(0, "TEST001", 82.5), (200, "TEST002", 300), (400, "TEST001", 41.2)])
    async with listening(broker.url, "TEST001", "TEST002") as listener:
        summary = await finished(await start(can_sim, folder, broker.url))
        await eventually(lambda: len(listener.got) == 3)
    assert (summary["frames"], summary["sent"], summary["saturated"]) == (3, 3, 1)
    heard = [(value, stamp) for value, stamp in listener.got if stamp is not None]
    assert heard[0][0] == {"can_id": 12345, "extended": True, "data": b"TEST001" + bytes((83,))}
    assert [stamp.time_us for _, stamp in heard] == [0, 200_000, 400_000]
    assert heard[1][1].home == "cns-v-TEST002"
    assert [line["id"] for line in truth(folder)] == [
        "/".join(map(str, stamp.identity)) for _, stamp in heard
    ]


async def test_frames_come_at_their_moments_of_the_given_clock(
    broker: NatsServer, run_folder: Trace, can_sim: str
) -> None:
    folder = run_folder([(10_000 + n * 1000, "TEST001", 50) for n in range(5)])
    start_us = time.time_ns() // 1000 + 2_000_000
    clock = ["--clock-start-us", "0", "--clock-start-wall-us", str(start_us), "--speedup", "20"]
    await finished(await start(can_sim, folder, broker.url, *clock))
    for line in truth(folder):
        assert line["wall_us"] >= start_us + line["time_us"] / 20 - 2_000


async def test_a_signal_ends_the_run_with_a_summary(
    broker: NatsServer, run_folder: Trace, can_sim: str
) -> None:
    folder = run_folder([(n * 100, "TEST001", 50) for n in range(10_000)])
    process = await start(can_sim, folder, broker.url)
    await eventually(lambda: len(truth(folder)) > 2)
    process.send_signal(signal.SIGTERM)
    summary = await finished(process)
    assert summary["stopped"]
    assert summary["frames"] == len(truth(folder))


async def test_frames_of_an_outage_are_told_as_not_sent_and_later_ones_sent(
    broker: NatsServer, run_folder: Trace, can_sim: str
) -> None:
    folder = run_folder([(n * 50, "TEST001", 50) for n in range(10_000)])
    process = await start(can_sim, folder, broker.url)
    await eventually(lambda: len(truth(folder)) > 2)
    broker.kill()
    await eventually(lambda: any(line.get("sent") is False for line in truth(folder)))
    broker.start()
    await eventually(lambda: "sent" not in truth(folder)[-1])
    process.send_signal(signal.SIGINT)
    summary = await finished(process)
    assert summary["skipped"]["not_connected"] > 0
    assert summary["sent"] + sum(summary["skipped"].values()) == summary["frames"]


async def test_a_late_start_does_not_send_what_was_long_ago(
    broker: NatsServer, run_folder: Trace, can_sim: str
) -> None:
    folder = run_folder([(ms, "TEST001", 50) for ms in (0, 400_000, 860_000)])
    start_us = time.time_ns() // 1000 - 40_000_000
    options = ["--clock-start-wall-us", str(start_us), "--speedup", "20"]
    summary = await finished(await start(can_sim, folder, broker.url, *options))
    assert summary["skipped"] == {"late": 2}
    assert [line.get("sent", True) for line in truth(folder)] == [False, False, True]


async def test_a_broker_that_comes_late_does_not_hold_up_a_clock_that_runs(
    broker: NatsServer, run_folder: Trace, can_sim: str
) -> None:
    broker.stop()
    folder = run_folder([(n * 100, "TEST001", 50) for n in range(10_000)])
    options = ["--clock-start-wall-us", str(time.time_ns() // 1000)]
    process = await start(can_sim, folder, broker.url, *options)
    await eventually(lambda: len(truth(folder)) > 2)
    broker.start()
    await eventually(lambda: "sent" not in truth(folder)[-1])
    process.send_signal(signal.SIGTERM)
    assert (await finished(process))["sent"] > 0


async def test_a_broker_that_is_away_ends_a_run_of_its_own_with_status_1(
    broker: NatsServer, run_folder: Trace, can_sim: str
) -> None:
    broker.stop()
    options = ["--connect-timeout", "1"]
    process = await start(can_sim, run_folder([(0, "TEST001", 50)]), broker.url, *options)
    async with asyncio.timeout(30):
        _, err = await process.communicate()
    assert process.returncode == 1
    assert err.decode().splitlines()[-1].startswith("can-sim: not_connected: no answer")


async def test_a_benchmark_runs_at_its_rate_with_the_vehicles_taking_turns(
    broker: NatsServer, run_folder: Trace, can_sim: str
) -> None:
    folder = run_folder([(n, v, 50) for n in range(3) for v in ("TEST001", "TEST002")])
    async with listening(broker.url, "TEST001", "TEST002") as listener:
        options = ["--rate", "2000", "--frames", "1000"]
        summary = await finished(await start(can_sim, folder, broker.url, *options))
        await eventually(lambda: len(listener.got) == 1000)
    assert summary["sent"] == 1000
    assert [line["vehicle"] for line in truth(folder)[:4]] == ["TEST001", "TEST002"] * 2
    assert len({line["id"] for line in truth(folder)}) == 1000


async def test_a_signal_ends_the_wait_for_the_broker(
    broker: NatsServer, run_folder: Trace, can_sim: str
) -> None:
    broker.stop()
    folder = run_folder([(0, "TEST001", 50)])
    process = await start(can_sim, folder, broker.url, "--connect-timeout", "3600")
    assert process.stderr is not None
    await process.stderr.readline()  # it has tried, so it listens for signals
    process.send_signal(signal.SIGTERM)
    assert (await finished(process))["frames"] == 0
