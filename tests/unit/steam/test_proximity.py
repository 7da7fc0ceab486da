import pytest
from eventservices.errors import MalformedError
from eventservices.steam.geometry import METRES_PER_DEGREE, Position, distance_m
from eventservices.steam.proximity import (
    Circle,
    Proximity,
    Rectangle,
    around,
    contains,
    format_proximity,
    parse_proximity,
)

HERE = Position(0.0, 10.0)


def test_an_absolute_circle_stays_where_it_is() -> None:
    circle = Circle(False, 50.0, 11.0, 200.0)
    assert contains(circle, HERE, Position(50.001, 11.0))
    assert not contains(circle, Position(50.0, 11.0), Position(50.002, 11.0))


def test_a_relative_circle_moves_with_its_producer() -> None:
    circle = around(200.0)
    assert contains(circle, Position(50.0, 11.0), Position(50.001, 11.0))
    assert not contains(circle, Position(50.01, 11.0), Position(50.001, 11.0))


def test_a_relative_reference_point_is_an_offset_from_the_producer() -> None:
    ahead = Circle(True, 0.01, 0.0, 10.0)
    assert contains(ahead, HERE, Position(0.01, 10.0))
    assert not contains(ahead, HERE, HERE)


def test_the_border_of_a_circle_belongs_to_it() -> None:
    producer, receiver = Position(50.0, 11.0), Position(50.001, 11.002)
    border_m = distance_m(producer, receiver)
    assert contains(around(border_m), producer, receiver)
    assert not contains(around(border_m - 1e-6), producer, receiver)


def test_the_border_of_a_rectangle_belongs_to_it() -> None:
    rectangle = Rectangle(True, 0.0, 0.0, METRES_PER_DEGREE * 0.5, METRES_PER_DEGREE * 0.25)
    assert contains(rectangle, HERE, Position(0.125, 10.25))
    assert not contains(rectangle, HERE, Position(0.125, 10.2500001))
    assert not contains(rectangle, HERE, Position(0.1250001, 10.25))


def test_dimx_runs_along_the_longitude_and_dimy_along_the_latitude() -> None:
    wide = Rectangle(True, 0.0, 0.0, 1000.0, 10.0)
    assert contains(wide, HERE, Position(0.0, 10.004))
    assert not contains(wide, HERE, Position(0.004, 10.0))


def test_dimx_is_measured_on_the_parallel_of_the_centre() -> None:
    rectangle = Rectangle(True, 0.0, 0.0, METRES_PER_DEGREE, METRES_PER_DEGREE)
    assert contains(rectangle, Position(60.0, 10.0), Position(60.0, 10.99))
    assert not contains(rectangle, Position(60.0, 10.0), Position(60.0, 11.01))


def test_a_rectangle_reaches_over_the_date_line() -> None:
    rectangle = Rectangle(False, 0.0, 180.0, METRES_PER_DEGREE, 100.0)
    assert contains(rectangle, HERE, Position(0.0, -179.6))
    assert contains(rectangle, HERE, Position(0.0, 179.6))
    assert not contains(rectangle, HERE, Position(0.0, -179.4))


@pytest.mark.parametrize(
    ("text", "proximity"),
    [
        ("0,1,0,0,300", Circle(True, 0.0, 0.0, 300.0)),
        (" 0 , 0 , 50.02 , 11.49 , 150.5 ", Circle(False, 50.02, 11.49, 150.5)),
        ("1,0,50,11,20,40", Rectangle(False, 50.0, 11.0, 20.0, 40.0)),
    ],
)
def test_the_text_form_is_read_and_written_without_loss(text: str, proximity: Proximity) -> None:
    assert parse_proximity(text) == proximity
    assert parse_proximity(format_proximity(proximity)) == proximity


@pytest.mark.parametrize(
    "text",
    [
        "",
        "2,0,0,0,1",
        "0,2,0,0,1",
        "0,0,0,0",
        "0,0,0,0,1,1",
        "1,0,0,0,1",
        "0,0,x,0,1",
        "0,0,91,0,1",
        "0,0,0,181,1",
        "0,0,0,0,-1",
        "0,0,0,0,nan",
        "1,0,0,0,1,inf",
        "0,0,0,0,1e400",
        "0,0,0,0,1_000",
        "0,0,0,0,٣",
        "0,0,,0,1",
        "0,0,0,0,1,",
        "0;0;0;0;1",
        "circle,0,0,0,1",
        "0,0,0,0,1e9",
    ],
)
def test_what_is_no_proximity_is_refused(text: str) -> None:
    with pytest.raises(MalformedError, match="proximity"):
        parse_proximity(text)
