import pytest
from eventservices.cosmic.calendar import Calendar, Slot
from eventservices.errors import MalformedError, RefusedError


def slot(etag: int, period_us: int, length_us: int, offset_us: int = 0) -> Slot:
    return Slot(1, etag, period_us, length_us, offset_us)


@pytest.mark.parametrize(
    ("one", "other", "meets"),
    [
        (slot(1, 100, 10), slot(2, 100, 10, 10), False),
        (slot(1, 100, 10), slot(2, 100, 10, 9), True),
        (slot(1, 100, 10), slot(2, 150, 10, 20), False),
        (slot(1, 100, 30), slot(2, 150, 30, 20), True),
        (slot(1, 100, 10), slot(2, 101, 1, 50), True),
        (slot(1, 100, 50), slot(2, 100, 50, 150), False),
    ],
)
def test_slots_meet_where_they_ever_overlap(one: Slot, other: Slot, *, meets: bool) -> None:
    assert one.meets(other) is meets
    assert other.meets(one) is meets


def test_a_slot_is_found_beside_others_until_there_is_no_room() -> None:
    calendar = Calendar()
    for etag in range(4):
        calendar.reserve(slot(etag, 1000, 250))
    with pytest.raises(RefusedError, match="no slot"):
        calendar.reserve(slot(9, 1000, 1))


def test_a_slot_that_is_given_back_can_be_had_again() -> None:
    calendar = Calendar()
    held = calendar.reserve(slot(1, 1000, 1000))
    calendar.release(held)
    calendar.release(held)
    assert calendar.reserve(slot(2, 1000, 1000)).etag == 2


def test_slots_of_different_periods_stand_beside_each_other() -> None:
    calendar = Calendar()
    found = [calendar.reserve(slot(n, period, 300)) for n, period in enumerate((1000, 2000, 4000))]
    assert not any(a.meets(b) for a in found for b in found if a is not b)


def test_a_slot_begins_again_every_period() -> None:
    own = slot(1, 1000, 300, 100)
    assert own.next_start_us(5_000_000) == 5_000_100
    assert own.next_start_us(5_000_100) == 5_000_100
    assert own.next_start_us(5_000_101) == 5_001_100
    assert own.deadline_us(5_000_150) == 5_000_400
    assert own.deadline_us(5_000_050) == 4_999_400


def test_planned_slots_are_used_and_never_given_back() -> None:
    planned = slot(5, 1000, 300, 40)
    calendar = Calendar((planned,))
    assert calendar.reserve(slot(5, 2000, 200)) == planned
    calendar.release(planned)
    assert calendar.find(1, 5) == planned
    with pytest.raises(RefusedError, match="too small"):
        calendar.reserve(slot(5, 500, 200))


def test_planned_slots_that_overlap_are_refused() -> None:
    with pytest.raises(MalformedError):
        Calendar((slot(1, 100, 60), slot(2, 100, 60, 50)))


@pytest.mark.parametrize(("period_us", "length_us"), [(0, 0), (10, 11), (10, 0)])
def test_a_slot_fits_its_period(period_us: int, length_us: int) -> None:
    with pytest.raises(MalformedError):
        slot(1, period_us, length_us)
