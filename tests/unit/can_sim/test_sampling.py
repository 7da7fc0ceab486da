from itertools import pairwise

import pytest
from can_sim.errors import InputError
from can_sim.sample import Sample, Sampling, Trace
from can_sim.sampling import in_order, normalise
from can_sim.tally import Tally
from hypothesis import given
from hypothesis import strategies as st

S = 1_000_000


def row(time_us: int, lat: float = 0.0, speed: float = 0.0, vehicle: str = "A") -> Sample:
    return Sample(time_us, vehicle, lat, lat * 2, speed)


def test_a_trace_of_one_row_a_second_stays_as_it_is() -> None:
    rows = [row(7 * S + n * S, n * 0.1, n * 3.3) for n in range(20)]
    assert normalise(Trace(rows, Sampling.LINEAR), Tally()) == rows


def test_positions_and_speeds_lie_on_straight_lines() -> None:
    rows = [row(500_000, 10, 0), row(4_500_000, 14, 40)]
    found = normalise(Trace(rows, Sampling.LINEAR), Tally())
    assert [(s.time_us, s.lat, s.lon, s.speed_kmh) for s in found] == [
        (500_000, 10, 20, 0),
        (1_500_000, 11, 22, 10),
        (2_500_000, 12, 24, 20),
        (3_500_000, 13, 26, 30),
        (4_500_000, 14, 28, 40),
    ]


def test_an_intervals_speed_holds_up_to_its_end() -> None:
    rows = [row(0, 0, 0), row(2 * S, 2, 30), row(3 * S, 3, 50)]
    found = normalise(Trace(rows, Sampling.INTERVAL), Tally())
    assert [s.speed_kmh for s in found] == [0, 30, 30, 50]


def test_seconds_count_from_each_vehicles_first_row() -> None:
    rows = [row(0), row(2 * S), row(300_000, vehicle="B"), row(2_000_000, vehicle="B")]
    found = normalise(Trace(rows, Sampling.LINEAR), Tally())
    assert [(s.vehicle, s.time_us) for s in found] == [
        ("A", 0),
        ("B", 300_000),
        ("A", S),
        ("B", 1_300_000),
        ("A", 2 * S),
    ]


def test_several_rows_a_second_are_thinned() -> None:
    rows = [row(n * 100_000, n, n) for n in range(31)]
    found = normalise(Trace(rows, Sampling.LINEAR), Tally())
    assert [s.lat for s in found] == [0, 10, 20, 30]


def test_a_kept_trace_keeps_its_own_times() -> None:
    rows = [row(5), row(17), row(2 * S)]
    assert normalise(Trace(rows, Sampling.KEPT), Tally()) == rows


def test_the_date_line_is_crossed_the_short_way() -> None:
    rows = [Sample(0, "A", 0, 179.5, 0), Sample(2 * S, "A", 0, -179.5, 0)]
    middle = normalise(Trace(rows, Sampling.LINEAR), Tally())[1]
    assert abs(middle.lon) == pytest.approx(180)


def test_too_many_samples_are_refused_before_memory_runs_out() -> None:
    rows = [row(0), row(200 * S)]
    with pytest.raises(InputError, match="201 samples at one a second, more than 100 samples"):
        normalise(Trace(rows, Sampling.LINEAR), Tally(), limit=100)


def test_rows_out_of_order_are_sorted_and_doubles_left_out() -> None:
    tally = Tally()
    found = in_order([row(2, 1), row(1, 2), row(2, 3)], tally)
    assert [(s.time_us, s.lat) for s in found] == [(1, 2), (2, 1)]
    assert tally.skipped == {"out_of_order": 1, "same_time": 1}


@given(st.lists(st.integers(0, 50 * S), min_size=1, max_size=20))
def test_samples_are_a_second_apart_and_within_the_trace(times: list[int]) -> None:
    found = normalise(Trace([row(t) for t in times], Sampling.LINEAR), Tally())
    assert found[0].time_us == min(times)
    assert found[-1].time_us <= max(times) < found[-1].time_us + S
    assert all(b.time_us - a.time_us == S for a, b in pairwise(found))
