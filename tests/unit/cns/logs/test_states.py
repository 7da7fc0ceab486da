"""When a log is written and read: locked, disabled, on duty."""

import pytest
from eventservices.cns.domains.logs.attributes import (
    LogFullAction,
    Time24,
    Time24Interval,
    TimeInterval,
    WeekMaskItem,
)
from eventservices.cns.domains.logs.errors import LogDisabledError, LogLockedError, LogOffDutyError
from eventservices.cns.domains.logs.log import Log
from eventservices.cns.domains.logs.manager import LogManager
from unit.cns.logs.conftest import MONDAY, SECOND, Clock, own, own_types


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


async def test_a_disabled_log_is_neither_read_nor_written(log: Log) -> None:
    log.disable("the disk is gone")
    for operation in (lambda: log.write_records(["x"]), lambda: log.query("")):
        with pytest.raises(LogDisabledError):
            operation()
    with pytest.raises(LogDisabledError):
        await log.flush()
    assert not await log.log_event("x")
    assert log.not_logged == {"disabled": 1}
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


def test_an_interval_without_a_stop_never_ends() -> None:
    now = [0]
    log, _ = LogManager(clock=lambda: now[0]).create(LogFullAction.WRAP, 0)
    log.set_interval(TimeInterval(100, 0))
    with pytest.raises(LogOffDutyError):
        log.write_records(["early"])
    for now[0] in (100, 2**62):
        log.write_records(["on duty"])


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


def test_changed_states_are_reported_with_their_numbers(log: Log) -> None:
    log.set_administrative_state(locked=True)
    log.set_forwarding_state(forwarding=False)
    log.set_forwarding_state(forwarding=False)
    log.disable("gone")
    assert own_types(log, "StateChange") == [0, 2, 1]
