"""WITHIN: whose position it tests, and what follows from it."""

from typing import Any

import pytest
from fes.filter import Operators, compile_filter, covers, parse, translate
from fes.filter.language.tree import Within
from fes.filter.place import around, contains, distance_m
from fes.model import Event

HERE = "WITHIN(52.6, -8.6, 500)"

ROWS: list[tuple[dict[str, Any], bool | None]] = [
    ({"lat": 52.6, "lon": -8.6}, True),
    ({"lat": 52.6044, "lon": -8.6}, True),
    ({"lat": 52.6046, "lon": -8.6}, False),
    ({"latitude": 52.6, "longitude": -8.6}, True),
    ({"lat": 0, "lon": 0, "latitude": 52.6, "longitude": -8.6}, False),
    ({"lat": 52.6, "latitude": 52.6, "longitude": -8.6}, True),
    ({"lat": 52.6, "longitude": -8.6}, None),
    ({"lat": 52.6}, None),
    ({}, None),
    ({"lat": "52.6", "lon": -8.6}, None),
    ({"lat": True, "lon": -8.6}, None),
    ({"lat": 91.0, "lon": -8.6}, None),
    ({"lat": float("nan"), "lon": -8.6}, None),
    ({"lat": 52, "lon": -8}, False),
]


@pytest.mark.parametrize(("parameters", "result"), ROWS)
def test_it_tests_the_parameters_that_are_the_position(
    parameters: dict[str, Any], *, result: bool | None
) -> None:
    event = Event.of("Bus", parameters, {"Proximity": "0,0,52.6,-8.6,1000"})
    assert compile_filter(parse(HERE))(event) is result
    inverted = {True: False, False: True, None: None}[result]
    assert compile_filter(parse(f"NOT {HERE}"))(event) is inverted


def test_the_border_belongs_to_it() -> None:
    metres = distance_m(52.6, -8.6, 52.7, -8.7)
    assert contains(Within(52.6, -8.6, metres), 52.7, -8.7)
    assert not contains(Within(52.6, -8.6, metres * 0.999999), 52.7, -8.7)


@pytest.mark.parametrize(
    ("disc", "place"),
    [
        (Within(0.0, 179.9995, 200.0), (0.0, -179.9995)),
        (Within(0.0, -179.9995, 200.0), (0.0, 179.9995)),
        (Within(89.9999, 10.0, 500.0), (89.9999, -170.0)),
        (Within(-89.0, 0.0, 2.3e5), (-89.0, 179.0)),
        (Within(10.0, 10.0, 2.1e7), (-10.0, -170.0)),
    ],
)
def test_the_box_around_a_disc_knows_the_date_line_and_the_poles(
    disc: Within, place: tuple[float, float]
) -> None:
    assert contains(disc, *place)
    assert compile_filter(around(disc))(Event.of("X", lat=place[0], lon=place[1])) is True


def test_a_service_with_comparisons_gets_the_box() -> None:
    service = Operators(subject={"="}, parameter={"<=", ">="})
    found = translate(parse(f"Bus = TRUE AND {HERE}"), service)
    names = [sorted({term.name for term in terms}) for terms in found.disjuncts]
    assert names == [["lat", "lon"], ["latitude", "longitude"]]
    assert "compared one by one" in found.widened[-1]


COVERED = [
    (HERE, "WITHIN(52.6, -8.6, 500)", True),
    (HERE, "WITHIN(52.601, -8.6, 300)", True),
    (HERE, "WITHIN(52.601, -8.6, 450)", False),
    (f"NOT {HERE}", "WITHIN(53.6, -8.6, 500) AND Bus = 1", True),
    (f"NOT {HERE}", "NOT WITHIN(52.6, -8.6, 700)", True),
    (f"NOT {HERE}", "NOT WITHIN(52.6, -8.6, 300)", False),
    (HERE, "lat = 52.6 AND lon = -8.6", False),
]


@pytest.mark.parametrize(("wider", "narrower", "expected"), COVERED)
def test_a_larger_disc_covers_one_in_it(wider: str, narrower: str, *, expected: bool) -> None:
    assert covers(parse(wider), parse(narrower)) is expected
