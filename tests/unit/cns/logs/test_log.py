"""A log by the telecom log service's facts: size, life, duty, states, queries, own events."""

import asyncio
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from eventservices.cns import structured_event
from eventservices.cns.domains.logs.attributes import (
    LogAttributes,
    LogFullAction,
    LogQoS,
    Time24,
    Time24Interval,
    TimeInterval,
    WeekMaskItem,
)
from eventservices.cns.domains.logs.errors import (
    InvalidAttributeError,
    InvalidLogFullActionError,
    InvalidMaskError,
    InvalidParamError,
    InvalidRecordIdError,
    InvalidThresholdError,
    InvalidTimeError,
    InvalidTimeIntervalError,
    LogDisabledError,
    LogFullError,
    LogIdAlreadyExistsError,
    LogLockedError,
    LogNotFoundError,
    LogOffDutyError,
)
from eventservices.cns.domains.logs.log import Log
from eventservices.cns.domains.logs.manager import LogManager
from eventservices.cns.domains.logs.records import OVERHEAD_BYTES, packed
from eventservices.cns.domains.logs.settings import MOST_PURGED
from eventservices.cns.domains.logs.store import LogStore
from eventservices.cns.etcl import InvalidConstraintError, InvalidGrammarError
from eventservices.cns.etcl.utc import EPOCH_TICKS

if TYPE_CHECKING:
    from collections.abc import Callable

SECOND = 10_000_000
MONDAY = EPOCH_TICKS + 4 * 24 * 3600 * SECOND  # 1970-01-05, 0 h UTC
ONE = OVERHEAD_BYTES + len(packed("x"))


class Clock:
    def __init__(self) -> None:
        self.now = MONDAY

    def __call__(self) -> int:
        return self.now


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def manager(clock: Clock) -> LogManager:
    return LogManager(clock=clock)


@pytest.fixture
def log(manager: LogManager) -> Log:
    return manager.create(LogFullAction.WRAP, 0)[0]


def own(log: Log, name: str) -> list[dict[str, object]]:
    found = [event for event in log.own_events if event.event_type.type_name == name]
    return [dict(event.filterable_data) for event in found]


async def test_records_have_ascending_identifiers_times_and_attributes(
    log: Log, clock: Clock
) -> None:
    assert log.write_records(["a", 1]) == [1, 2]
    clock.now += SECOND
    assert log.write_records([{"deep": [1, 2]}], [{"note": "mine"}]) == [3]
    found = await log.query("").get(0, 10)
    assert [(each.id, each.time - MONDAY, each.info) for each in found] == [
        (1, 0, "a"),
        (2, 0, 1),
        (3, SECOND, {"deep": [1, 2]}),
    ]
    assert log.get_record_attribute(3) == {"note": "mine"}
    assert log.n_records == 3


@pytest.mark.parametrize(
    ("constraint", "ids"),
    [
        ("$.id > 2", [3, 4]),
        ("2 >= $.id", [1, 2]),
        ("$.attr_list(note) == 'x'", [2]),
        ("$.info.value == 3", [3]),
        ("$.info.header.fixed_header.event_type.type_name == 'T'", [4]),
        ("$.info.filterable_data(speed) > 70 and $.id == 4", [4]),
        ("TRUE", [1, 2, 3, 4]),
        ("", [1, 2, 3, 4]),
        ("exist $.info.value or $.id == 1", [1, 3]),
    ],
)
async def test_a_query_finds_by_identifier_attribute_and_event(
    log: Log, constraint: str, ids: list[int]
) -> None:
    event = structured_event(("D", "T"), filterable_data={"speed": 80.0})
    attributes = [{}, {"note": "x"}, {}, {}]
    log.write_records(["a", "b", {"value": 3}, event], attributes)
    assert [each.id for each in await log.query(constraint).get(0, 100)] == ids
    assert await log.match(constraint) == len(ids)
    assert await log.delete_records(constraint) == len(ids)
    assert log.n_records == 4 - len(ids)


async def test_an_iterator_is_read_in_parts_and_from_any_position(log: Log) -> None:
    log.write_records(list(range(1000)))
    iterator = log.query("$.info >= 100")
    assert [each.info for each in await iterator.get(0, 3)] == [100, 101, 102]
    assert [each.info for each in await iterator.get(500, 2)] == [600, 601]
    assert [each.info for each in await iterator.get(1, 1)] == [101]
    assert len(await iterator.get(899, 10)) == 1
    assert await iterator.get(900, 10) == []
    for position, how_many in ((-1, 1), (0, 0), (0, 10_001)):
        with pytest.raises(InvalidParamError):
            await iterator.get(position, how_many)
    iterator.destroy()
    with pytest.raises(InvalidParamError):
        await iterator.get(0, 1)


async def test_records_are_retrieved_from_a_time_on_and_back(log: Log, clock: Clock) -> None:
    for number in range(10):
        clock.now = MONDAY + number * SECOND
        log.write_records([number])
    onwards = log.retrieve(MONDAY + 4 * SECOND, 3)
    assert [each.info for each in await onwards.get(0, 3)] == [4, 5, 6]
    back = log.retrieve(MONDAY + 4 * SECOND, -3)
    assert [each.info for each in await back.get(0, 3)] == [4, 3, 2]
    with pytest.raises(InvalidParamError):
        log.retrieve(MONDAY, 0)


async def test_a_query_in_another_language_or_with_a_fault_is_refused(log: Log) -> None:
    with pytest.raises(InvalidGrammarError):
        log.query("", "SQL")
    with pytest.raises(InvalidConstraintError):
        await log.match("$.id >")


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
    assert not log.log_event("x")
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


def test_a_locked_log_is_read_and_not_written(log: Log) -> None:
    log.write_records(["x"])
    log.set_administrative_state(locked=True)
    with pytest.raises(LogLockedError):
        log.write_records(["x"])
    assert log.get_record(1).info == "x"
    log.set_administrative_state(locked=False)
    log.write_records(["x"])
    assert [(each["type"], each["new_value"]) for each in own(log, "StateChange")] == [
        (0, 0),
        (0, 1),
    ]


def test_a_disabled_log_is_neither_read_nor_written(log: Log) -> None:
    log.disable("the disk is gone")
    for operation in (lambda: log.write_records(["x"]), lambda: log.query(""), log.flush):
        with pytest.raises(LogDisabledError):
            operation()
    assert not log.enabled
    assert own(log, "ProcessingErrorAlarm")[0]["error_string"] == "the disk is gone"
    assert [each["type"] for each in own(log, "StateChange")] == [1]


def test_outside_its_interval_a_log_is_off_duty(log: Log, clock: Clock) -> None:
    log.set_interval(TimeInterval(MONDAY + SECOND, MONDAY + 3 * SECOND))
    for offset, duty in ((0, False), (1, True), (2, True), (3, False)):
        clock.now = MONDAY + offset * SECOND
        assert log.availability_status.off_duty is not duty
    with pytest.raises(LogOffDutyError):
        log.write_records(["x"])
    assert [each["type"] for each in own(log, "AttributeValueChange")] == [3, 4]


def test_a_week_mask_specifies_days_and_parts_of_them(log: Log, clock: Clock) -> None:
    morning = Time24Interval(Time24(8, 0), Time24(11, 59))
    log.set_week_mask([WeekMaskItem(2 | 8, (morning,)), WeekMaskItem(1)])  # Mon, Wed; Sun
    hour, day = 3600 * SECOND, 24 * 3600 * SECOND
    expected = {
        MONDAY: False,
        MONDAY + 8 * hour: True,
        MONDAY + 12 * hour: False,
        MONDAY + day + 9 * hour: False,
        MONDAY + 2 * day + 9 * hour: True,
        MONDAY + 6 * day: True,
        MONDAY - day + 23 * hour: True,
    }
    for now, duty in expected.items():
        clock.now = now
        assert log.availability_status.off_duty is not duty


def test_values_that_cannot_be_had_are_refused(log: Log, manager: LogManager) -> None:
    log.write_records(["x"] * 3)
    noon, morning = Time24(12, 0), Time24(8, 0)
    cases: list[tuple[type[Exception], Callable[[], object]]] = [
        (InvalidParamError, lambda: log.set_max_size(2 * ONE)),
        (InvalidParamError, lambda: log.set_max_size(-1)),
        (InvalidParamError, lambda: log.set_max_record_life(-1)),
        (InvalidLogFullActionError, lambda: log.set_log_full_action(2)),
        (InvalidThresholdError, lambda: log.set_capacity_alarm_thresholds([101])),
        (InvalidThresholdError, lambda: log.set_capacity_alarm_thresholds([-1])),
        (InvalidTimeError, lambda: log.set_interval(TimeInterval(-1, 0))),
        (InvalidTimeIntervalError, lambda: log.set_interval(TimeInterval(5, 4))),
        (InvalidMaskError, lambda: log.set_week_mask([WeekMaskItem(0)])),
        (InvalidMaskError, lambda: log.set_week_mask([WeekMaskItem(128)])),
        (
            InvalidTimeError,
            lambda: log.set_week_mask([WeekMaskItem(1, (Time24Interval(noon, Time24(24, 0)),))]),
        ),
        (
            InvalidTimeIntervalError,
            lambda: log.set_week_mask([WeekMaskItem(1, (Time24Interval(noon, morning),))]),
        ),
        (InvalidRecordIdError, lambda: log.set_record_attribute(9, {})),
        (InvalidRecordIdError, lambda: log.get_record_attribute(9)),
        (InvalidAttributeError, lambda: log.set_record_attribute(1, {"": 1})),
        (InvalidAttributeError, lambda: log.set_record_attribute(1, {"a": object()})),  # type: ignore[dict-item] # a wrong type on purpose
        (InvalidLogFullActionError, lambda: manager.create(7, 0)),
        (InvalidParamError, lambda: manager.create(0, -1)),
        (LogIdAlreadyExistsError, lambda: manager.create_with_id(0, 0, 0)),
        (LogNotFoundError, lambda: manager.find_log(9)),
        (LogNotFoundError, lambda: manager.copy(9)),
    ]
    before = log.attributes
    for kind, operation in cases:
        with pytest.raises(kind):
            operation()
    assert log.attributes == before
    assert manager.list_logs_by_id() == (0,)


async def test_attributes_of_many_records_are_noted_at_once(log: Log) -> None:
    log.write_records([1, 2, 3])
    assert await log.set_records_attribute("$.info > 1", {"seen": True}) == 2
    assert await log.match("$.attr_list(seen)") == 2
    assert log.current_size == sum(
        OVERHEAD_BYTES + len(packed(each)) for each in (1, 2, 3)
    ) + 2 * len(packed({"seen": True}))


def test_a_filter_specifies_which_events_are_logged(log: Log) -> None:
    log.set_filter("$.speed > 50")
    assert log.log_event({"speed": 60})
    assert not log.log_event({"speed": 40})
    assert log.not_logged == {"filtered": 1}
    with pytest.raises(InvalidConstraintError):
        log.set_filter("$.speed >")
    assert log.attributes.constraint == "$.speed > 50"
    assert [each["type"] for each in own(log, "AttributeValueChange")] == [6]


def test_a_log_survives_a_restart_with_its_records_and_settings(
    tmp_path: Path, clock: Clock
) -> None:
    manager = LogManager(tmp_path, clock)
    log, number = manager.create(LogFullAction.HALT, 1000, [50])
    log.set_log_qos(LogQoS.RELIABILITY)
    log.write_records(["a", "b"], [{"n": 1}, {}])
    log.delete_records_by_id([2])
    log.flush()
    before = log.attributes
    manager.close()
    again = LogManager(tmp_path, clock)
    assert again.open_all() == (number,)
    back = again.find_log(number)
    assert (back.attributes, back.n_records) == (before, 1)
    assert back.get_record_attribute(1) == {"n": 1}
    assert back.write_records(["c"]) == [3]  # the identifier of a deleted record is not given again
    copied, copy_id = again.copy(number)
    assert (copied.attributes, copied.n_records, copy_id) == (before, 0, 1)
    again.destroy([number])
    assert own(back, "ObjectDeletion")
    assert [path.name for path in tmp_path.iterdir() if path.name.startswith("0.")] == []
    assert own(copied, "ObjectCreation")
    again.close()


def test_a_log_with_a_filter_that_is_not_valid_leaves_no_file(tmp_path: Path) -> None:
    manager = LogManager(tmp_path)
    for make in (manager.make, manager.make_over):
        with pytest.raises(InvalidConstraintError):
            make(0, LogAttributes(constraint="$.speed >"))
    assert list(tmp_path.iterdir()) == []
    manager.make(0, LogAttributes(constraint="$.speed > 1"))
    manager.close()


def test_a_file_that_is_left_of_another_log_is_renamed_and_kept(tmp_path: Path) -> None:
    first = LogManager(tmp_path)
    first.make(0, LogAttributes()).write_records(["kept"])
    first.close()
    second = LogManager(tmp_path)
    with pytest.raises(LogIdAlreadyExistsError):
        second.make(0, LogAttributes())
    assert second.make_over(0, LogAttributes()).n_records == 0
    second.close()
    [aside] = [path for path in tmp_path.iterdir() if path.name != "0.log.sqlite"]
    aside.rename(tmp_path / "1.log.sqlite")
    assert LogManager(tmp_path).open(1).get_record(1).info == "kept"


@pytest.mark.parametrize(
    ("constraint", "found"),
    [
        ("$.time >= {2}", range(2, 1000)),
        ("$.time > {2} and $.time <= {700}", range(3, 701)),
        ("$.time < {300} and $.id > 200", range(200, 300)),
        ("{10} == $.time", range(10, 11)),
        ("$.time > {998} or $.id == 1", [0, 999]),
        ("$.time > {998} and $.info == 7", []),
    ],
)
async def test_bounds_of_time_and_identifier_find_what_they_specify(
    log: Log, clock: Clock, constraint: str, found: Sequence[int]
) -> None:
    for number in range(1000):
        clock.now = MONDAY + number
        log.write_records([number])
    for number in (2, 10, 300, 700, 998):
        constraint = constraint.replace(f"{{{number}}}", str(MONDAY + number))
    assert [each.info for each in await log.query(constraint).get(0, 10_000)] == list(found)


async def test_where_the_clock_was_put_back_a_window_has_its_records_all_the_same(
    log: Log, clock: Clock
) -> None:
    for offset in (5, 6, 2, 3, 7):
        clock.now = MONDAY + offset
        log.write_records([offset])
    window = f"$.time >= {MONDAY + 3} and $.time <= {MONDAY + 6}"
    assert [each.info for each in await log.query(window).get(0, 10)] == [3, 5, 6]
    back = log.retrieve(MONDAY + 6, -10)
    assert [each.info for each in await back.get(0, 10)] == [6, 5, 3, 2]


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


async def test_others_have_their_turn_while_many_records_are_found_noted_and_deleted(
    log: Log,
) -> None:
    log.write_records(list(range(20_000)))
    turns = 0

    async def others() -> None:
        nonlocal turns
        while True:
            await asyncio.sleep(0)
            turns += 1

    for work in (
        log.match("$.info >= 0"),
        log.set_records_attribute("$.id > 0", {"seen": True}),
        log.delete_records("$.time > 0"),
    ):
        before, beside = turns, asyncio.create_task(others())
        assert await work == 20_000
        beside.cancel()
        assert turns > before + 3
    assert log.n_records == 0


def test_windows_are_found_by_the_index_of_times(tmp_path: Path) -> None:
    store = LogStore(tmp_path / "log.sqlite")
    asked: list[str] = []
    store._db.set_exec_trace(lambda _cursor, sql, _values: not asked.append(sql))
    store.select("time", [("time", ">=", 1), ("time", "<", 9)], (0, 0), 10, backwards=False)
    store._db.set_exec_trace(None)
    plan = list(store._db.execute(f"explain query plan {asked[-1]}", (0, 0, 1, 9, 10)))
    assert "record_time (time>?" in plan[0][3]
    assert not any("B-TREE" in step[3] for step in plan)
    store.close()
