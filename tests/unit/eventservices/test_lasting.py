import asyncio

import pytest
from eventservices import lasting as lasting_module
from eventservices.lasting import lasting


@pytest.fixture(autouse=True)
def at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lasting_module, "RESTART_S", 0.0)


async def test_a_task_that_fails_is_told_and_begins_anew(
    caplog: pytest.LogCaptureFixture,
) -> None:
    begun = 0

    async def act() -> None:
        nonlocal begun
        begun += 1
        if begun < 3:
            raise ValueError("a bug")

    await asyncio.create_task(lasting(act), name="watching")

    assert begun == 3
    assert [record.getMessage() for record in caplog.records] == ["task_failed"] * 2
    assert {record.__dict__["task"] for record in caplog.records} == {"watching"}


async def test_a_task_that_is_cancelled_ends() -> None:
    waiting = asyncio.Event()

    async def act() -> None:
        waiting.set()
        await asyncio.Event().wait()

    task = asyncio.create_task(lasting(act))
    await waiting.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
