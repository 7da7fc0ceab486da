"""The end of tasks."""

import asyncio
import logging
from contextlib import suppress

import pytest
from eventservices.ending import CANCELLATIONS, beside, cancellable, ended


async def test_a_task_whose_cancellation_a_request_swallows_ends_all_the_same() -> None:
    """As `asyncio.wait_for` of Python 3.11 does, where the answer comes in the same turn."""
    swallowed = False

    async def request() -> None:
        nonlocal swallowed
        with suppress(asyncio.CancelledError):
            await asyncio.Event().wait()
        swallowed = True
        await asyncio.Event().wait()

    task = asyncio.create_task(request())
    await asyncio.sleep(0)
    await ended(task, again_s=0.01)
    assert swallowed
    assert task.cancelled()


async def test_tasks_that_failed_or_ended_before_do_not_matter() -> None:
    async def fail() -> None:
        raise ValueError("x")

    async def succeed() -> None: ...

    tasks = [asyncio.create_task(act()) for act in (fail, succeed)]
    await asyncio.wait(tasks)
    await ended(*tasks, None)
    await ended()


async def test_a_task_that_never_ends_is_named_and_left(caplog: pytest.LogCaptureFixture) -> None:
    cancelled = 0
    over = asyncio.Event()

    async def go_on() -> None:
        nonlocal cancelled
        while not over.is_set():
            try:
                await over.wait()
            except asyncio.CancelledError:
                cancelled += 1

    task = asyncio.create_task(go_on(), name="stubborn")
    await asyncio.sleep(0)
    with caplog.at_level(logging.WARNING):
        await ended(task, again_s=0.001)
    assert cancelled == CANCELLATIONS
    assert [record.task for record in caplog.records] == ["stubborn"]  # type: ignore[attr-defined] # an extra field of the record
    over.set()
    await task


async def test_work_beside_a_block_ends_with_it_and_what_it_raises_is_for_who_reads_it() -> None:
    async def fail() -> None:
        raise ValueError("x")

    async with (
        beside(asyncio.Event().wait(), "waits") as waiting,
        beside(fail(), "fails") as failed,
    ):
        await asyncio.wait({failed})
        assert not waiting.done()
        assert waiting.get_name() == "waits"
    assert waiting.cancelled()
    assert isinstance(failed.exception(), ValueError)


async def test_a_cancellation_that_a_library_swallows_is_raised_behind_it() -> None:
    async def swallowing() -> str:
        with suppress(asyncio.CancelledError):
            await asyncio.sleep(60)
        return "done"

    task = asyncio.create_task(cancellable(swallowing()))
    await asyncio.sleep(0)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task

    async def cleaning_up() -> str:
        with suppress(asyncio.CancelledError):
            await asyncio.sleep(60)
        return await cancellable(asyncio.sleep(0, "cleaned up"))

    task = asyncio.create_task(cleaning_up())
    await asyncio.sleep(0)
    task.cancel()
    assert await task == "cleaned up"
    with pytest.raises(TimeoutError):
        async with asyncio.timeout(0.01):
            await cancellable(swallowing())
