import asyncio

import pytest
from eventservices.errors import MalformedError
from eventservices.stamp import Stamp
from eventservices.steam import Inbox, Notification, Position, around


def notification(number: int) -> Notification:
    stamp = Stamp("v", 1, number, 0, "v")
    return Notification(stamp, "v", Position(50.0, 11.0), 300.0, around(300.0), "Speed", {})


async def test_what_came_is_read_in_order_and_then_the_end() -> None:
    inbox = Inbox()
    for number in (1, 2, 3):
        inbox.put(notification(number))
    inbox.end()
    assert [one.stamp.sequence async for one in inbox] == [1, 2, 3]
    with pytest.raises(StopAsyncIteration):
        await anext(inbox)


async def test_a_reader_that_waits_is_woken() -> None:
    inbox = Inbox()
    reading = asyncio.create_task(inbox.__anext__())
    await asyncio.sleep(0)
    assert not reading.done()
    inbox.put(notification(7))
    assert (await reading).stamp.sequence == 7


async def test_every_reader_that_waits_learns_of_the_end() -> None:
    inbox = Inbox()

    async def read() -> list[int]:
        return [one.stamp.sequence async for one in inbox]

    readers = [asyncio.create_task(read()) for _ in range(3)]
    await asyncio.sleep(0)
    inbox.put(notification(1))
    inbox.end()
    assert sorted(map(len, await asyncio.gather(*readers))) == [0, 0, 1]


async def test_where_nobody_reads_the_oldest_goes_first_and_is_counted() -> None:
    inbox = Inbox(2)
    for number in (1, 2, 3, 4):
        inbox.put(notification(number))
    inbox.end()
    assert (len(inbox), inbox.dropped) == (2, 2)
    assert [one.stamp.sequence async for one in inbox] == [3, 4]


def test_an_inbox_without_room_is_refused() -> None:
    with pytest.raises(MalformedError, match="at least 1"):
        Inbox(0)
