"""What filters need of a broker is made active together, one change after another."""

import asyncio

import pytest
from eventservices.errors import NotConnectedError
from fes.adapter.plain.wanted import Wanted
from fes.testing.eventually import eventually


class Topics(Wanted[str]):
    """Notes what is needed; the broker may be away, or slow."""

    def __init__(self) -> None:
        super().__init__()
        self.settled: list[tuple[str, ...]] = []
        self.is_away = False
        self.answers = asyncio.Event()
        self.answers.set()
        self.settling = 0

    async def _settle(self, needed: tuple[str, ...]) -> None:
        self.settling += 1
        await self.answers.wait()
        if self.is_away:
            raise NotConnectedError("away")
        self.settled.append(needed)


async def test_what_several_subscriptions_need_is_needed_once_until_the_last_ends() -> None:
    topics = Topics()
    await topics.want(1, ("a", "b"))
    await topics.want(2, ("b", "c"))
    await topics.forget(1)
    await topics.want(2, ("d",))
    await topics.forget(2)
    assert topics.settled == [("a", "b"), ("a", "b", "c"), ("b", "c"), ("d",), ()]


async def test_what_is_not_there_is_forgotten_without_a_change() -> None:
    topics = Topics()
    await topics.forget(1)
    assert topics.settled == []


async def test_what_fails_changes_nothing_and_another_call_carries_it_out() -> None:
    topics = Topics()
    await topics.want(1, ("a",))
    topics.is_away = True
    with pytest.raises(NotConnectedError):
        await topics.want(2, ("b",))
    with pytest.raises(NotConnectedError):
        await topics.want(1, ("c",))
    with pytest.raises(NotConnectedError):
        await topics.forget(1)
    topics.is_away = False
    await topics.want(3, ("d",))
    await topics.forget(1)
    assert topics.settled == [("a",), ("a", "d"), ("d",)]


async def test_changes_are_made_one_after_another() -> None:
    topics = Topics()
    topics.answers.clear()
    async with asyncio.TaskGroup() as tasks:
        tasks.create_task(topics.want(1, ("a",)))
        tasks.create_task(topics.want(2, ("b",)))
        await eventually(lambda: topics.settling == 1)
        await asyncio.sleep(0)
        assert topics.settling == 1
        topics.answers.set()
    assert topics.settled == [("a",), ("a", "b")]
