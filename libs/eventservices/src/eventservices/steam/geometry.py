"""Positions on the Earth and the distances between them."""

from math import asin, cos, isfinite, pi, radians, sin, sqrt
from typing import Annotated

import msgspec

from eventservices.errors import MalformedError

EARTH_RADIUS_M = 6_371_008.8
"""Mean radius of the Earth (Moritz 2000)."""

METRES_PER_DEGREE = EARTH_RADIUS_M * pi / 180
"""Length of one degree along a meridian."""

_CHORD_SLACK_M = 1e-3

Latitude = Annotated[float, msgspec.Meta(ge=-90.0, le=90.0)]
Longitude = Annotated[float, msgspec.Meta(ge=-180.0, le=180.0)]


class Position(msgspec.Struct, frozen=True, array_like=True):
    """A point on the Earth.

    Attributes:
        lat: Degrees north, WGS 84, -90 .. 90.
        lon: Degrees east, WGS 84, -180 .. 180.
    """

    lat: Latitude
    lon: Longitude


def check_position(position: Position) -> Position:
    """Return `position` if it is a point on the Earth.

    Raises:
        MalformedError: A coordinate is out of range or not a number.
    """
    lat, lon = position.lat, position.lon
    if not (isfinite(lat) and isfinite(lon) and abs(lat) <= 90 and abs(lon) <= 180):
        raise MalformedError(f"not a position in degrees: {lat}, {lon}")
    return position


def normalised(lat: float, lon: float) -> Position:
    """Return the point that a sum of degrees leads to, over a pole or the date line if need be.

    Args:
        lat: Degrees north, -270 .. 270.
        lon: Degrees east, any finite number.
    """
    if abs(lat) > 90:
        lat = (180.0 if lat > 0 else -180.0) - lat
        lon += 180.0
    if abs(lon) > 180:
        lon = (lon + 180.0) % 360.0 - 180.0
    return Position(lat, lon)


def longitude_difference(a: float, b: float) -> float:
    """Return how far `b` is east of `a`, the short way round, in degrees: -180 .. 180."""
    difference = b - a
    if -180.0 <= difference <= 180.0:
        return difference
    return (difference + 180.0) % 360.0 - 180.0


def distance_m(a: Position, b: Position) -> float:
    """Return the great-circle distance between two positions.

    Args:
        a: WGS 84, degrees.
        b: WGS 84, degrees.

    Returns:
        Metres, never negative; within 0.5 % of the ellipsoid.

    Source:
        Haversine formula with mean radius 6 371 008.8 m (Moritz 2000).
    """
    half_lat = sin(radians(b.lat - a.lat) / 2)
    half_lon = sin(radians(b.lon - a.lon) / 2)
    chord = half_lat * half_lat + cos(radians(a.lat)) * cos(radians(b.lat)) * half_lon * half_lon
    return 2 * EARTH_RADIUS_M * asin(sqrt(min(chord, 1.0)))


def within(a: Position, b: Position, limit_m: float) -> bool:
    """Return whether two positions are at most `limit_m` apart; cheap where they are far apart."""
    if abs(a.lat - b.lat) * METRES_PER_DEGREE > limit_m + _CHORD_SLACK_M:
        return False
    return distance_m(a, b) <= limit_m
