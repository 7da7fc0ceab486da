"""Grid cells: the places that MQTT topics are made of.

Rows are bands of equal latitude; each row is cut into as many columns as leave a cell at least
one edge wide. A pole is one round cell, and columns close over the date line.
"""

from collections.abc import Iterator
from math import asin, ceil, cos, degrees, floor, isfinite, pi, radians, sin, sqrt

from eventservices.errors import MalformedError
from eventservices.steam.geometry import EARTH_RADIUS_M, METRES_PER_DEGREE, Position

MAX_CELLS = 4096
"""Most cells that one disc may need; a finer grid than that is a mistake."""

Cell = tuple[int, int]
"""Row from the south pole and column from the date line, both from 0."""

_SLACK_M = 0.01


class Grid:
    """Cuts the Earth into cells.

    Args:
        edge_m: Edge of a cell; metres, from 1.

    Raises:
        MalformedError: `edge_m` is out of range.
    """

    def __init__(self, edge_m: float) -> None:
        if not isfinite(edge_m) or edge_m < 1:
            raise MalformedError(f"a cell's edge must be a number of metres from 1, not {edge_m}")
        self.edge_m = edge_m
        self._rows = max(1, ceil(180.0 * METRES_PER_DEGREE / edge_m))
        self._step_deg = 180.0 / self._rows

    def cell(self, position: Position) -> Cell:
        """Return the cell that a position lies in."""
        row = self._row(position.lat)
        columns = self._columns(row)
        return row, min(int(((position.lon + 180.0) % 360.0) / 360.0 * columns), columns - 1)

    def cover(self, centre: Position, radius_m: float) -> set[Cell]:
        """Return every cell that a disc touches.

        Args:
            centre: Middle of the disc.
            radius_m: Great-circle radius in metres, from 0.

        Raises:
            MalformedError: The disc touches more than `MAX_CELLS` cells.
        """
        angle = min((radius_m * (1 + 1e-9) + _SLACK_M) / EARTH_RADIUS_M, pi)
        reach_deg = degrees(angle)
        first, last = self._row(centre.lat - reach_deg), self._row(centre.lat + reach_deg)
        cells: set[Cell] = set()
        for row in range(first, last + 1):
            cells.update(self._touched(row, centre, angle))
            if len(cells) > MAX_CELLS:
                raise MalformedError(
                    f"a disc of {radius_m:.0f} m touches more than {MAX_CELLS} cells "
                    f"of {self.edge_m:.0f} m"
                )
        return cells

    def _row(self, lat: float) -> int:
        return min(max(int((lat + 90.0) / self._step_deg), 0), self._rows - 1)

    def _columns(self, row: int) -> int:
        low = -90.0 + row * self._step_deg
        farthest = min(max(abs(low), abs(low + self._step_deg)), 90.0)
        return max(1, int(360.0 * cos(radians(farthest)) / self._step_deg))

    def _touched(self, row: int, centre: Position, angle: float) -> Iterator[Cell]:
        columns = self._columns(row)
        half_deg = self._half_width_deg(row, radians(centre.lat), angle)
        west = floor((centre.lon - half_deg + 180.0) / 360.0 * columns)
        east = floor((centre.lon + half_deg + 180.0) / 360.0 * columns)
        if east - west + 1 >= columns:
            west, east = 0, columns - 1
        # A range that was cut to the limit is still too many for `cover`, which reports it.
        for column in range(west, min(east, west + MAX_CELLS) + 1):
            yield row, column % columns

    def _half_width_deg(self, row: int, lat: float, angle: float) -> float:
        """Return how far the disc reaches east and west of its centre within a row."""
        low = radians(-90.0 + row * self._step_deg)
        south, north = max(low, lat - angle), min(low + radians(self._step_deg), lat + angle)
        widest = max(_half_width(lat, south, angle), _half_width(lat, north, angle))
        ratio = sin(lat) / cos(angle) if cos(angle) else 2.0
        if abs(ratio) < 1 and south < asin(ratio) < north:
            # The meridian that touches the disc touches it here, between the row's borders.
            widest = max(widest, _half_width(lat, asin(ratio), angle))
        return degrees(widest)


def _half_width(centre_lat: float, lat: float, angle: float) -> float:
    """Return the half width of a disc on one parallel, in radians of longitude."""
    breadth = cos(centre_lat) * cos(lat)
    rest = sin(angle / 2) ** 2 - sin((lat - centre_lat) / 2) ** 2
    if rest <= 0:
        return 0.0
    return pi if breadth <= rest else 2 * asin(sqrt(rest / breadth))
