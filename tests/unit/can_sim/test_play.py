import asyncio
import json
from pathlib import Path
from typing import Any

import pytest
from can_sim.bus import Bus, GuardedBus, MemoryBus
from can_sim.errors import BusError
from can_sim.groundtruth import GroundTruth
from can_sim.play import LATE_LIMIT_US, Played, Player
from can_sim.runfolder import Planned
from can_sim.schedule import Due
from eventservices.stamp import Stamp


class BrokenBus:
    """Refuses the second frame of every three."""

    def __init__(self) -> None:
        self.behind = MemoryBus()
        self.asked = 0

    async def put(self, vehicle: str, data: bytes, time_us: int) -> Stamp:
        self.asked += 1
        if self.asked % 3 == 2:
            raise BusError("not_connected")
        return await self.behind.put(vehicle, data, time_us)


class DeafBus:
    """Never answers."""

    def __init__(self) -> None:
        self.asked = 0

    async def put(self, vehicle: str, data: bytes, time_us: int) -> Stamp:
        self.asked += 1
        await asyncio.Event().wait()
        raise AssertionError


def due(number: int, wall_us: int | None = None, kmh: float = 50.0) -> Due:
    return Due(Planned(number, "car", "TEST001", 1.0, 2.0, kmh), wall_us)


async def played(
    folder: Path, bus: Bus, *dues: Due, stopping: asyncio.Event | None = None
) -> tuple[Played, list[dict[str, Any]]]:
    path = folder / "truth.jsonl"
    with GroundTruth(path, 0) as truth:
        result = await Player(bus, truth, stopping or asyncio.Event()).play(dues)
    return result, [json.loads(line) for line in path.read_text("utf-8").splitlines()]


async def test_every_frame_is_put_and_told(tmp_path: Path) -> None:
    bus = MemoryBus()
    result, lines = await played(tmp_path, bus, due(1), due(2, kmh=300))
    assert bus.frames == [("car", b"TEST001\x32", 1), ("car", b"TEST001\xff", 2)]
    assert (result.frames, result.sent, result.saturated) == (2, 2, 1)
    assert [line["id"] for line in lines] == ["car/1/1", "car/1/2"]
    assert [line["rate"] for line in lines] == [50, 255]


async def test_a_frame_that_cannot_be_sent_is_told_and_the_next_one_tried(tmp_path: Path) -> None:
    result, lines = await played(tmp_path, BrokenBus(), due(1), due(2), due(3))
    assert (result.frames, result.sent) == (3, 2)
    assert result.skipped == {"not_connected": 1}
    assert [line.get("sent", True) for line in lines] == [True, False, True]


async def test_a_frame_of_long_ago_is_not_sent(tmp_path: Path) -> None:
    bus = MemoryBus()
    result, lines = await played(tmp_path, bus, due(1, wall_us=LATE_LIMIT_US))
    assert bus.frames == []
    assert result.skipped == {"late": 1}
    assert lines[0]["reason"] == "late"


async def test_a_benchmarks_frame_is_never_late(tmp_path: Path) -> None:
    late = Due(due(1).row, 5, live=False)
    assert (await played(tmp_path, MemoryBus(), late))[0].sent == 1


async def test_a_stop_ends_the_play(tmp_path: Path) -> None:
    stopping = asyncio.Event()
    stopping.set()
    assert (await played(tmp_path, MemoryBus(), due(1), stopping=stopping))[0].frames == 0


async def test_a_deaf_bus_is_left_alone_for_a_while() -> None:
    now_s, deaf = [100.0], DeafBus()
    bus = GuardedBus(deaf, timeout_s=0.01, stalled_s=2.0, now_s=lambda: now_s[0])
    for _ in range(5):
        with pytest.raises(BusError, match="stalled"):
            await bus.put("car", b"", 0)
    assert deaf.asked == 1
    now_s[0] += 2.5
    with pytest.raises(BusError, match="stalled"):
        await bus.put("car", b"", 0)
    assert deaf.asked == 2
