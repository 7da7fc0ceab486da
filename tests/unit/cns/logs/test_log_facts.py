"""Facts of the telecom log service that are numbers, names and defaults."""

import asyncio
import os
from collections.abc import Callable
from pathlib import Path

import pytest
from eventservices.cns.domains.logs import store
from eventservices.cns.domains.logs.attributes import (
    LogFullAction,
    LogQoS,
    Time24,
    Time24Interval,
    TimeInterval,
    WeekMaskItem,
)
from eventservices.cns.domains.logs.errors import (
    LogIdAlreadyExistsError,
    LogOffDutyError,
    UnsupportedLogQoSError,
)
from eventservices.cns.domains.logs.log import Log
from eventservices.cns.domains.logs.manager import LogManager
from eventservices.cns.domains.logs.own_events import Severity
from eventservices.cns.etcl import GRAMMAR

FIRST, NEXT = TimeInterval(1, 0), TimeInterval(1, 2**62)
MASK = (WeekMaskItem(127, (Time24Interval(Time24(0, 0), Time24(23, 59)),)),)


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture
def manager() -> LogManager:
    return LogManager()


@pytest.fixture
def log(manager: LogManager) -> Log:
    return manager.create(LogFullAction.WRAP, 0)[0]


def types(log: Log, name: str) -> list[object]:
    found = [event for event in log.own_events if event.event_type.type_name == name]
    return [event.filterable_data["type"] for event in found]


@pytest.mark.parametrize(
    ("number", "change"),
    [
        (0, lambda log: log.set_capacity_alarm_thresholds([80])),
        (1, lambda log: log.set_log_full_action(LogFullAction.HALT)),
        (2, lambda log: log.set_max_size(1000)),
        (3, lambda log: log.set_interval(TimeInterval(1, 0))),
        (4, lambda log: log.set_interval(TimeInterval(0, 2**62))),
        (5, lambda log: log.set_week_mask(MASK)),
        (6, lambda log: log.set_filter("$.speed > 1")),
        (7, lambda log: log.set_max_record_life(60)),
        (8, lambda log: log.set_log_qos(LogQoS.FLUSH)),
    ],
)
def test_a_changed_attribute_is_reported_with_its_number_and_an_unchanged_one_is_not(
    log: Log, number: int, change: Callable[[Log], None]
) -> None:
    change(log)
    assert types(log, "AttributeValueChange") == [number]
    change(log)
    assert types(log, "AttributeValueChange") == [number]


def test_changed_states_are_reported_with_their_numbers(log: Log) -> None:
    log.set_administrative_state(locked=True)
    log.set_forwarding_state(forwarding=False)
    log.set_forwarding_state(forwarding=False)
    log.disable("gone")
    assert types(log, "StateChange") == [0, 2, 1]


def test_numbers_are_those_of_the_interface_definition() -> None:
    assert [each.name for each in LogFullAction] == ["WRAP", "HALT"]
    assert {each.name: each.value for each in LogQoS} == {"NONE": 0, "FLUSH": 1, "RELIABILITY": 2}
    assert [each.name for each in Severity] == ["CRITICAL", "MINOR", "CLEARED"]
    assert [*LogFullAction, *Severity] == [0, 1, 0, 1, 2]
    assert GRAMMAR == "EXTENDED_TCL"


def test_a_new_log_is_unlocked_enabled_forwarding_always_on_duty_and_without_bounds(
    log: Log,
) -> None:
    assert log.attributes.interval == TimeInterval(0, 0)
    assert (log.attributes.week_mask, log.attributes.max_size) == ((), 0)
    assert (log.attributes.max_record_life_s, log.attributes.locked) == (0, False)
    assert (log.enabled, log.forwarding) == (True, True)
    assert not log.availability_status.off_duty
    log.write_records(["x"] * 1000)
    assert (log.n_records, log.availability_status.log_full) == (1000, False)


def test_an_interval_without_a_stop_never_ends() -> None:
    now = [0]
    log, _ = LogManager(clock=lambda: now[0]).create(LogFullAction.WRAP, 0)
    log.set_interval(TimeInterval(100, 0))
    with pytest.raises(LogOffDutyError):
        log.write_records(["early"])
    for now[0] in (100, 2**62):
        log.write_records(["on duty"])


def test_a_quality_of_service_that_there_is_not_is_refused_with_what_was_denied(log: Log) -> None:
    with pytest.raises(UnsupportedLogQoSError) as raised:
        log.set_log_qos(3)
    assert raised.value.denied == 3
    assert log.attributes.qos is LogQoS.NONE


def test_a_copy_is_set_to_the_same_and_needs_an_identifier_of_its_own(manager: LogManager) -> None:
    original, number = manager.create(LogFullAction.HALT, 500, [50])
    original.write_records(["x"])
    copied = manager.copy_with_id(number, 7)
    assert (copied.attributes, copied.n_records) == (original.attributes, 0)
    with pytest.raises(LogIdAlreadyExistsError):
        manager.copy_with_id(number, 7)
    assert manager.copy(7)[1] == 8
    assert [each.id for each in manager.list_logs()] == [0, 7, 8]
    assert manager.list_logs_by_id() == (0, 7, 8)
    assert manager.find_log(7) is copied


async def test_a_query_over_all_records_lets_a_writer_write(log: Log) -> None:
    log.write_records(list(range(5_000)))
    written = 0

    async def write() -> None:
        nonlocal written
        while True:
            log.write_records([-1])
            written += 1
            await asyncio.sleep(0)

    writing = asyncio.create_task(write())
    assert await log.match("$.info >= 0") == 5_000
    writing.cancel()
    assert written > 1


async def test_a_reliable_record_is_on_the_disk_when_its_write_returns_or_is_settled(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    synced: list[int] = []
    monkeypatch.setattr(os, "fsync", synced.append)
    log, _ = LogManager(tmp_path).create(LogFullAction.WRAP, 0)
    log.write_records(["not reliable"])
    await log.settle()
    assert len(synced) == 0
    log.set_log_qos(LogQoS.RELIABILITY)
    log.write_records(["reliable"])
    assert len(synced) == 1
    log.log_event("of a channel")
    assert len(synced) == 1
    await log.settle()
    await log.settle()
    assert len(synced) == 2
    log.close()


async def test_the_write_ahead_file_stays_within_its_bound(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(store, "DUE_PAGES", 20)
    monkeypatch.setattr(store, "MOST_PAGES", 60)
    log, number = LogManager(tmp_path).create(LogFullAction.WRAP, 0)
    ahead = tmp_path / f"{number}.log.sqlite-wal"
    sizes = []
    for _ in range(30):
        for _ in range(10):
            log.log_event("x" * 2000)
        await log.settle()
        sizes.append(await asyncio.to_thread(lambda: ahead.stat().st_size))
    assert max(sizes) < 60 * 4200
    for _ in range(300):
        log.write_records(["x" * 2000])  # nobody settles
    assert (await asyncio.to_thread(ahead.stat)).st_size < 120 * 4200
    assert log.n_records == 600
    log.close()
