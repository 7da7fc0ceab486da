"""Settings of a log: their numbers, what is refused, and what reports a change."""

from collections.abc import Callable

import pytest
from eventservices.cns.domains.logs.attributes import (
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
    LogIdAlreadyExistsError,
    LogNotFoundError,
    UnsupportedLogQoSError,
)
from eventservices.cns.domains.logs.log import Log
from eventservices.cns.domains.logs.manager import LogManager
from eventservices.cns.domains.logs.own_events import Severity
from eventservices.cns.etcl import GRAMMAR, InvalidConstraintError
from unit.cns.logs.conftest import ONE, own, own_types

MASK = (WeekMaskItem(127, (Time24Interval(Time24(0, 0), Time24(23, 59)),)),)


def test_numbers_are_those_of_the_interface_definition() -> None:
    assert [each.name for each in LogFullAction] == ["WRAP", "HALT"]
    assert {each.name: each.value for each in LogQoS} == {"NONE": 0, "FLUSH": 1, "RELIABILITY": 2}
    assert [each.name for each in Severity] == ["CRITICAL", "MINOR", "CLEARED"]
    assert [*LogFullAction, *Severity] == [0, 1, 0, 1, 2]
    assert GRAMMAR == "EXTENDED_TCL"


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


def test_a_quality_of_service_that_there_is_not_is_refused_with_what_was_denied(log: Log) -> None:
    with pytest.raises(UnsupportedLogQoSError) as raised:
        log.set_log_qos(3)
    assert raised.value.denied == 3
    assert log.attributes.qos is LogQoS.NONE


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
    assert own_types(log, "AttributeValueChange") == [number]
    change(log)
    assert own_types(log, "AttributeValueChange") == [number]


async def test_a_filter_specifies_which_events_are_logged(log: Log) -> None:
    log.set_filter("$.speed > 50")
    assert await log.log_event({"speed": 60})
    assert not await log.log_event({"speed": 40})
    assert log.not_logged == {"filtered": 1}
    with pytest.raises(InvalidConstraintError):
        log.set_filter("$.speed >")
    assert log.attributes.constraint == "$.speed > 50"
    assert [each["type"] for each in own(log, "AttributeValueChange")] == [6]
