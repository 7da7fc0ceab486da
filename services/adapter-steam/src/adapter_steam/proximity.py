"""Proximities: the attribute's text, and STEAM's areas."""

from functools import lru_cache

from eventservices.steam import Circle, Proximity, Rectangle, format_proximity
from fes.errors import AdapterError, EventError
from fes.model import Field, attributes

KEPT = 1024
"""Most texts, and most proximities, that are remembered; the one unused longest is dropped
first."""

format_area = lru_cache(KEPT)(format_proximity)
"""Return the text of a proximity; see `format_proximity`."""


KEPT_CHARACTERS = 256
"""Longest text that is remembered."""


def parse_area(text: str) -> Proximity:
    """Return the proximity that an attribute's text specifies.

    Raises:
        EventError: The text is not a proximity.
    """
    return _parsed(text) if len(text) <= KEPT_CHARACTERS else _parsed.__wrapped__(text)


@lru_cache(KEPT)
def _parsed(text: str) -> Proximity:
    area = attributes.parse_proximity(text)
    if isinstance(area, attributes.Circle):
        return Circle(area.relative, area.lat_deg, area.lon_deg, area.radius_m)
    return Rectangle(area.relative, area.lat_deg, area.lon_deg, area.dimx_m, area.dimy_m)


def area_of(context: tuple[Field, ...]) -> Proximity | None:
    """Return the proximity that an event's attributes name; None where they name none.

    Raises:
        AdapterError: `Proximity` is not the text of a proximity.
    """
    for field in context:
        if field.id == attributes.PROXIMITY:
            try:
                return parse_area(field.value)
            except (EventError, TypeError, AttributeError) as error:
                raise AdapterError(f"attribute 'Proximity' is not a proximity: {error}") from error
    return None
