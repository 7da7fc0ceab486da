from math import pi

import pytest
from eventservices.errors import MalformedError
from eventservices.steam.geometry import (
    EARTH_RADIUS_M,
    Position,
    check_position,
    distance_m,
    longitude_difference,
    normalised,
    within,
)


def test_a_quarter_of_the_equator_has_a_quarter_of_the_circumference() -> None:
    quarter = distance_m(Position(0.0, 0.0), Position(0.0, 90.0))
    assert quarter == pytest.approx(EARTH_RADIUS_M * pi / 2)


def test_the_antipode_is_half_a_circumference_away() -> None:
    assert distance_m(Position(30.0, 10.0), Position(-30.0, -170.0)) == pytest.approx(
        EARTH_RADIUS_M * pi
    )


def test_the_short_way_over_the_date_line_is_taken() -> None:
    east, west = Position(0.0, 179.999), Position(0.0, -179.999)
    assert distance_m(east, west) == pytest.approx(EARTH_RADIUS_M * pi / 180 * 0.002)
    assert longitude_difference(179.0, -179.0) == pytest.approx(2.0)
    assert longitude_difference(-179.0, 179.0) == pytest.approx(-2.0)


def test_a_limit_equal_to_the_distance_is_within() -> None:
    here, there = Position(50.0, 11.0), Position(50.002, 11.003)
    metres = distance_m(here, there)
    assert within(here, there, metres)
    assert not within(here, there, metres - 1e-6)


def test_a_sum_of_degrees_leads_over_the_pole_and_the_date_line() -> None:
    assert normalised(91.0, 10.0) == Position(89.0, -170.0)
    assert normalised(-91.0, -170.0) == Position(-89.0, 10.0)
    assert normalised(10.0, 190.0) == Position(10.0, -170.0)
    assert normalised(10.0, 180.0) == Position(10.0, 180.0)


@pytest.mark.parametrize(
    "position",
    [Position(90.1, 0.0), Position(0.0, -180.1), Position(float("nan"), 0.0), Position(0.0, 1e400)],
)
def test_what_is_no_place_on_the_earth_is_refused(position: Position) -> None:
    with pytest.raises(MalformedError, match="not a position"):
        check_position(position)
