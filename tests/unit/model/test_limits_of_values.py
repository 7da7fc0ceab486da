"""Values at and beyond what stamps and attributes may be."""

from typing import Any

import pytest
from fes.control import from_event
from fes.errors import ControlEventError, EventError
from fes.model import Event, Stamp, attributes, check_stamp

TIME_US = 1_700_000_000_000_000


def ends(**given: Any) -> int:
    return attributes.expires_us(Event.of("a", {}, given), TIME_US)


@pytest.mark.parametrize("timeout", [1e11, 1e300, 1.7976931348623157e308, 2**62, 0, 0.0])
def test_a_timeout_beyond_all_time_never_ends(timeout: float) -> None:
    assert ends(Timeout=timeout) == 0


def test_the_longest_timeout_fits_64_bits() -> None:
    end_us = attributes.expires_us(Event.of("a", {}, {"Timeout": 1e10}), 2**62)
    assert 2**62 < end_us < 2**63


@pytest.mark.parametrize("timeout", [float("nan"), float("inf"), -1, "5", True, b"5"])
def test_a_timeout_that_is_no_duration_is_named(timeout: object) -> None:
    with pytest.raises(EventError, match="attribute 'Timeout'"):
        ends(Timeout=timeout)


@pytest.mark.parametrize("stop", ["soon", "2020-13-01", "", 5, "0001-01-01T00:00:00+23:59x"])
def test_a_stop_that_is_no_moment_is_named(stop: object) -> None:
    with pytest.raises(EventError, match="attribute 'StopTime'"):
        ends(StopTime=stop)


GOOD = Stamp("o" * 512, 2**63 - 1, 2**63 - 1, -(2**63) + 1, "h")


def test_a_stamp_at_its_bounds_is_one() -> None:
    assert check_stamp(GOOD) is GOOD


@pytest.mark.parametrize(
    ("stamp", "what"),
    [
        (Stamp("", 1, 1, 1, "h"), "origin"),
        (Stamp("o" * 513, 1, 1, 1, "h"), "origin"),
        (Stamp("o", 1, 1, 1, ""), "home"),
        (Stamp("o", -1, 1, 1, "h"), "epoch"),
        (Stamp("o", 2**63, 1, 1, "h"), "epoch"),
        (Stamp("o", 1, 0, 1, "h"), "sequence"),
        (Stamp("o", 1, 1, 2**63, "h"), "time"),
    ],
)
def test_a_stamp_beyond_its_bounds_is_named(stamp: Stamp, what: str) -> None:
    with pytest.raises(EventError, match=what):
        check_stamp(stamp)


@pytest.mark.parametrize(
    "text",
    [
        "o;1;1;1",
        "o;1;1;1;h;x",
        ";1;1;1;h",
        "o;1;1;1;",
        "o;x;1;1;h",
        f"o;{10**30};1;1;h",
        "o;1;0;1;h",
        "o;1;1;" + "9" * 4000 + ";h",
        "o" * 600 + ";1;1;1;h",
    ],
)
def test_a_stamp_in_a_control_event_is_checked(text: str) -> None:
    parameters = {"Type": 2, "DistList": "a", "Source": "b", "Filter": "c"}
    event = Event.of("FES_ControlEvent", parameters, {"FES_Id": text})
    with pytest.raises(ControlEventError, match="stamp is not well formed"):
        from_event(event, None)
