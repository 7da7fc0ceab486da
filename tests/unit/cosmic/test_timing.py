import pytest
from eventservices.cosmic.timing import frame_bits, frame_time_us, srt_priority


@pytest.mark.parametrize(
    ("data_bytes", "extended", "bits"),
    [(8, True, 160), (0, True, 80), (8, False, 135), (0, False, 55), (1, True, 90)],
)
def test_a_frame_has_as_many_bits_as_stuffing_can_make_it(
    data_bytes: int, bits: int, *, extended: bool
) -> None:
    assert frame_bits(data_bytes, extended=extended) == bits


def test_a_full_frame_takes_160_us_at_a_megabit() -> None:
    assert frame_time_us(8, 1_000_000) == 160.0
    assert frame_time_us(8, 125_000) == 1280.0
    assert frame_time_us(8, 0) == 0.0


@pytest.mark.parametrize(
    ("left_us", "slot_us", "priority"),
    [
        (0, 1000, 1),
        (-1, 1000, 1),
        (-5_000_000, 1000, 1),
        (999, 1000, 1),
        (1000, 1000, 2),
        (248_999, 1000, 249),
        (249_000, 1000, 250),
        (10_000_000, 1000, 250),
        (500, 100, 6),
    ],
)
def test_a_priority_rises_as_the_deadline_comes_nearer(
    left_us: int, slot_us: int, priority: int
) -> None:
    assert srt_priority(50_000_000 + left_us, 50_000_000, slot_us) == priority
