"""Laws of areas and of content filters."""

from math import cos, radians

from eventservices.steam import (
    Circle,
    ContentFilter,
    Position,
    Rectangle,
    Term,
    Value,
    contains,
    distance_m,
    format_proximity,
    parse_proximity,
)
from eventservices.steam.content import Operator
from eventservices.steam.geometry import METRES_PER_DEGREE, normalised
from eventservices.steam.hearing import unheard
from hypothesis import given
from hypothesis import strategies as st

lats, lons = st.floats(-80.0, 80.0), st.floats(-180.0, 180.0)
places = st.builds(Position, lats, lons)
offsets = st.floats(-0.05, 0.05)
extents = st.floats(0.0, 20_000.0)
flags = st.booleans()
circles = st.builds(Circle, flags, offsets, offsets, extents)
rectangles = st.builds(Rectangle, flags, offsets, offsets, extents, extents)
areas = st.one_of(circles, rectangles)


@st.composite
def neighbours(draw: st.DrawFn) -> tuple[Position, Position]:
    one = draw(places)
    return one, normalised(one.lat + draw(offsets), one.lon + draw(offsets))


@given(neighbours(), extents)
def test_a_circle_holds_what_is_no_farther_than_its_radius(
    pair: tuple[Position, Position], radius_m: float
) -> None:
    circle = Circle(False, pair[0].lat, pair[0].lon, radius_m)
    assert contains(circle, pair[1], pair[1]) == (distance_m(*pair) <= radius_m)


@given(neighbours(), extents, extents)
def test_a_rectangle_holds_what_is_within_half_of_both_extents(
    pair: tuple[Position, Position], dimx_m: float, dimy_m: float
) -> None:
    centre, here = pair
    rectangle = Rectangle(False, centre.lat, centre.lon, dimx_m, dimy_m)
    turn = abs(here.lon - centre.lon)
    across_m = min(turn, 360.0 - turn) * METRES_PER_DEGREE * cos(radians(centre.lat))
    along_m = abs(here.lat - centre.lat) * METRES_PER_DEGREE
    slack_m = 1e-6
    if across_m < dimx_m / 2 - slack_m and along_m < dimy_m / 2 - slack_m:
        assert contains(rectangle, here, here)
    if across_m > dimx_m / 2 + slack_m or along_m > dimy_m / 2 + slack_m:
        assert not contains(rectangle, here, here)


@given(places, areas, offsets, offsets)
def test_a_relative_area_is_the_absolute_one_at_the_producer(
    producer: Position, area: Circle | Rectangle, north: float, east: float
) -> None:
    centre = normalised(producer.lat + area.lat, producer.lon + area.lon)
    here = normalised(centre.lat + north, centre.lon + east)
    if isinstance(area, Circle):
        moving: Circle | Rectangle = Circle(True, area.lat, area.lon, area.radius_m)
        fixed: Circle | Rectangle = Circle(False, centre.lat, centre.lon, area.radius_m)
    else:
        moving = Rectangle(True, area.lat, area.lon, area.dimx_m, area.dimy_m)
        fixed = Rectangle(False, centre.lat, centre.lon, area.dimx_m, area.dimy_m)
    assert contains(moving, producer, here) == contains(fixed, producer, here)


@given(neighbours(), areas, st.floats(1.0, 3.0))
def test_a_larger_area_holds_all_that_a_smaller_one_does(
    pair: tuple[Position, Position], area: Circle | Rectangle, scale: float
) -> None:
    if isinstance(area, Circle):
        larger: Circle | Rectangle = Circle(True, area.lat, area.lon, area.radius_m * scale)
        area = Circle(True, area.lat, area.lon, area.radius_m)
    else:
        larger = Rectangle(True, area.lat, area.lon, area.dimx_m * scale, area.dimy_m * scale)
        area = Rectangle(True, area.lat, area.lon, area.dimx_m, area.dimy_m)
    assert contains(larger, *pair) or not contains(area, *pair)


@given(areas)
def test_the_text_of_an_area_is_exact(area: Circle | Rectangle) -> None:
    assert parse_proximity(format_proximity(area)) == area


@given(neighbours(), extents, extents)
def test_over_one_hop_both_hear_each_other_or_neither_does(
    pair: tuple[Position, Position], one_m: float, other_m: float
) -> None:
    one, other = pair
    there = unheard(one, one_m, None, other, other_m)
    assert there == unheard(other, other_m, None, one, one_m)


RELATIONS: tuple[Operator, ...] = ("=", "<", "<=", ">", ">=")
numbers = st.one_of(st.integers(-(2**63), 2**63 - 1), st.floats(allow_nan=False))
words = st.text(st.characters(exclude_categories=["Cs"]), max_size=5)
names = st.sampled_from("xyz")
terms = st.builds(
    Term, names, st.sampled_from(RELATIONS), st.one_of(st.integers(-3, 3), st.just("a"))
)
contents = st.dictionaries(names, st.one_of(st.integers(-3, 3), st.just("a"), st.booleans()))


@given(st.lists(terms, max_size=4), contents)
def test_a_filter_is_the_conjunction_of_its_terms(
    given_terms: list[Term], content: dict[str, Value]
) -> None:
    each = [ContentFilter([term]).accepts(content) for term in given_terms]
    assert ContentFilter(given_terms).accepts(content) == all(each)


@given(st.one_of(st.tuples(numbers, numbers), st.tuples(words, words)))
def test_of_two_values_of_one_kind_one_relation_is_true(pair: tuple[Value, Value]) -> None:
    value, other = pair
    accepts = {
        relation: ContentFilter([Term("x", relation, other)]).accepts({"x": value})
        for relation in RELATIONS
    }
    assert [accepts["<"], accepts["="], accepts[">"]].count(True) == 1
    assert accepts["<="] == (not accepts[">"])
    assert accepts[">="] == (not accepts["<"])
    assert ContentFilter([Term("x", "range", other, other)]).accepts({"x": value}) == accepts["="]


@given(st.sampled_from(RELATIONS), numbers, words)
def test_values_of_two_kinds_are_in_no_relation(
    relation: Operator, number: float, word: str
) -> None:
    assert not ContentFilter([Term("x", relation, number)]).accepts({"x": word})
    assert not ContentFilter([Term("x", relation, word)]).accepts({"x": number})
    assert not ContentFilter([Term("x", relation, number)]).accepts({})
