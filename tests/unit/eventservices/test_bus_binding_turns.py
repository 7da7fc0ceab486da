"""A bus's workers and store let others have their turns, and strangers leave nothing."""

import asyncio

from eventservices.bus import EventBus
from eventservices.bus.binding.pool import AT_ONCE, PoolSettings, WorkerPool
from eventservices.bus.binding.store import MemoryStore
from eventservices.bus.binding.storing import AT_ONCE as STEPS_AT_ONCE
from eventservices.bus.binding.storing import Storing
from eventservices.bus.wire.messages import EBHello, encode
from fes.testing.eventually import eventually


async def test_a_worker_whose_work_waits_for_nothing_lets_others_have_their_turns() -> None:
    pool = WorkerPool("test", PoolSettings(least=1, most=1))
    done: list[int] = []

    async def work() -> None:
        done.append(1)

    async with pool:
        for number in range(10 * AT_ONCE):
            pool.put(f"{number % 7}", work)
        most, before = 0, 0
        while len(done) < 10 * AT_ONCE:
            await asyncio.sleep(0)
            most, before = max(most, len(done) - before), len(done)
    assert 0 < most <= AT_ONCE


async def test_steps_that_waited_for_one_write_are_performed_in_portions_and_in_order() -> None:
    done: list[int] = []
    storing: Storing[int] = Storing(MemoryStore(), done.extend)
    count = 10 * STEPS_AT_ONCE
    for number in range(count):
        storing.take({f"{number}": b""}, [number])
    running = asyncio.create_task(storing.run())
    most, before = 0, 0
    while len(done) < count:
        await asyncio.sleep(0)
        most, before = max(most, len(done) - before), len(done)
        if before == 2 * STEPS_AT_ONCE:
            storing.take({}, [count])
    await eventually(lambda: len(done) > count)
    running.cancel()
    assert 0 < most <= STEPS_AT_ONCE
    assert done[:count] == list(range(count))
    assert set(done[count:]) == {count}


def test_a_message_of_a_bus_whose_identifier_is_not_valid_is_refused() -> None:
    """It would be kept, by an identifier of thousands of characters."""
    bus = EventBus(["nats://127.0.0.1:1"], "town", "a")
    for sender in ("x" * 65, "x y", ""):
        bus._receive(f"evbus.town.all.{sender}", encode(EBHello(1, 1)), b"", "")
    assert bus._counters["malformed"] == 3
