"""Who hears what: producer, receiver and area as data."""

from typing import NamedTuple

import pytest
from eventservices.steam import Position, parse_proximity
from eventservices.steam.hearing import Unheard, unheard

# One thousandth of a degree of latitude is 111.2 m; of longitude at 50 degrees north 71.5 m.
HERE = Position(50.0, 11.0)


class Case(NamedTuple):
    what: str
    area: str
    receiver: Position | None
    outcome: Unheard | None
    producer: Position = HERE
    ranges_m: tuple[float, float] = (300.0, 300.0)


CASES = [
    Case("at the same place", "0,1,0,0,0", HERE, None),
    Case("within a relative circle", "0,1,0,0,112", Position(50.001, 11.0), None),
    Case(
        "just outside a relative circle",
        "0,1,0,0,111",
        Position(50.001, 11.0),
        "outside_proximity",
    ),
    Case("within range of both, area larger", "0,1,0,0,9000", Position(50.002, 11.0), None),
    Case("area larger than the range", "0,1,0,0,9000", Position(50.003, 11.0), "out_of_range"),
    Case(
        "the producer's range is the smaller one",
        "0,1,0,0,9000",
        Position(50.001, 11.0),
        "out_of_range",
        ranges_m=(100.0, 300.0),
    ),
    Case(
        "the receiver's range is the smaller one",
        "0,1,0,0,9000",
        Position(50.001, 11.0),
        "out_of_range",
        ranges_m=(300.0, 100.0),
    ),
    Case("within an absolute circle", "0,0,50.002,11,120", Position(50.001, 11.0), None),
    Case(
        "the producer stands in an absolute circle, the receiver does not",
        "0,0,50,11,100",
        Position(50.001, 11.0),
        "outside_proximity",
    ),
    Case(
        "both outside an absolute circle, side by side",
        "0,0,51,11,100",
        HERE,
        "outside_proximity",
    ),
    Case("in a circle ahead of the producer", "0,1,0.002,0,50", Position(50.002, 11.0), None),
    Case("in no circle ahead of it", "0,1,0.002,0,50", HERE, "outside_proximity"),
    Case(
        "the circle ahead went on with its producer",
        "0,1,0.002,0,50",
        Position(50.002, 11.0),
        "outside_proximity",
        producer=Position(50.001, 11.0),
    ),
    Case("in a relative rectangle", "1,1,0,0,150,10", Position(50.0, 11.001), None),
    Case(
        "extents are whole, not half",
        "1,1,0,0,140,10",
        Position(50.0, 11.001),
        "outside_proximity",
    ),
    Case(
        "dimx is no dimy",
        "1,1,0,0,10,300",
        Position(50.0, 11.001),
        "outside_proximity",
    ),
    Case("dimy runs north", "1,1,0,0,10,300", Position(50.001, 11.0), None),
    Case(
        "in a corner that a circle would not hold",
        "1,1,0,0,200,300",
        Position(50.0013, 11.0013),
        None,
    ),
    Case("in an absolute rectangle", "1,0,50.001,11,100,250", Position(50.002, 11.0), None),
    Case("north of it", "1,0,50.001,11,100,220", Position(50.002, 11.0), "outside_proximity"),
    Case("in a rectangle beside the producer", "1,1,0,0.002,80,80", Position(50.0, 11.0025), None),
    Case("an empty rectangle holds its centre", "1,1,0,0,0,0", HERE, None),
    Case("nobody knows where it is", "0,1,0,0,300", None, "no_position"),
    Case("a radio without range", "0,1,0,0,300", HERE, None, ranges_m=(0.0, 0.0)),
    Case(
        "over the date line",
        "0,1,0,0,300",
        Position(0.0, -179.999),
        None,
        producer=Position(0.0, 179.999),
    ),
    Case(
        "over the pole",
        "0,1,0,0,300",
        Position(89.999, -170.0),
        None,
        producer=Position(89.999, 10.0),
    ),
    Case(
        "a rectangle over the date line",
        "1,0,0,180,500,10",
        Position(0.0, -179.999),
        None,
        producer=Position(0.0, 179.999),
    ),
]


@pytest.mark.parametrize("case", CASES, ids=[case.what for case in CASES])
def test_geometry_decides_who_hears(case: Case) -> None:
    sender_m, receiver_m = case.ranges_m
    area = parse_proximity(case.area)
    assert unheard(case.producer, sender_m, area, case.receiver, receiver_m) == case.outcome


def test_a_message_without_area_is_heard_wherever_the_radio_reaches() -> None:
    assert unheard(HERE, 300.0, None, Position(50.002, 11.0), 300.0) is None
    assert unheard(HERE, 300.0, None, Position(50.003, 11.0), 300.0) == "out_of_range"
