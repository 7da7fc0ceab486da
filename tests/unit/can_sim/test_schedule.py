from can_sim.clock import TraceClock
from can_sim.runfolder import Planned
from can_sim.schedule import at_rate, by_clock, rest_of

S = 1_000_000


def row(time_us: int, vehicle: str) -> Planned:
    return Planned(time_us, vehicle, "TEST001", 1.0, 2.0, 3.0)


ROWS = [row(0, "A"), row(0, "B"), row(S, "A"), row(S, "B"), row(2 * S, "A")]


def test_rows_are_due_at_their_moments() -> None:
    dues = list(by_clock(ROWS, TraceClock(0, 7 * S, 2.0)))
    assert [due.wall_us for due in dues] == [7 * S, 7 * S, 7 * S + S // 2, 7 * S + S // 2, 8 * S]
    assert all(due.live for due in dues)


def test_at_a_rate_vehicles_take_turns_through_their_own_rows() -> None:
    dues = list(at_rate(ROWS, 7, 1000.0, 5 * S))
    assert [due.row.vehicle for due in dues] == list("ABABABA")
    assert [due.row.time_us for due in dues] == [0, 0, S, S, 2 * S, 0, 0]
    assert [due.wall_us for due in dues] == [5 * S + n * 1000 for n in range(7)]
    assert not any(due.live for due in dues)


def test_at_rate_zero_all_is_due_at_once() -> None:
    assert {due.wall_us for due in at_rate(ROWS, 3, 0.0, 5)} == {None}


def test_the_rest_begins_after_the_row_that_was_told_last() -> None:
    assert list(rest_of(ROWS, None)) == ROWS
    assert list(rest_of(ROWS, (0, "A"))) == ROWS[1:]
    assert list(rest_of(ROWS, (S, "B"))) == ROWS[4:]
    assert list(rest_of(ROWS, (2 * S, "A"))) == []


def test_the_rest_goes_on_where_the_last_row_is_not_in_the_trace() -> None:
    assert list(rest_of(ROWS, (S // 2, "Z"))) == ROWS[2:]
