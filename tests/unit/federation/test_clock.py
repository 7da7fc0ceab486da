import pytest
from fes.errors import FederationError
from fes.federation import FederationClock, moment_us
from fes.federation.model import Clock

NOW = 1_790_000_000_000_000


def test_the_default_clock_is_the_wall_clock() -> None:
    clock = FederationClock.of(Clock())
    assert clock.time_us(NOW) == NOW
    assert clock.wall_us(NOW) == NOW


def test_a_clock_with_a_start_begins_there() -> None:
    clock = FederationClock.of(Clock(start=100.5, wall_start_us=NOW))
    assert clock.time_us(NOW) == 100_500_000
    assert clock.time_us(NOW + 7) == 100_500_007
    assert clock.time_us(NOW - 7) == 100_499_993


def test_a_fast_clock_runs_faster_and_back() -> None:
    clock = FederationClock.of(Clock(start=0, speed=20, wall_start_us=NOW))
    assert clock.time_us(NOW + 3_000_000) == 60_000_000
    assert clock.wall_us(60_000_000) == NOW + 3_000_000


def test_a_fast_clock_without_a_start_begins_at_the_wall_clock() -> None:
    clock = FederationClock.of(Clock(speed=2, wall_start_us=NOW))
    assert clock.time_us(NOW + 10) == NOW + 20


@pytest.mark.parametrize("clock", [Clock(start=0), Clock(speed=2.0)])
def test_a_clock_that_was_not_resolved_is_refused(clock: Clock) -> None:
    with pytest.raises(FederationError, match="wall_start_us: is not filled in"):
        FederationClock.of(clock)


def test_a_clock_never_runs_backwards() -> None:
    clock = FederationClock(5, 0.3, NOW)
    times = [clock.time_us(NOW + step) for step in range(-50, 50)]
    assert times == sorted(times)


@pytest.mark.parametrize(
    ("moment", "expected"),
    [
        (0, 0),
        (-1.5, -1_500_000),
        ("1970-01-01", 0),
        ("1970-01-01T00:00:01", 1_000_000),
        ("1970-01-01T01:00:00+01:00", 0),
        ("2026-01-01T12:00:00.000001Z", 1_767_268_800_000_001),
    ],
)
def test_a_moment_is_seconds_or_iso_8601(moment: float | str, expected: int) -> None:
    assert moment_us(moment) == expected


def test_a_moment_that_is_no_iso_8601_is_refused() -> None:
    with pytest.raises(FederationError, match="not a moment in ISO 8601"):
        moment_us("noon")


@pytest.mark.parametrize("moment", [float("nan"), float("inf"), -float("inf"), 1e300, -1e18])
def test_a_number_of_seconds_outside_the_calendar_is_refused(moment: float) -> None:
    with pytest.raises(FederationError, match="is not a number of seconds"):
        moment_us(moment)
