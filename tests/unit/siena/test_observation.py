"""A stream of declarations loses nothing, and holds no more than is declared."""

import asyncio
from collections.abc import Callable

from eventservices.siena import Kind, Observation, Seen, where
from eventservices.siena.seen import Observer, withdrawal


def seen(number: int, version: int = 1, role: str = "") -> Seen:
    return Seen(Kind.SUBSCRIPTION, False, "p", role, where(("a", "=", number)), version, "c")


class World:
    """A service in which declarations come and go."""

    def __init__(self, *present: Seen) -> None:
        self.present = list(present)
        self.tell: Observer = lambda _: None
        self.detached = 0
        self.observation = Observation(self._attach)

    def _attach(self, observer: Observer) -> Callable[[], None]:
        self.tell = observer
        for each in self.present:
            observer(each)
        return self._detach

    def _detach(self) -> None:
        self.detached += 1

    async def read(self, most: int = 100) -> list[tuple[str, int]]:
        """Return what can be read now: sign and version."""
        found: list[tuple[str, int]] = []
        while len(self.observation) and len(found) < most:
            try:
                async with asyncio.timeout(0.01):
                    each = await anext(self.observation)
            except TimeoutError:
                break
            found.append(("+-"[each.withdrawn], each.version))
        return found


async def test_what_is_declared_now_comes_first_and_then_each_change() -> None:
    world = World(seen(1, 1), seen(2, 2))
    async with world.observation as observation:
        assert await world.read() == [("+", 1), ("+", 2)]
        waiting = asyncio.create_task(anext(observation))
        await asyncio.sleep(0)
        world.tell(seen(3, 3))
        assert (await waiting).version == 3
        world.tell(withdrawal(seen(1, 1)))
        assert await world.read() == [("-", 1)]
    assert world.detached == 1


async def test_what_came_and_went_unread_is_left_out() -> None:
    world = World()
    async with world.observation as observation:
        for number in range(1000):
            world.tell(seen(number))
            world.tell(withdrawal(seen(number)))
        assert len(observation) == 0
        assert await world.read() == []


async def test_what_was_declared_anew_unread_is_withdrawn_and_told_as_it_is_now() -> None:
    world = World(seen(1, 1))
    async with world.observation:
        assert await world.read() == [("+", 1)]
        for version in range(2, 9):
            world.tell(withdrawal(seen(1, version - 1)))
            world.tell(seen(1, version))
        assert await world.read() == [("-", 1), ("+", 8)]


async def test_what_was_told_and_came_back_the_same_unread_is_left_out() -> None:
    world = World(seen(1, 1))
    async with world.observation:
        assert await world.read() == [("+", 1)]
        world.tell(withdrawal(seen(1, 1)))
        world.tell(seen(1, 1))
        assert await world.read() == []


async def test_a_withdrawal_between_two_readings_of_a_replacement_is_told_once() -> None:
    world = World(seen(1, 1))
    async with world.observation:
        await world.read()
        world.tell(withdrawal(seen(1, 1)))
        world.tell(seen(1, 2))
        assert await world.read(1) == [("-", 1)]
        world.tell(withdrawal(seen(1, 2)))
        assert await world.read() == []
        world.tell(seen(1, 3))
        assert await world.read() == [("+", 3)]


async def test_a_reader_that_waits_ends_when_it_is_closed_and_nothing_comes_after() -> None:
    world = World()
    await world.observation.open()
    waiting = asyncio.create_task(anext(world.observation, None))
    await asyncio.sleep(0)
    await world.observation.close()
    await world.observation.close()
    assert await waiting is None
    assert [each async for each in world.observation] == []
    assert world.detached == 1
