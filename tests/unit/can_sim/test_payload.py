import pytest
from can_sim.payload import speed_frame


@pytest.mark.parametrize(
    ("kmh", "rate", "saturated"),
    [
        (0.0, 0, False),
        (0.49, 0, False),
        (0.5, 1, False),
        (82.5, 83, False),
        (254.5, 255, False),
        (255.49, 255, False),
        (255.5, 255, True),
        (400.0, 255, True),
        (-0.4, 0, False),
        (-12.95, 0, True),
    ],
)
def test_the_byte_is_rounded_half_up_and_saturates(kmh: float, rate: int, saturated: bool) -> None:  # noqa: FBT001 - a case's expectation
    frame = speed_frame("TEST001", kmh)
    assert frame.data == b"TEST001" + bytes((rate,))
    assert (frame.rate, frame.saturated) == (rate, saturated)
