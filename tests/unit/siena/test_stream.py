"""Reading a subscription's deliveries."""

import asyncio
from collections.abc import Callable

import pytest
from eventservices.siena import Filter, Keep, Options, Stream
from eventservices.siena.outlet import Outlet
from eventservices.siena.subscription import AnySubscription, Subscription, end


class World:
    """A stream of numbers; `put` is what the subscription was made with."""

    def __init__(self, options: Options | None = None) -> None:
        self.put: Callable[[int], None] = lambda _: None
        self.drops = 0
        self.cancelled: list[AnySubscription] = []
        self.subscription = Subscription("p", Filter(), print, "s", Outlet.__new__(Outlet))
        self.stream: Stream[int] = Stream(
            self._subscribe, self._cancel, options=options or Options(), drop=self._drop
        )

    async def _subscribe(self, put: Callable[[int], None]) -> AnySubscription:
        self.put = put
        return self.subscription

    async def _cancel(self, subscription: AnySubscription) -> None:
        self.cancelled.append(subscription)
        end(subscription)

    def _drop(self) -> None:
        self.drops += 1


async def test_what_is_delivered_is_read_in_its_order() -> None:
    world = World()
    async with world.stream as stream:
        world.put(1)
        world.put(2)
        assert [await anext(stream), await anext(stream)] == [1, 2]
        waiting = asyncio.create_task(anext(stream))
        await asyncio.sleep(0)
        world.put(3)
        assert await waiting == 3
    assert world.cancelled == [world.subscription]


@pytest.mark.parametrize(("keep", "left"), [(Keep.NEWEST, [2, 3]), (Keep.OLDEST, [1, 2])])
async def test_a_slow_reader_loses_some_and_they_are_counted(keep: Keep, left: list[int]) -> None:
    world = World(Options(stream=2, stream_keep=keep))
    async with world.stream as stream:
        for number in (1, 2, 3):
            world.put(number)
        assert len(stream) == 2
        assert [await anext(stream), await anext(stream)] == left
    assert (world.drops, stream.dropped) == (1, 1)


async def test_reading_ends_after_what_was_delivered_when_the_subscription_ends() -> None:
    world = World()
    async with world.stream as stream:
        world.put(1)
        end(world.subscription)
        assert [each async for each in stream] == [1]


async def test_a_reader_that_waits_is_told_that_there_is_no_more() -> None:
    world = World()
    await world.stream.open()
    waiting = asyncio.create_task(anext(world.stream, None))
    await asyncio.sleep(0)
    await world.stream.close()
    assert await waiting is None


async def test_closing_twice_and_before_opening_is_harmless() -> None:
    world = World()
    await world.stream.close()
    await world.stream.close()
    assert world.cancelled == []
    async with world.stream as stream:
        assert [each async for each in stream] == []
