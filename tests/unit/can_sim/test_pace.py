import asyncio

import pytest
from can_sim.clock import TraceClock
from can_sim.pace import Pacer

S = 1_000_000


class Clock:
    """A wall clock whose sleeps are too long, as real ones are."""

    def __init__(self, too_long_us: int = 0) -> None:
        self.now_us = 50 * S
        self.sleeps = 0
        self._too_long_us = too_long_us

    async def sleep(self, seconds: float) -> None:
        self.sleeps += 1
        self.now_us += round(seconds * S) + self._too_long_us

    def pacer(self) -> Pacer:
        return Pacer(asyncio.Event(), lambda: None, now_us=lambda: self.now_us, sleep=self.sleep)


async def test_errors_of_sleeps_do_not_add_up_d07() -> None:
    clock = Clock(too_long_us=1_700)
    pacer, start_us = clock.pacer(), clock.now_us
    per_second = 2_000
    for frame in range(120 * per_second):
        await pacer.until(start_us + frame * S // per_second)
    assert clock.now_us - start_us == pytest.approx(120 * S, rel=0.01)
    assert clock.sleeps < 120 * per_second


async def test_short_waits_are_skipped_and_long_ones_kept_exactly() -> None:
    clock = Clock()
    assert await clock.pacer().until(clock.now_us + 900) == 0
    assert clock.sleeps == 0
    await clock.pacer().until(53 * S)
    assert clock.now_us == 53 * S


async def test_a_moment_that_has_passed_tells_how_late_it_is() -> None:
    clock = Clock()
    assert await clock.pacer().until(clock.now_us - 7 * S) == 7 * S
    assert clock.sleeps == 0


async def test_idle_work_is_done_at_least_once_a_second_of_waiting() -> None:
    clock, turns = Clock(), []
    pacer = Pacer(
        asyncio.Event(), lambda: turns.append(1), now_us=lambda: clock.now_us, sleep=clock.sleep
    )
    await pacer.until(clock.now_us + 10 * S)
    assert len(turns) >= 10


async def test_a_stop_ends_a_wait_at_once() -> None:
    stopping = asyncio.Event()
    waiting = asyncio.create_task(Pacer(stopping, lambda: None).until(2**60))
    await asyncio.sleep(0)
    stopping.set()
    async with asyncio.timeout(5):
        assert await waiting == 0


def test_the_clock_maps_the_traces_time_to_the_wall() -> None:
    clock = TraceClock(start_us=1_000 * S, wall_start_us=5_000 * S, speed=20.0)
    assert clock.wall_us(1_000 * S) == 5_000 * S
    assert clock.wall_us(1_100 * S) == 5_005 * S
