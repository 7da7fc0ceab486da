"""A call that blocks the event loop is found, and named."""

import asyncio
import time

from support.house.blocking import CPU_S, WALL_S, Found, watching


async def sleeps_with_the_loop() -> None:
    await asyncio.sleep(0)
    time.sleep(WALL_S + 0.1)  # noqa: ASYNC251 - the fault that is planted


async def computes_long() -> None:
    await asyncio.sleep(0)
    end = time.thread_time() + CPU_S + 0.02
    while time.thread_time() < end:
        pass


async def waits_as_it_should() -> None:
    await asyncio.sleep(WALL_S + 0.1)


def names(found: Found) -> set[str]:
    return {turn.what for turn in found.turns}


async def test_a_step_that_sleeps_and_one_that_computes_are_found_by_name() -> None:
    found = Found()
    with watching(found):
        await asyncio.create_task(sleeps_with_the_loop())
        await asyncio.create_task(computes_long())
    assert {"sleeps_with_the_loop", "computes_long"} <= names(found)


async def test_a_task_that_waits_is_not_reported() -> None:
    found = Found()
    with watching(found):
        await asyncio.create_task(waits_as_it_should())
    assert "waits_as_it_should" not in names(found)
