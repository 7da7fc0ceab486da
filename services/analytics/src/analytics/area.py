"""The area of an event: the circle inside which it may be received."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Area:
    """A circle.

    Attributes:
        relative: The centre is an offset from the producer, not a place.
        lat: Degrees WGS 84, or the offset in degrees.
        lon: Degrees WGS 84, or the offset in degrees.
        radius_m: Metres.
    """

    relative: bool
    lat: float
    lon: float
    radius_m: float


def parse_area(text: str) -> Area:
    """Return the circle that a `Proximity` attribute describes.

    Args:
        text: `0,sub,lat,lon,radius`; sub 0 absolute, 1 relative.

    Raises:
        ValueError: It is not a circle.

    Source:
        design, section 3.
    """
    parts = [part.strip() for part in text.split(",")]
    if len(parts) != 5 or parts[0] != "0" or parts[1] not in {"0", "1"}:
        raise ValueError(f"is not a circle '0,sub,lat,lon,radius': {text!r}")
    lat, lon, radius_m = (float(part) for part in parts[2:])
    return Area(parts[1] == "1", lat, lon, radius_m)
