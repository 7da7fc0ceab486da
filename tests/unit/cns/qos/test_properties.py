"""The properties of quality of service: where each may be set, and what is wrong with a wish."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from eventservices.cns import (
    DiscardPolicy,
    ErrorCode,
    Long,
    LongLong,
    OrderPolicy,
    PropertyRange,
    utc_t,
)
from eventservices.cns.qos.errors import PropertyError, UnsupportedQoSError
from eventservices.cns.qos.holder import below, inherited, of_channel, of_message
from eventservices.cns.qos.properties import QOS, Level
from eventservices.cns.qos.validate import Circumstances, additional, judge

NOW = Circumstances()
SOON = utc_t(datetime(2030, 1, 1, tzinfo=UTC))
GOOD: dict[str, Any] = {
    "EventReliability": 1,
    "ConnectionReliability": 1,
    "Priority": -5,
    "StartTime": SOON,
    "StopTime": SOON,
    "Timeout": 50_000_000,
    "StartTimeSupported": True,
    "StopTimeSupported": True,
    "MaxEventsPerConsumer": 5,
    "OrderPolicy": OrderPolicy.DEADLINE,
    "DiscardPolicy": DiscardPolicy.LIFO,
    "MaximumBatchSize": 10,
    "PacingInterval": timedelta(seconds=2),
}
MESSAGE_ONLY = {"StartTime", "StopTime"}
MESSAGE = {"EventReliability", "Priority", "Timeout"} | MESSAGE_ONLY
LEVELS = {
    Level.MESSAGE: MESSAGE,
    Level.PROXY: set(GOOD) - MESSAGE_ONLY - {"EventReliability"},
    Level.ADMIN: set(GOOD) - MESSAGE_ONLY - {"EventReliability"},
    Level.CHANNEL: set(GOOD) - MESSAGE_ONLY,
}


def codes(level: Level, wish: dict[str, object], now: Circumstances = NOW) -> list[ErrorCode]:
    return [error.code for error in judge(QOS, level, wish, now).errors]


@pytest.mark.parametrize("level", list(Level))
@pytest.mark.parametrize("name", sorted(GOOD))
def test_each_property_may_be_set_at_its_levels_and_nowhere_else(name: str, level: Level) -> None:
    verdict = judge(QOS, level, {name: GOOD[name]}, NOW)

    if name in LEVELS[level]:
        assert not verdict.errors
        assert set(verdict.taken) == {name}
    else:
        assert verdict.errors == (PropertyError(ErrorCode.UNSUPPORTED_PROPERTY, name),)


WRONG_TYPES: list[tuple[str, object]] = [
    ("DiscardPolicy", Long(10)),
    ("OrderPolicy", LongLong(1)),
    ("Priority", Long(1)),
    ("Priority", 1.0),
    ("Priority", "1"),
    ("Priority", True),
    ("Priority", None),
    ("MaxEventsPerConsumer", LongLong(5)),
    ("MaxEventsPerConsumer", False),
    ("MaximumBatchSize", "all"),
    ("StartTimeSupported", 1),
    ("StopTimeSupported", "TRUE"),
    ("Timeout", 1.5),
    ("Timeout", True),
    ("PacingInterval", "2 s"),
]
WRONG_VALUES: list[tuple[str, object, tuple[object, object]]] = [
    ("Priority", -32768, (-32767, 32767)),
    ("Priority", 32768, (-32767, 32767)),
    ("Priority", 2**80, (-32767, 32767)),
    ("OrderPolicy", 4, (0, 3)),
    ("OrderPolicy", -1, (0, 3)),
    ("DiscardPolicy", 5, (0, 4)),
    ("ConnectionReliability", 2, (0, 1)),
    ("MaxEventsPerConsumer", -1, (0, 2**31 - 1)),
    ("MaximumBatchSize", 0, (1, 2**31 - 1)),
    ("PacingInterval", -1, (0, 2**63 - 1)),
    ("Timeout", timedelta(seconds=-1), (0, 2**63 - 1)),
]


@pytest.mark.parametrize(("name", "value"), WRONG_TYPES)
def test_a_value_of_another_type_is_a_bad_type_without_range(name: str, value: object) -> None:
    assert judge(QOS, Level.PROXY, {name: value}, NOW).errors == (
        PropertyError(ErrorCode.BAD_TYPE, name),
    )


@pytest.mark.parametrize(("name", "value", "allowed"), WRONG_VALUES)
def test_a_value_out_of_the_legal_range_is_a_bad_value_with_the_range(
    name: str, value: object, allowed: tuple[int, int]
) -> None:
    assert judge(QOS, Level.PROXY, {name: value}, NOW).errors == (
        PropertyError(ErrorCode.BAD_VALUE, name, PropertyRange(*allowed)),
    )


@pytest.mark.parametrize("value", [5, "2030-01-01", {}, {"time": "x"}, {"time": 1.5}, {1: 2}, None])
def test_a_moment_is_a_struct_with_a_time(value: object) -> None:
    assert codes(Level.MESSAGE, {"StartTime": value}) == [ErrorCode.BAD_TYPE]


def test_a_moment_before_the_calendar_is_a_bad_value() -> None:
    assert codes(Level.MESSAGE, {"StopTime": {"time": -1}}) == [ErrorCode.BAD_VALUE]


def test_an_unknown_name_is_a_bad_property() -> None:
    assert codes(Level.CHANNEL, {"Colour": 1}) == [ErrorCode.BAD_PROPERTY]


def test_all_that_is_wrong_is_told_in_the_order_in_which_it_was_asked_for() -> None:
    wish = {"Colour": 1, "StartTime": SOON, "Timeout": 0, "Priority": "x", "OrderPolicy": 9}

    verdict = judge(QOS, Level.ADMIN, wish, NOW)

    assert [(error.name, error.code) for error in verdict.errors] == [
        ("Colour", ErrorCode.BAD_PROPERTY),
        ("StartTime", ErrorCode.UNSUPPORTED_PROPERTY),
        ("Priority", ErrorCode.BAD_TYPE),
        ("OrderPolicy", ErrorCode.BAD_VALUE),
    ]


def test_the_first_thing_wrong_with_a_property_is_told() -> None:
    off = Circumstances(unavailable={"StartTime"})

    assert codes(Level.PROXY, {"StartTime": 5}, off) == [ErrorCode.UNSUPPORTED_PROPERTY]
    assert codes(Level.MESSAGE, {"StartTime": 5}, off) == [ErrorCode.UNAVAILABLE_PROPERTY]
    assert codes(Level.MESSAGE, {"StartTime": 5}) == [ErrorCode.BAD_TYPE]


def test_an_error_names_property_code_and_range() -> None:
    error = UnsupportedQoSError(
        [
            PropertyError(ErrorCode.BAD_VALUE, "OrderPolicy", PropertyRange(0, 3)),
            PropertyError(ErrorCode.BAD_PROPERTY, "Colour"),
        ]
    )

    assert str(error) == "OrderPolicy: BAD_VALUE (allowed: 0 .. 3); Colour: BAD_PROPERTY"
    assert isinstance(error, ValueError)
    assert error.qos_err == error.errors


def defaults(level: Level, **changed: int) -> dict[str, Any]:
    return {**inherited(level, {}), **changed}


def test_a_child_is_never_more_reliable_than_its_parent() -> None:
    parent = defaults(Level.ADMIN)
    wish = {"ConnectionReliability": 1}

    [error] = judge(QOS, Level.PROXY, wish, below(parent, stored=True)).errors

    assert (error.code, error.available_range) == (ErrorCode.UNAVAILABLE_VALUE, (0, 0))
    parent["ConnectionReliability"] = 1
    assert not judge(QOS, Level.PROXY, wish, below(parent, stored=True)).errors


def test_nothing_is_persistent_where_the_broker_keeps_nothing() -> None:
    wish = {"EventReliability": 1, "ConnectionReliability": 1}
    now = of_channel(defaults(Level.CHANNEL), wish, stored=False)

    errors = judge(QOS, Level.CHANNEL, wish, now).errors

    assert [(error.code, error.available_range) for error in errors] == [
        (ErrorCode.UNSUPPORTED_VALUE, (0, 0)),
        (ErrorCode.UNSUPPORTED_VALUE, (0, 0)),
    ]


@pytest.mark.parametrize(
    ("held", "wish", "expected"),
    [
        ({}, {"EventReliability": 1, "ConnectionReliability": 1}, []),
        ({}, {"ConnectionReliability": 1}, []),
        ({}, {"EventReliability": 1}, [("EventReliability", (0, 0))]),
        (
            {},
            {"EventReliability": 1, "ConnectionReliability": 0},
            [("EventReliability", (0, 0))],
        ),
        ({"ConnectionReliability": 1}, {"EventReliability": 1}, []),
        (
            {"ConnectionReliability": 1, "EventReliability": 1},
            {"ConnectionReliability": 0},
            [("ConnectionReliability", (1, 1))],
        ),
        (
            {"ConnectionReliability": 1, "EventReliability": 1},
            {"ConnectionReliability": 0, "EventReliability": 0},
            [],
        ),
    ],
)
def test_a_channel_keeps_events_only_over_persistent_connections(
    held: dict[str, int], wish: dict[str, int], expected: list[object]
) -> None:
    now = of_channel(defaults(Level.CHANNEL, **held), wish, stored=True)

    errors = judge(QOS, Level.CHANNEL, wish, now).errors

    assert [(error.name, error.available_range) for error in errors] == expected
    assert all(error.code is ErrorCode.UNAVAILABLE_VALUE for error in errors)


SWITCHES: dict[str, str] = {"StartTime": "StartTimeSupported", "StopTime": "StopTimeSupported"}


def test_start_and_stop_times_are_unavailable_until_they_are_supported() -> None:
    off = of_message(defaults(Level.PROXY), start_stop=SWITCHES)
    on = of_message(defaults(Level.PROXY, StartTimeSupported=True), start_stop=SWITCHES)
    wish: dict[str, object] = {"StartTime": SOON, "StopTime": SOON}

    assert codes(Level.MESSAGE, wish, off) == [ErrorCode.UNAVAILABLE_PROPERTY] * 2
    assert codes(Level.MESSAGE, wish, on) == [ErrorCode.UNAVAILABLE_PROPERTY]


def test_a_persistent_event_needs_a_persistent_connection() -> None:
    now = of_message(defaults(Level.PROXY), start_stop=SWITCHES)

    assert codes(Level.MESSAGE, {"EventReliability": 1}, now) == [ErrorCode.UNAVAILABLE_VALUE]
    assert codes(Level.MESSAGE, {"EventReliability": 0}, now) == []


def test_what_could_be_set_besides_is_told_with_its_range() -> None:
    now = of_message(defaults(Level.PROXY, StopTimeSupported=True), start_stop=SWITCHES)

    found = additional(QOS, Level.MESSAGE, ["Priority"], now)

    assert set(found) == {"EventReliability", "StopTime", "Timeout"}
    assert found["EventReliability"] == (0, 0)
    assert found["Timeout"] == (0, 2**63 - 1)


DEFAULTS = {
    "EventReliability": 0,
    "ConnectionReliability": 0,
    "Priority": 0,
    "Timeout": 0,
    "StartTimeSupported": False,
    "StopTimeSupported": False,
    "MaxEventsPerConsumer": 0,
    "OrderPolicy": OrderPolicy.PRIORITY,
    "DiscardPolicy": DiscardPolicy.ANY,
    "MaximumBatchSize": 1,
    "PacingInterval": 0,
}


def test_a_channel_begins_with_the_defaults_and_a_child_with_its_parents_values() -> None:
    channel = inherited(Level.CHANNEL, {})

    assert channel == DEFAULTS
    admin = inherited(Level.ADMIN, {**channel, "Priority": 7, "EventReliability": 1})
    assert "EventReliability" not in admin
    assert admin["Priority"] == 7
