"""Proximities: the areas in which an event is valid.

A proximity is a circle or a rectangle around a reference point. It is absolute (the point is fixed
on the ground) or relative (the point is an offset from the producer and moves with it). Borders
belong to the area.

Source:
    Meier and Cahill, "Exploiting Proximity in Event-Based Middleware", DAIS 2003; the text form
    is that of the attribute `Proximity` in the FES thesis, section 5.8.
"""

import re
from math import cos, isfinite, radians
from typing import Annotated

import msgspec

from eventservices.errors import MalformedError
from eventservices.steam.geometry import (
    METRES_PER_DEGREE,
    Position,
    longitude_difference,
    normalised,
    within,
)

Extent = Annotated[float, msgspec.Meta(ge=0.0, le=1e8)]
Degrees90 = Annotated[float, msgspec.Meta(ge=-90.0, le=90.0)]
Degrees180 = Annotated[float, msgspec.Meta(ge=-180.0, le=180.0)]


class Circle(msgspec.Struct, frozen=True, array_like=True, tag=0):
    """Everything within a distance of the reference point.

    Attributes:
        relative: Whether the reference point is an offset from the producer.
        lat: Reference point, or offset, in degrees north.
        lon: Reference point, or offset, in degrees east.
        radius_m: Metres, 0 .. 1e8.
    """

    relative: bool
    lat: Degrees90
    lon: Degrees180
    radius_m: Extent


class Rectangle(msgspec.Struct, frozen=True, array_like=True, tag=1):
    """A rectangle centred on the reference point, its sides along parallels and meridians.

    Attributes:
        relative: Whether the reference point is an offset from the producer.
        lat: Reference point, or offset, in degrees north.
        lon: Reference point, or offset, in degrees east.
        dimx_m: Full extent along the longitude axis, measured on the centre's parallel; metres.
        dimy_m: Full extent along the latitude axis; metres.
    """

    relative: bool
    lat: Degrees90
    lon: Degrees180
    dimx_m: Extent
    dimy_m: Extent


Proximity = Circle | Rectangle

# float() reads more than people would recognise as a number: `1_000`, `nan`, digits of any script.
_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?", re.ASCII)


def around(radius_m: float) -> Circle:
    """Return the circle that moves with the producer, itself at the centre.

    Args:
        radius_m: Metres, 0 .. 1e8.

    Raises:
        MalformedError: The radius is out of range.
    """
    circle = Circle(True, 0.0, 0.0, radius_m)
    check_proximity(circle)
    return circle


def contains(proximity: Proximity, producer: Position, here: Position) -> bool:
    """Return whether a place lies in a proximity, borders included.

    Args:
        proximity: The area.
        producer: Where the producer was at the event's time; counts where the area is relative.
        here: The place in question.
    """
    centre = _centre(proximity, producer)
    if isinstance(proximity, Circle):
        return within(centre, here, proximity.radius_m)
    north_m = abs(here.lat - centre.lat) * METRES_PER_DEGREE
    if north_m * 2 > proximity.dimy_m:
        return False
    east_deg = abs(longitude_difference(centre.lon, here.lon))
    east_m = east_deg * METRES_PER_DEGREE * cos(radians(centre.lat))
    return east_m * 2 <= proximity.dimx_m


def _centre(proximity: Proximity, producer: Position) -> Position:
    if not proximity.relative:
        return Position(proximity.lat, proximity.lon)
    if proximity.lat == 0.0 and proximity.lon == 0.0:
        return producer
    return normalised(producer.lat + proximity.lat, producer.lon + proximity.lon)


def check_proximity(proximity: Proximity) -> Proximity:
    """Return `proximity` if its numbers are in range.

    Raises:
        MalformedError: A coordinate or extent is out of range or not a number.
    """
    extents = (
        (proximity.radius_m,)
        if isinstance(proximity, Circle)
        else (proximity.dimx_m, proximity.dimy_m)
    )
    if not (abs(proximity.lat) <= 90 and abs(proximity.lon) <= 180):
        raise MalformedError(f"proximity has no reference point on the Earth: {proximity}")
    if not all(isfinite(extent) and 0 <= extent <= 1e8 for extent in extents):
        raise MalformedError(f"proximity has an extent out of range: {proximity}")
    return proximity


def parse_proximity(text: str) -> Proximity:
    """Return the proximity that a text represents.

    Args:
        text: `0,sub,lat,lon,radius` (circle) or `1,sub,lat,lon,dimx,dimy` (rectangle); sub is 0
            for absolute and 1 for relative; degrees and metres.

    Raises:
        MalformedError: `text` is not such a text, or a number is out of range.
    """
    parts = [part.strip() for part in text.split(",")]
    if len(parts) != {"0": 5, "1": 6}.get(parts[0]) or parts[1] not in {"0", "1"}:
        raise MalformedError(f"not a proximity: {text[:100]!r}")
    if not all(map(_NUMBER.fullmatch, parts[2:])):
        raise MalformedError(f"proximity has a part that is not a number: {text[:100]!r}")
    lat, lon, *extents = map(float, parts[2:])
    relative = parts[1] == "1"
    if len(extents) == 1:
        return check_proximity(Circle(relative, lat, lon, extents[0]))
    return check_proximity(Rectangle(relative, lat, lon, extents[0], extents[1]))


def format_proximity(proximity: Proximity) -> str:
    """Return the text that `parse_proximity` reads, without loss."""
    sub = 1 if proximity.relative else 0
    place = f"{proximity.lat!r},{proximity.lon!r}"
    if isinstance(proximity, Circle):
        return f"0,{sub},{place},{proximity.radius_m!r}"
    return f"1,{sub},{place},{proximity.dimx_m!r},{proximity.dimy_m!r}"
