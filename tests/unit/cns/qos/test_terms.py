"""What counts of an event in one consumer's queue."""

from typing import Any

import pytest
from eventservices.cns import AnyEvent, LongLong, StructuredEvent, structured_event, utc_t
from eventservices.cns.qos.holder import inherited
from eventservices.cns.qos.properties import Level
from eventservices.cns.qos.terms import Appraisal, Mapped, Terms, own_reliability

NOW = 1_000_000_000_000_000
S = 1_000_000
TICKS = 10_000_000


def terms(**changed: Any) -> Terms:
    return Terms.of({**inherited(Level.PROXY, {}), **changed})


def event(**header: Any) -> StructuredEvent:
    return structured_event(("d", "t"), variable_header=header)


def test_an_event_without_header_has_the_proxys_priority_and_timeout() -> None:
    found = terms(Priority=4, Timeout=5 * TICKS).appraise(AnyEvent(1), NOW)

    assert found == Appraisal(4, NOW + 5 * S, NOW + 5 * S, None)


@pytest.mark.parametrize("value", [3, LongLong(3)])
def test_an_events_own_priority_goes_before_the_proxys(value: int) -> None:
    assert terms(Priority=4).appraise(event(Priority=value), NOW).priority == 3


@pytest.mark.parametrize("value", ["3", 40_000, True, None, 3.0])
def test_a_header_that_is_no_priority_is_only_data(value: object) -> None:
    assert terms(Priority=4).appraise(event(Priority=value), NOW).priority == 4


def test_an_events_own_times_count_for_its_place_but_drop_it_only_where_supported() -> None:
    timed = event(Timeout=2 * TICKS, StopTime=utc_t(NOW + 7 * S), StartTime=utc_t(NOW + S))

    off = terms().appraise(timed, NOW)
    on = terms(StopTimeSupported=True, StartTimeSupported=True).appraise(timed, NOW)

    assert off == Appraisal(0, NOW + 2 * S, None, None)
    assert on == Appraisal(0, NOW + 2 * S, NOW + 2 * S, NOW + S)


def test_the_earlier_of_stop_time_and_timeout_counts() -> None:
    supported = terms(StopTimeSupported=True)

    early = event(Timeout=9 * TICKS, StopTime=utc_t(NOW + 3 * S))
    late = event(Timeout=2 * TICKS, StopTime=utc_t(NOW + 3 * S))

    assert supported.appraise(early, NOW).expires_us == NOW + 3 * S
    assert supported.appraise(late, NOW).expires_us == NOW + 2 * S


def test_a_timeout_of_zero_is_none_even_over_the_proxys() -> None:
    supported = terms(StopTimeSupported=True, Timeout=5 * TICKS)

    assert supported.appraise(event(Timeout=0), NOW).expires_us is None


def test_an_unsupported_timeout_leaves_the_proxys_in_force() -> None:
    assert terms(Timeout=5 * TICKS).appraise(event(Timeout=TICKS), NOW).expires_us == NOW + 5 * S


@pytest.mark.parametrize(
    ("header", "mapped", "priority"),
    [
        ({"Priority": 2}, Mapped(priority=9), 9),
        ({"Priority": 2}, Mapped(priority_default=9), 2),
        ({}, Mapped(priority_default=9), 9),
        ({}, Mapped(), 4),
    ],
)
def test_a_mapped_priority_goes_first_and_its_default_before_the_proxys(
    header: dict[str, int], mapped: Mapped, priority: int
) -> None:
    assert terms(Priority=4).appraise(event(**header), NOW, mapped).priority == priority


@pytest.mark.parametrize(
    ("mapped", "expected_s"),
    [
        (Mapped(timeout=TICKS), 1),
        (Mapped(timeout=0), None),
        (Mapped(timeout_default=TICKS), 2),
        (Mapped(), 2),
    ],
)
def test_a_mapped_lifetime_goes_before_the_events_own(
    mapped: Mapped, expected_s: int | None
) -> None:
    found = terms(StopTimeSupported=True).appraise(event(Timeout=2 * TICKS), NOW, mapped)

    assert found.expires_us == (None if expected_s is None else NOW + expected_s * S)


@pytest.mark.parametrize(
    ("header", "expected"),
    [({}, None), ({"EventReliability": 1}, 1), ({"EventReliability": 7}, None)],
)
def test_an_event_may_ask_for_its_reliability(header: dict[str, int], expected: int | None) -> None:
    assert own_reliability(event(**header)) == expected
