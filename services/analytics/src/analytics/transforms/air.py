"""What can be received on the air, as column expressions."""

from pyspark.sql import Column
from pyspark.sql import functions as fn

EARTH_RADIUS_M = 6_371_008.8
EDGE_M = 0.05
"""So near to the edge of a range, either outcome is right."""


def distance_m(lat_1: Column, lon_1: Column, lat_2: Column, lon_2: Column) -> Column:
    """Return the great-circle distance between two places.

    Args:
        lat_1: Degrees WGS 84, as are the others.
        lon_1: Of the first place.
        lat_2: Of the second place.
        lon_2: Of the second place.

    Returns:
        Metres.

    Source:
        Haversine formula with mean radius 6 371 008.8 m (Moritz 2000).
    """
    phi_1, phi_2 = fn.radians(lat_1), fn.radians(lat_2)
    rise = fn.pow(fn.sin((phi_2 - phi_1) / 2), 2)
    turn = fn.pow(fn.sin(fn.radians(lon_2 - lon_1) / 2), 2)
    return (
        2
        * EARTH_RADIUS_M
        * fn.asin(fn.sqrt(fn.least(fn.lit(1.0), rise + fn.cos(phi_1) * fn.cos(phi_2) * turn)))
    )


def apart_m() -> Column:
    """Return how far a frame's producer is from a monitor, metres."""
    return distance_m(fn.col("lat"), fn.col("lon"), fn.col("m_lat"), fn.col("m_lon"))


def excess_m() -> Column:
    """Return by how much a monitor is too far away to receive a frame.

    Returns:
        Metres, negative inside; null where the vehicle or the monitor is none of the federation's.

    Source:
        design, section 8: received if the distance is at most the smaller of both ranges and the
        receiver is inside the event's Proximity.
    """
    reach = apart_m() - fn.least(fn.col("v_range_m"), fn.col("m_range_m"))
    lat = fn.col("p_lat") + fn.when(fn.col("relative"), fn.col("lat")).otherwise(0.0)
    lon = fn.col("p_lon") + fn.when(fn.col("relative"), fn.col("lon")).otherwise(0.0)
    outside = distance_m(lat, lon, fn.col("m_lat"), fn.col("m_lon")) - fn.col("p_radius_m")
    known = fn.col("v_range_m").isNotNull() & fn.col("m_range_m").isNotNull()
    return fn.when(known, fn.greatest(reach, outside))  # `greatest` passes over a null area
