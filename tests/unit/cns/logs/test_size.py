"""How much a log keeps, and for how long: wrap and halt, thresholds, life of records."""

import asyncio

import pytest
from eventservices.cns.domains.logs.attributes import LogFullAction
from eventservices.cns.domains.logs.errors import LogFullError
from eventservices.cns.domains.logs.log import Log
from eventservices.cns.domains.logs.manager import LogManager
from eventservices.cns.domains.logs.records import OVERHEAD_BYTES, packed
from eventservices.cns.domains.logs.settings import MOST_PURGED
from eventservices.ending import beside
from unit.cns.logs.conftest import ONE, SECOND, Clock, own


async def test_a_log_that_wraps_removes_the_oldest_exactly_as_room_is_needed(
    manager: LogManager,
) -> None:
    log, _ = manager.create(LogFullAction.WRAP, 5 * ONE)
    log.write_records(["x"] * 5)
    assert log.current_size == 5 * ONE
    assert log.write_records(["x", "x"]) == [6, 7]
    assert [each.id for each in await log.query("").get(0, 9)] == [3, 4, 5, 6, 7]
    assert log.current_size == 5 * ONE
    assert not log.availability_status.log_full


async def test_a_log_that_halts_writes_to_its_limit_exactly_and_reports_how_many(
    manager: LogManager,
) -> None:
    log, _ = manager.create(LogFullAction.HALT, 5 * ONE)
    with pytest.raises(LogFullError) as raised:
        log.write_records(["x"] * 7)
    assert raised.value.n_records_written == 5
    assert (log.n_records, log.availability_status.log_full) == (5, True)
    assert not await log.log_event("x")
    assert log.not_logged == {"log_full": 1}
    log.delete_records_by_id([1, 99])
    assert not log.availability_status.log_full
    assert log.write_records(["x"]) == [6]


def test_a_threshold_is_reported_once_in_each_direction(manager: LogManager) -> None:
    log, _ = manager.create(LogFullAction.HALT, 10 * ONE, [100, 50, 50])
    for _ in range(10):
        log.write_records(["x"])
    log.delete_records_by_id(range(1, 6))
    log.delete_records_by_id([6])
    log.write_records(["x"])
    told = [
        (each["crossed_value"], each["observed_value"], each["severity"])
        for each in own(log, "ThresholdAlarm")
    ]
    # Minor at 50, critical at 100, each cleared on the way down, and minor again on the way up.
    assert told == [(50, 50, 1), (100, 100, 0), (100, 50, 2), (50, 40, 2), (50, 50, 1)]


def test_records_whose_life_is_over_are_removed(log: Log, clock: Clock) -> None:
    log.set_max_record_life(10)
    log.write_records(["old"])
    clock.now += 11 * SECOND
    assert log.write_records(["new"]) == [2]
    assert log.n_records == 1


async def test_records_whose_life_is_over_are_not_found_though_many_are_still_to_be_removed(
    log: Log, clock: Clock
) -> None:
    log.write_records(list(range(2 * MOST_PURGED)))
    clock.now += 5 * SECOND
    log.write_records(["young"])
    clock.now += 6 * SECOND
    log.set_max_record_life(10)
    assert [each.info for each in await log.query("").get(0, 10_000)] == ["young"]
    assert log.n_records == MOST_PURGED + 1  # each call removes some
    assert await log.match("") == 1
    assert log.n_records == 1


async def test_others_have_their_turn_while_a_large_event_takes_the_place_of_many(
    manager: LogManager,
) -> None:
    log, _ = manager.create(LogFullAction.WRAP, 20_000 * ONE)
    log.write_records(["x"] * 20_000)
    turns = 0

    async def others() -> None:
        nonlocal turns
        while True:
            await asyncio.sleep(0)
            turns += 1

    large = "x" * (15_000 * ONE)
    async with beside(others(), "others"):
        assert await log.log_event(large)
    assert turns > 3
    kept = (20_000 * ONE - OVERHEAD_BYTES - len(packed(large))) // ONE
    assert log.n_records == kept + 1
    assert (await log.query("").get(0, 1))[0].id == 20_000 - kept + 1


async def test_a_log_that_is_locked_while_it_makes_room_logs_nothing(manager: LogManager) -> None:
    log, _ = manager.create(LogFullAction.WRAP, 20_000 * ONE)
    log.write_records(["x"] * 20_000)

    async def lock() -> None:
        log.set_administrative_state(locked=True)

    async with beside(lock(), "lock"):
        assert not await log.log_event("x" * (15_000 * ONE))
    assert log.not_logged == {"locked": 1}
