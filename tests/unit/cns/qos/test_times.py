from datetime import UTC, datetime, timedelta, timezone

import pytest
from eventservices.cns import time_t, utc_t
from eventservices.cns.qos.times import us_of_time_t, us_of_utc_t
from hypothesis import given
from hypothesis import strategies as st


@pytest.mark.parametrize(
    ("duration", "ticks"),
    [(timedelta(seconds=1), 10_000_000), (1, 10_000_000), (0.25, 2_500_000), (timedelta(0), 0)],
)
def test_a_duration_counts_units_of_100_ns(duration: timedelta | float, ticks: int) -> None:
    assert time_t(duration) == ticks


def test_a_moment_counts_from_the_gregorian_calendar() -> None:
    assert utc_t(datetime(1582, 10, 15, tzinfo=UTC))["time"] == 0
    assert utc_t(datetime(1970, 1, 1, tzinfo=UTC))["time"] == 122_192_928_000_000_000


def test_a_moment_of_another_time_zone_is_the_same_moment() -> None:
    east = timezone(timedelta(hours=2))

    assert utc_t(datetime(2030, 1, 1, 2, tzinfo=east)) == utc_t(datetime(2030, 1, 1, tzinfo=UTC))


@given(st.integers(-(10**16), 10**16))
def test_microseconds_come_back(us: int) -> None:
    assert us_of_utc_t(utc_t(us)) == us
    assert us_of_time_t(time_t(timedelta(microseconds=us))) == us
