"""Long work gives the loop back, and a loop that stood still takes nobody for silent."""

import asyncio
import time
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from eventservices import attention, slices
from eventservices.attention import attentively
from eventservices.slices import Slice, shared_slice


@contextmanager
def others() -> Iterator[list[None]]:
    """Give a list that has an element for each turn that another task has had."""
    turns: list[None] = []

    async def other() -> None:
        while True:
            turns.append(None)
            await asyncio.sleep(0)

    beside = asyncio.create_task(other())
    yield turns
    beside.cancel()


async def test_others_have_their_turn_while_much_is_done(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(slices, "SLICE_S", 0.0)
    own = Slice()
    with others() as turns:
        for _ in range(50):
            await own.turn()
            own.end()

    assert len(turns) >= 40


async def test_many_tasks_share_one_slice_and_all_get_on(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(slices, "SLICE_S", 0.0)
    done: list[int] = []

    async def work(number: int) -> None:
        for _ in range(5):
            await shared_slice().turn()
            done.append(number)
            shared_slice().end()

    await asyncio.gather(*(work(number) for number in range(20)))

    assert sorted(done) == sorted(list(range(20)) * 5)


async def test_who_always_has_more_to_do_holds_up_nobody(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two read loops with messages without end, and tasks that have little to do."""
    monkeypatch.setattr(slices, "SLICE_S", 0.0001)
    own, rounds, done = Slice(), [0, 0], [0, 0, 0]

    async def reading(number: int) -> None:
        while rounds[number] < 2000:
            await own.turn()
            rounds[number] += 1
            time.sleep(0.00005)  # noqa: ASYNC251 - a message's work
            own.end()

    async def performing(number: int) -> None:
        for _ in range(20):
            await own.turn()
            done[number] += 1
            own.end()
            await asyncio.sleep(0)

    readers = [asyncio.create_task(reading(number)) for number in range(2)]
    await asyncio.sleep(0)
    await asyncio.gather(*map(performing, range(3)))

    assert done == [20] * 3
    assert 0 < min(rounds) <= max(rounds) < 2000
    for reader in readers:
        reader.cancel()


async def test_who_was_cancelled_while_waiting_holds_up_nobody(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(slices, "SLICE_S", 0.0)
    own, done = Slice(), list[int]()

    async def work(number: int) -> None:
        await own.turn()
        done.append(number)
        own.end()

    await own.turn()
    own.end()
    tasks = [asyncio.create_task(work(number)) for number in range(6)]
    await asyncio.sleep(0)
    for number in (0, 2, 5):
        tasks[number].cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
    await own.turn()

    assert done == [1, 3, 4]


async def test_who_comes_later_does_not_go_before_those_that_wait(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    now_s, done = 100.0, list[str]()
    monkeypatch.setattr("eventservices.slices.time.perf_counter", lambda: now_s)
    own = Slice()

    async def work(name: str) -> None:
        await own.turn()
        done.append(name)
        own.end()

    await work("first")
    now_s += slices.SLICE_S * 2
    own.end()
    waiting = asyncio.create_task(work("waits"))
    await asyncio.sleep(0)
    now_s += slices.SLICE_S * 2
    await work("comes later")
    await waiting

    assert done == ["first", "waits", "comes later"]


async def test_each_turn_of_the_loop_has_one_slice(monkeypatch: pytest.MonkeyPatch) -> None:
    """A task whose turn has come has a slice of its own, and no other until that has ended."""
    now_s, done = 100.0, list[int]()
    monkeypatch.setattr("eventservices.slices.time.perf_counter", lambda: now_s)
    own = Slice()

    async def work(number: int) -> None:
        nonlocal now_s
        for _ in range(2):
            await own.turn()
            done.append(number)
            now_s += slices.SLICE_S * 0.4
            own.end()

    await work(0)
    now_s += slices.SLICE_S * 2
    own.end()
    await asyncio.gather(*map(work, (1, 2, 3)))

    assert done == [0, 0, 1, 1, 2, 2, 3, 3]


@pytest.mark.parametrize("rounds", range(6))
async def test_who_is_cancelled_as_its_turn_comes_hands_it_on(
    monkeypatch: pytest.MonkeyPatch, rounds: int
) -> None:
    monkeypatch.setattr(slices, "SLICE_S", 0.0)
    own = Slice()
    await own.turn()
    own.end()
    first, second = asyncio.create_task(own.turn()), asyncio.create_task(own.turn())
    for _ in range(rounds):
        await asyncio.sleep(0)
    first.cancel()

    await second


async def test_a_pause_in_which_nobody_had_a_turn_ends_no_slice(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """What a caller does between two pieces of work belongs to the turn of the loop."""
    now_s = 100.0
    monkeypatch.setattr("eventservices.slices.time.perf_counter", lambda: now_s)
    own = Slice()
    with others() as turns:
        for _ in range(50):
            await own.turn()
            own.end()
            now_s += slices.SLICE_S / 2

    assert len(turns) >= 50 // 3 - 1


async def test_after_a_pause_in_which_others_had_their_turn_work_goes_on_at_once(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    now_s = 100.0
    monkeypatch.setattr("eventservices.slices.time.perf_counter", lambda: now_s)
    own = Slice()
    for _ in range(3):
        turn = own.turn()
        with pytest.raises(StopIteration):
            turn.send(None)
        own.end()
        now_s += slices.SLICE_S * 2
        await asyncio.sleep(0)


async def test_time_in_which_the_loop_stood_still_is_not_counted(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A standstill of many deadlines: what came meanwhile is heard nevertheless."""
    now_s = 0.0
    monkeypatch.setattr("eventservices.attention.time.monotonic", lambda: now_s)
    answer: asyncio.Future[str] = asyncio.get_running_loop().create_future()
    waiting = asyncio.create_task(attentively(answer, 1.0))
    await asyncio.sleep(0)

    now_s += 60.0  # the loop stood still
    answer.set_result("heard")

    assert await waiting == "heard"


async def test_what_does_not_come_while_the_loop_turns_is_late() -> None:
    never: asyncio.Future[None] = asyncio.get_running_loop().create_future()

    with pytest.raises(TimeoutError):
        await attentively(never, 0.02)
    assert never.cancelled()


async def test_a_standstill_costs_one_step_of_the_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(attention, "STEP_S", 0.01)
    loop = asyncio.get_running_loop()
    answer: asyncio.Future[None] = loop.create_future()
    waiting = asyncio.create_task(attentively(answer, 0.05))
    await asyncio.sleep(0)

    time.sleep(0.2)  # noqa: ASYNC251 - this is the standstill
    await asyncio.sleep(0)
    await asyncio.sleep(0)

    assert not waiting.done()
    answer.set_result(None)
    await waiting
