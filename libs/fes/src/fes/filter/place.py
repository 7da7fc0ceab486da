"""The position of an event, and distances from it.

The position of an event is its parameters `lat` and `lon`, or `latitude` and `longitude` where it
lacks one of those. Attributes are not considered: `Proximity` states where an event may be
received, not where it happened.
"""

from collections.abc import Callable
from math import asin, cos, degrees, pi, radians, sin, sqrt
from typing import Any, Final

from fes.filter.language.tree import (
    And,
    Comparison,
    Condition,
    Constant,
    Operand,
    Or,
    Parameter,
    Within,
    all_of,
)
from fes.model.event import Event

POSITIONS: Final = (("lat", "lon"), ("latitude", "longitude"))
"""Names of the parameters of a position; the first pair that the event has counts."""

_NAMES: Final = frozenset(name for names in POSITIONS for name in names)

EARTH_RADIUS_M: Final = 6_371_008.8

_SLACK_M: Final = 0.01
"""By how much rounding may move a border."""


def position_of(event: Event) -> tuple[float, float] | None:
    """Return where an event happened.

    Returns:
        Latitude and longitude, WGS 84, degrees; None where the event has none, or none on Earth.
    """
    found: dict[str, Any] = {}
    for field in event.parameters:
        if field.id in _NAMES:
            found[field.id] = field.value
    for lat_name, lon_name in POSITIONS if found else ():
        lat, lon = found.get(lat_name), found.get(lon_name)
        if lat is not None and lon is not None:
            return (lat, lon) if _is_degree(lat, 90) and _is_degree(lon, 180) else None
    return None


def distance_m(lat: float, lon: float, other_lat: float, other_lon: float) -> float:
    """Return the great-circle distance between two positions, in metres.

    Source:
        Haversine formula with mean radius 6 371 008.8 m (Moritz 2000).
    """
    up, over = radians(other_lat - lat) / 2, radians(other_lon - lon) / 2
    chord = sin(up) ** 2 + cos(radians(lat)) * cos(radians(other_lat)) * sin(over) ** 2
    return 2 * EARTH_RADIUS_M * asin(min(1.0, sqrt(chord)))


def contains(disc: Within, lat: float, lon: float) -> bool:
    """Return whether a position is in a disc, its border included."""
    return inside_of(disc)(lat, lon)


def inside_of(disc: Within) -> Callable[[float, float], bool]:
    """Return a function that returns whether a position is in a disc, its border included.

    It compares half chords, as `distance_m` calculates them, and excludes most positions far away
    by their latitude alone.
    """
    angle = min(disc.metres / EARTH_RADIUS_M, pi)
    reach = degrees(angle) + 1e-6
    limit = sin(angle / 2) ** 2 * (1 + 1e-12)
    here, lon_here, cos_here = disc.lat, disc.lon, cos(radians(disc.lat))

    def inside(lat: float, lon: float) -> bool:
        if abs(lat - here) > reach:
            return False
        up, over = sin(radians(lat - here) / 2), sin(radians(lon - lon_here) / 2)
        return up * up + cos_here * cos(radians(lat)) * over * over <= limit

    return inside


def encloses(disc: Within, other: Within) -> bool:
    """Return whether a disc contains another one; False in doubt."""
    between = distance_m(disc.lat, disc.lon, other.lat, other.lon)
    return disc == other or between + other.metres + _SLACK_M <= disc.metres


def is_apart(disc: Within, other: Within) -> bool:
    """Return whether two discs have no position in common; False in doubt."""
    between = distance_m(disc.lat, disc.lon, other.lat, other.lon)
    return between > disc.metres + other.metres + _SLACK_M


def around(disc: Within) -> Condition:
    """Return comparisons that are true wherever a position is in a disc.

    Source:
        J. P. Matuschek, bounding coordinates: a meridian touches a circle where
        sin(dlon) = sin(r) / cos(lat).
    """
    angle = (disc.metres * (1 + 1e-9) + _SLACK_M) / EARTH_RADIUS_M
    reach = degrees(min(angle, pi))
    south, north = disc.lat - reach, disc.lat + reach
    lons = [(-180.0, 180.0)]
    if south > -90 and north < 90:
        wide = degrees(asin(min(1.0, sin(angle) / cos(radians(disc.lat))))) + 1e-9
        lons = _turned(disc.lon - wide, disc.lon + wide)
    pairs = [(Parameter(lat), Parameter(lon)) for lat, lon in POSITIONS]
    boxes: list[Condition] = [
        all_of((_between(lat, max(south, -90.0), min(north, 90.0)), _between(lon, west, east)))
        for lat, lon in pairs
        for west, east in lons
    ]
    return Or(tuple(boxes))


def _turned(west: float, east: float) -> list[tuple[float, float]]:
    """Return an interval of longitudes as intervals within -180 to 180."""
    if west < -180:
        return [(-180.0, east), (west + 360, 180.0)]
    if east > 180:
        return [(west, 180.0), (-180.0, east - 360)]
    return [(west, east)]


def _between(operand: Operand, low: float, high: float) -> Condition:
    return And(
        (Comparison(operand, ">=", Constant(low)), Comparison(operand, "<=", Constant(high)))
    )


def _is_degree(value: Any, most: int) -> bool:
    is_number = isinstance(value, float | int) and value.__class__ is not bool
    return is_number and -most <= value <= most  # which NaN is not
