"""Traces in GPX files: each track segment is one vehicle."""

from collections.abc import Iterator
from math import isfinite
from pathlib import Path

import gpxpy
from gpxpy.gpx import GPX, GPXException, GPXTrackPoint

from can_sim.errors import InputError
from can_sim.moment import from_datetime
from can_sim.opening import read_bytes, stem_of
from can_sim.sample import Sample, Sampling, Trace
from can_sim.sources.speeds import with_speeds
from can_sim.tally import Tally


def read(path: Path, tally: Tally) -> Trace:
    """Return the trace in a GPX file; speeds come from the positions.

    A segment is named by its track, with a number where the track has several, or where another
    track has the name. A track without a name is named by the file.

    Args:
        path: The file; `.gz` is read through gzip.
        tally: Counts points without a time (`no_time`) and off the globe (`bad_position`).

    Raises:
        InputError: The file cannot be read or is not GPX.
    """
    gpx = _parse(path)
    samples = []
    for vehicle, points in _segments(gpx, stem_of(path)):
        for point in points:
            sample = _sample(vehicle, point, tally)
            if sample is not None:
                samples.append(sample)
    return Trace(with_speeds(samples, tally), Sampling.INTERVAL)


def _parse(path: Path) -> GPX:
    try:
        return gpxpy.parse(read_bytes(path))
    except (GPXException, ValueError, LookupError) as error:
        raise InputError(f"is not GPX: {error}", str(path)) from error


def _segments(gpx: GPX, stem: str) -> Iterator[tuple[str, list[GPXTrackPoint]]]:
    taken: set[str] = set()
    for track in gpx.tracks:
        name = (track.name or "").strip() or stem
        for index, segment in enumerate(track.segments, start=1):
            wanted = name if len(track.segments) == 1 else f"{name}-{index}"
            vehicle = wanted
            number = 2
            while vehicle in taken:
                vehicle = f"{wanted}-{number}"
                number += 1
            taken.add(vehicle)
            yield vehicle, segment.points


def _sample(vehicle: str, point: GPXTrackPoint, tally: Tally) -> Sample | None:
    if point.time is None:
        tally.skip("no_time")
        return None
    lat, lon = point.latitude, point.longitude
    if not (isfinite(lat) and isfinite(lon) and abs(lat) <= 90 and abs(lon) <= 180):
        tally.skip("bad_position")
        return None
    return Sample(from_datetime(point.time), vehicle, lat, lon, 0.0)
