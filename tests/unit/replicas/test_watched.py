"""A task that a gateway cannot do without is told where it ends."""

import asyncio

import pytest
from fes.testing.eventually import eventually
from fes_gateway.watched import watched


async def test_a_task_that_fails_is_told_with_its_error(caplog: pytest.LogCaptureFixture) -> None:
    async def fail() -> None:
        raise ValueError("a bug")

    told: list[str] = []
    watched(fail(), "commit", told.append)
    await eventually(lambda: told == ["commit ended: ValueError('a bug')"])
    assert "task_ended" in caplog.text


async def test_a_task_that_just_ends_is_told_and_one_that_is_cancelled_is_not() -> None:
    async def end() -> None: ...

    told: list[str] = []
    watched(end(), "tick", told.append)
    await eventually(lambda: told == ["tick ended"])

    task = watched(asyncio.sleep(3600), "commit", told.append)
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)
    assert told == ["tick ended"]
