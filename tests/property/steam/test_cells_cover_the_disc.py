from math import asin, atan2, cos, degrees, radians, sin

import pytest
from eventservices.errors import MalformedError
from eventservices.steam.cells import MAX_CELLS, Grid
from eventservices.steam.geometry import EARTH_RADIUS_M, Position, distance_m, normalised
from hypothesis import example, given, settings
from hypothesis import strategies as st

latitudes = st.one_of(
    st.floats(-90.0, 90.0),
    st.floats(89.99, 90.0),
    st.floats(-90.0, -89.99),
    st.sampled_from([-90.0, 0.0, 90.0]),
)
longitudes = st.one_of(
    st.floats(-180.0, 180.0), st.floats(179.99, 180.0), st.floats(-180.0, -179.99)
)
positions = st.builds(Position, latitudes, longitudes)
bearings = st.floats(0.0, 360.0)
shares = st.one_of(st.floats(0.0, 1.0), st.just(1.0))
scales = st.floats(0.2, 20.0)
edges = st.floats(1.0, 200_000.0)


def walk(start: Position, bearing_deg: float, metres: float) -> Position:
    """Return where a great circle from a place leads."""
    lat, lon, angle = radians(start.lat), radians(start.lon), metres / EARTH_RADIUS_M
    bearing = radians(bearing_deg)
    sine = sin(lat) * cos(angle) + cos(lat) * sin(angle) * cos(bearing)
    east = atan2(sin(bearing) * sin(angle) * cos(lat), cos(angle) - sin(lat) * sine)
    return normalised(degrees(asin(max(-1.0, min(1.0, sine)))), degrees(lon + east))


@settings(deadline=None, max_examples=1500)
@given(positions, bearings, shares, scales, edges)
@example(Position(90.0, 0.0), 0.0, 1.0, 1.0, 300.0)
@example(Position(89.999, -180.0), 1.0, 1.0, 3.0, 300.0)
@example(Position(0.0, 180.0), 90.0, 1.0, 1.0, 300.0)
@example(Position(-89.9, 180.0), 180.0, 1.0, 20.0, 900.0)
def test_every_point_within_range_lies_in_a_subscribed_cell(
    centre: Position, bearing: float, share: float, scale: float, edge_m: float
) -> None:
    grid, range_m = Grid(edge_m), edge_m * scale
    point = walk(centre, bearing, range_m * share)
    if distance_m(centre, point) <= range_m:
        assert grid.cell(point) in grid.cover(centre, range_m)


@settings(deadline=None, max_examples=500)
@given(positions, positions, st.floats(100_000.0, 3e7), st.floats(0.2, 3.0))
def test_every_point_within_range_is_covered_even_where_cells_are_continents(
    centre: Position, point: Position, edge_m: float, scale: float
) -> None:
    grid, range_m = Grid(edge_m), edge_m * scale
    if distance_m(centre, point) <= range_m:
        assert grid.cell(point) in grid.cover(centre, range_m)


@settings(deadline=None)
@given(positions, edges)
def test_a_cell_is_no_finer_than_its_edge(centre: Position, edge_m: float) -> None:
    # Twelve cells are what a disc of one edge meets at most in a grid of such cells.
    assert len(Grid(edge_m).cover(centre, edge_m)) <= 12


@settings(deadline=None)
@given(positions, edges)
def test_a_position_lies_in_the_cell_that_a_disc_around_it_covers(
    centre: Position, edge_m: float
) -> None:
    grid = Grid(edge_m)
    assert grid.cell(centre) in grid.cover(centre, 0.0)


@pytest.mark.parametrize("lat", [0.0, 89.9999, -90.0])
def test_a_disc_of_too_many_cells_is_refused(lat: float) -> None:
    with pytest.raises(MalformedError, match=str(MAX_CELLS)):
        Grid(1.0).cover(Position(lat, 0.0), 1_000.0)


def test_a_disc_far_from_a_cell_does_not_touch_it() -> None:
    grid = Grid(300.0)
    assert grid.cell(Position(50.1, 11.0)) not in grid.cover(Position(50.0, 11.0), 300.0)
