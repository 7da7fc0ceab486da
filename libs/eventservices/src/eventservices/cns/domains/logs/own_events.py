"""The events that logs generate about themselves, as structured events.

Source:
    OMG Telecom Log Service 1.1.2, `DsLogNotification`.
"""

from collections.abc import Mapping
from enum import IntEnum
from typing import Final

from eventservices.cns.event import StructuredEvent, structured_event
from eventservices.cns.value import Value

DOMAIN: Final = "TelecomLog"


class Severity(IntEnum):
    """The severity of a threshold alarm."""

    CRITICAL = 0
    MINOR = 1
    CLEARED = 2


class AttributeType(IntEnum):
    """Which attribute changed its value."""

    CAPACITY_ALARM_THRESHOLD = 0
    LOG_FULL_ACTION = 1
    MAX_LOG_SIZE = 2
    START_TIME = 3
    STOP_TIME = 4
    WEEK_MASK = 5
    FILTER = 6
    MAX_RECORD_LIFE = 7
    QUALITY_OF_SERVICE = 8


class StateType(IntEnum):
    """Which state changed."""

    ADMINISTRATIVE = 0
    OPERATIONAL = 1
    FORWARDING = 2


def object_creation(log_id: int, time: int) -> StructuredEvent:
    """Return the event that reports a new log."""
    return _event("ObjectCreation", log_id, time)


def object_deletion(log_id: int, time: int) -> StructuredEvent:
    """Return the event that reports a destroyed log."""
    return _event("ObjectDeletion", log_id, time)


def threshold_alarm(
    log_id: int, time: int, crossed: int, observed: int, severity: Severity
) -> StructuredEvent:
    """Return the event that reports that a log's size crossed a threshold, per cent."""
    data = {"crossed_value": crossed, "observed_value": observed, "severity": int(severity)}
    return _event("ThresholdAlarm", log_id, time, data)


def attribute_change(
    log_id: int, time: int, attribute: AttributeType, old: Value, new: Value
) -> StructuredEvent:
    """Return the event that reports a changed attribute."""
    data: dict[str, Value] = {"type": int(attribute), "old_value": old, "new_value": new}
    return _event("AttributeValueChange", log_id, time, data)


def state_change(log_id: int, time: int, state: StateType, new: int) -> StructuredEvent:
    """Return the event that reports a changed state."""
    return _event("StateChange", log_id, time, {"type": int(state), "new_value": new})


def processing_error(log_id: int, time: int, reason: str) -> StructuredEvent:
    """Return the event that reports that a log's store has failed."""
    return _event("ProcessingErrorAlarm", log_id, time, {"error_string": reason})


def _event(
    name: str, log_id: int, time: int, data: Mapping[str, Value] | None = None
) -> StructuredEvent:
    common: dict[str, Value] = {"log_id": log_id, "time": time}
    return structured_event((DOMAIN, name), filterable_data=common | dict(data or {}))
