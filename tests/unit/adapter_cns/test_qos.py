import math
from typing import Any

import pytest
from adapter_cns import qos
from eventservices.cns import LongLong, Value
from fes.model import Field, Type

TIMEOUT, STOP, RELIABILITY = "Timeout", "StopTime", "Reliability"


def out(name: str, kind: Type, value: Any) -> tuple[str, Value] | None:
    return qos.OUT[name](Field(name, kind, value))


def back(name: str, value: Value) -> Field | None:
    return qos.IN[name](name, value)


@pytest.mark.parametrize("seconds", [0.0, 0.5, 1.5, 0.000001, 3600.25, 1e-7, 86400 * 365.0])
def test_a_timeout_crosses_as_a_time_of_100_ns(seconds: float) -> None:
    named = out(TIMEOUT, Type.DOUBLE, seconds)

    assert named == (TIMEOUT, round(seconds * 1e7))
    assert type(named[1]) is LongLong
    assert back(*named) == Field(TIMEOUT, Type.DOUBLE, seconds)


@pytest.mark.parametrize("microseconds", [1, 333_333, 1_999_999, 12_345_678_901])
def test_what_is_left_of_a_timeout_after_a_hop_is_exact(microseconds: int) -> None:
    named = out(TIMEOUT, Type.DOUBLE, microseconds / 1e6)

    assert named is not None
    assert named[1] == microseconds * 10


@pytest.mark.parametrize("seconds", [-1.0, 1e-9, 0.12345678901, math.inf, math.nan, 1e300])
def test_a_timeout_that_no_time_of_100_ns_holds_stays_as_it_is(seconds: float) -> None:
    assert out(TIMEOUT, Type.DOUBLE, seconds) is None


def test_a_negative_timeout_is_no_time() -> None:
    assert out(TIMEOUT, Type.LONG, -5) is None
    assert out(TIMEOUT, Type.STRING, "5") is None


def test_whole_seconds_do_not_read_as_ticks() -> None:
    named = out(TIMEOUT, Type.LONG, 5)

    assert named == (TIMEOUT, LongLong(50_000_000))
    assert back(*named) == Field(TIMEOUT, Type.DOUBLE, 5.0)


@pytest.mark.parametrize("value", [-1, 2.5, True, "5", None])
def test_a_timeout_of_another_type_is_no_time(value: Value) -> None:
    assert back(TIMEOUT, value) is None


@pytest.mark.parametrize(
    ("text", "ticks", "minutes"),
    [
        ("1582-10-15T00:00:00Z", 0, 0),
        ("1970-01-01T00:00:00Z", 0x01B21DD213814000, 0),
        ("1970-01-01T01:00:00.5+01:00", 0x01B21DD213814000 + 5_000_000, 60),
        ("1969-12-31T18:30:00.0000001-05:30", 0x01B21DD213814000 + 1, -330),
    ],
)
def test_a_moment_crosses_as_a_utct(text: str, ticks: int, minutes: int) -> None:
    named = out(STOP, Type.STRING, text)

    assert named == (STOP, {"time": ticks, "inacclo": 0, "inacchi": 0, "tdf": minutes})
    assert back(*named) == Field(STOP, Type.STRING, text)


@pytest.mark.parametrize(
    "text",
    [
        "2026-01-01",
        "2026-01-01T00:00:00",
        "2026-01-01T00:00:00+00:00",
        "2026-01-01T00:00:00.50Z",
        "2026-13-01T00:00:00Z",
        "1500-01-01T00:00:00Z",
        "2026-01-01T00:00:00-00:30:00",
        "soon",
    ],
)
def test_a_moment_that_would_come_back_otherwise_stays_text(text: str) -> None:
    assert out(STOP, Type.STRING, text) is None


@pytest.mark.parametrize(
    "value",
    [
        {"time": -1},
        {"time": 2**62},
        {"time": "0"},
        {"time": 0, "tdf": 1440},
        {"time": 0, "tdf": None},
        {},
        7,
        "2026-01-01T00:00:00Z",
    ],
)
def test_what_is_no_utct_is_not_read_as_one(value: Value) -> None:
    assert back(STOP, value) is None


def test_reliability_has_its_own_name() -> None:
    assert out(RELIABILITY, Type.LONG, 1) == ("EventReliability", 1)
    assert out(RELIABILITY, Type.LONG, 2) is None
    assert out(RELIABILITY, Type.DOUBLE, 1.0) is None
    assert back("EventReliability", 0) == Field(RELIABILITY, Type.LONG, 0)
    assert back("EventReliability", True) is None
    assert back("EventReliability", 7) is None
