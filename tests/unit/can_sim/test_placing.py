import pytest
from can_sim.geometry import FlatMap, distance_m
from can_sim.monitors import Monitor
from can_sim.placing import place_monitors
from can_sim.sample import Sample
from can_sim.sampling import normalise
from can_sim.tally import Tally
from can_sim.town.fleet import drive

GROUND = FlatMap(50.0, 8.0)


def straight(length_m: int, kmh: float = 50.0) -> list[Sample]:
    step = 10
    return [
        Sample(n * 1_000_000, "A", *GROUND.position(n * step, 0.0), kmh + n % 5)
        for n in range(length_m // step + 1)
    ]


def events_above(samples: list[Sample], monitors: list[Monitor]) -> int:
    return sum(
        any(
            distance_m(s.lat, s.lon, m.lat, m.lon) <= m.radius_m and s.speed_kmh > m.limit_kmh
            for m in monitors
        )
        for s in samples
    )


def apart_m(a: Monitor, b: Monitor) -> float:
    return distance_m(a.lat, a.lon, b.lat, b.lon)


def test_monitors_stand_at_the_road_and_some_vehicles_exceed_their_limits() -> None:
    samples = straight(3000)
    monitors = place_monitors(samples, 4)
    assert [monitor.name for monitor in monitors] == ["M01", "M02", "M03", "M04"]
    for monitor in monitors:
        assert events_above(samples, [monitor]) > 0


def test_two_overlap_with_different_limits_and_the_others_stand_apart() -> None:
    first, second, *others = place_monitors(straight(3000), 4)
    assert 0 < apart_m(first, second) < first.radius_m + second.radius_m
    assert first.limit_kmh != second.limit_kmh
    for other in others:
        assert apart_m(first, other) >= 2 * first.radius_m - 1


def test_a_trace_of_some_hundred_metres_has_three() -> None:
    assert len(place_monitors(straight(400), 3)) == 3


def test_a_trace_of_one_place_has_one() -> None:
    assert len(place_monitors([Sample(0, "A", 1, 2, 0)], 4)) == 1


def test_an_empty_trace_has_none() -> None:
    assert place_monitors([], 4) == []


def test_the_same_trace_gives_the_same_monitors() -> None:
    assert place_monitors(straight(2000), 4) == place_monitors(straight(2000), 4)


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_ninety_seconds_of_twenty_vehicles_give_two_hundred_offences(seed: int) -> None:
    samples = normalise(drive(20, 90, seed), Tally())
    assert events_above(samples, place_monitors(samples, 4)) >= 200
