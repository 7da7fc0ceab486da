"""What is malformed is told, with its name and value, and never taken for absent."""

from typing import Any

import pytest
from fes.errors import EventError
from fes.model import Event, attributes


def event(name: str, value: Any) -> Event:
    return Event.of("Speed", {"rate": 1.0}, {name: value})


MOMENTS = [
    "2017-13-45T99:99:99Z",
    "yesterday",
    "2026-01-01T00:00:00+25:00",
    "2026-01-01T00:00:00-24:00",
    "2026-02-30",
    "",
    " ",
    "10000-01-01",
    20240101,
    1.5,
    True,
    b"2026-01-01",
]


@pytest.mark.parametrize("name", ["StopTime", "StartTime"])
@pytest.mark.parametrize("value", MOMENTS)
def test_a_moment_that_is_none_is_refused_by_name(name: str, value: object) -> None:
    with pytest.raises(EventError, match=f"attribute '{name}': .*is not ISO 8601"):
        attributes.check(event(name, value))


@pytest.mark.parametrize("value", ["5", -1, float("nan"), float("inf"), True, b"5"])
def test_a_timeout_that_is_none_is_refused(value: object) -> None:
    with pytest.raises(EventError, match="attribute 'Timeout'"):
        attributes.check(event("Timeout", value))


@pytest.mark.parametrize(
    ("name", "value"),
    [
        *(("Priority", value) for value in ("high", 40_000, -32_768, 1.5, True, "7")),
        *(("Reliability", value) for value in ("1", 2, -1, True, "persistent")),
    ],
)
def test_a_priority_or_reliability_that_is_none_is_told_and_counts_as_the_default(
    name: str, value: object
) -> None:
    odd = event(name, value)
    (told,) = attributes.malformed(odd)
    assert told.startswith(f"attribute {name!r}: {value!r}")
    assert (attributes.priority(odd), attributes.is_persistent(odd)) == (0, False)
    with pytest.raises(EventError, match=name):
        attributes.check(odd)


@pytest.mark.parametrize(
    "values",
    [
        {},
        {"Priority": -32_767, "Reliability": 1, "Timeout": 0},
        {"StartTime": "2026-01-01", "StopTime": "2026-01-01T00:00:00.5+14:00"},
        {"Proximity": "0,1,0,0,300"},
    ],
)
def test_what_is_well_formed_passes(values: dict[str, Any]) -> None:
    good = Event.of("Speed", {}, values)
    attributes.check(good)
    assert attributes.malformed(good) == ()


def test_an_end_at_the_first_moment_of_1970_is_an_end() -> None:
    ended = event("StopTime", "1970-01-01T00:00:00Z")
    assert 0 < attributes.expires_us(ended, 0) <= 1
    assert attributes.expires_us(event("Timeout", 1.0), -1_000_000) == 1
