"""A chart of monitors, fleet and offenders, in the units of an SVG picture."""

import math
from dataclasses import dataclass

WIDTH = 900.0
"""Width of the picture; its height follows."""

_METRES_A_DEGREE = 111_195.0
_MARGIN_M = 50.0


@dataclass(frozen=True, slots=True)
class Place:
    """Something on the map: degrees WGS 84, and the radius of its circle in metres."""

    name: str
    lat: float
    lon: float
    radius_m: float = 0.0


@dataclass(frozen=True, slots=True)
class Mark:
    """The same in the picture."""

    name: str
    x: float
    y: float
    r: float


@dataclass(frozen=True, slots=True)
class Chart:
    """A picture, ready to be written."""

    width: float
    height: float
    monitors: tuple[Mark, ...]
    offenders: tuple[Mark, ...]
    fleet: tuple[Mark, ...]


def draw(monitors: list[Place], offenders: list[Place], fleet: list[Place]) -> Chart:
    """Return a chart that shows all monitors and offenders, and what is near of the fleet.

    Args:
        monitors: Each with its range.
        offenders: Where they were caught.
        fleet: Where vehicles drove.
    """
    shown = [*monitors, *offenders] or fleet or [Place("", 0.0, 0.0)]
    projection = _projection(shown)
    height = min(WIDTH * 1.2, max(WIDTH * 0.2, projection.height))
    marks = [projection.mark(place) for place in fleet]
    inside = [mark for mark in marks if 0 <= mark.x <= WIDTH and 0 <= mark.y <= height]
    return Chart(
        WIDTH,
        round(height, 1),
        tuple(map(projection.mark, monitors)),
        tuple(map(projection.mark, offenders)),
        tuple(inside),
    )


@dataclass(frozen=True, slots=True)
class _Projection:
    """Equirectangular about the middle of what is shown; units a metre."""

    west_m: float
    north_m: float
    shrink: float
    scale: float
    height: float

    def mark(self, place: Place) -> Mark:
        east = place.lon * _METRES_A_DEGREE * self.shrink - self.west_m
        south = self.north_m - place.lat * _METRES_A_DEGREE
        sizes = (east, south, place.radius_m)
        return Mark(place.name, *(round(size * self.scale, 1) for size in sizes))


def _projection(places: list[Place]) -> _Projection:
    middle = sum(place.lat for place in places) / len(places)
    shrink = math.cos(math.radians(middle))
    edges = [place.radius_m + _MARGIN_M for place in places]
    easts = [place.lon * _METRES_A_DEGREE * shrink for place in places]
    norths = [place.lat * _METRES_A_DEGREE for place in places]
    west = min(x - edge for x, edge in zip(easts, edges, strict=True))
    east = max(x + edge for x, edge in zip(easts, edges, strict=True))
    south = min(y - edge for y, edge in zip(norths, edges, strict=True))
    north = max(y + edge for y, edge in zip(norths, edges, strict=True))
    scale = WIDTH / max(east - west, (north - south) / 1.2)
    return _Projection(west, north, shrink, scale, (north - south) * scale)
