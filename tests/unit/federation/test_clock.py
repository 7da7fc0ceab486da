from pathlib import Path

import pytest
from fes.errors import FederationError
from fes.federation import FederationClock, moment_us
from fes.federation.clock import Beginning, clock_of
from fes.federation.model import Clock

S = 1_000_000
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


def test_an_awaited_clock_stands_at_its_start_until_a_file_says_that_it_begins(
    tmp_path: Path,
) -> None:
    path = tmp_path / "clock.json"
    described = Clock(start=100.0, speed=20, wall_start_us=NOW)
    clock = clock_of(described, path)
    assert clock.time_us(NOW) == clock.time_us(NOW + 60 * S) == 100 * S
    path.write_text("{")
    assert clock.time_us(NOW + 61 * S) == 100 * S
    Beginning.of(described, NOW + 70 * S).write(path)
    assert clock.time_us(NOW + 62 * S) == 100 * S, "it is known, and yet to come"
    assert clock.time_us(NOW + 70 * S) == 100 * S
    assert clock.time_us(NOW + 71 * S) == 120 * S
    path.unlink()
    assert clock.time_us(NOW + 72 * S) == 140 * S, "it begins once"


def test_a_clock_that_is_the_wall_clock_is_not_awaited(tmp_path: Path) -> None:
    assert clock_of(Clock(wall_start_us=5), tmp_path / "clock.json").time_us(NOW) == NOW
    assert Beginning.of(Clock(), NOW) == Beginning(NOW, NOW, 1.0)
