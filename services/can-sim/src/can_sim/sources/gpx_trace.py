"""Traces in GPX files: each track segment is one vehicle."""

from collections.abc import Iterator
from math import isfinite
from pathlib import Path

from can_sim.errors import InputError
from can_sim.moment import from_iso
from can_sim.numbers import number_of
from can_sim.opening import read_bytes, stem_of
from can_sim.sample import Sample, Sampling, Trace
from can_sim.sources.gaps import Gaps
from can_sim.sources.gpx_points import Document, NotGpxError, Point, Segment, read_document
from can_sim.sources.speeds import with_speeds
from can_sim.tally import Tally


def read(path: Path, tally: Tally) -> Trace:
    """Return the trace in a GPX file; speeds come from the positions.

    A segment is named by its track, with a number where the track has several, or where another
    track has the name. A track without a name is named by the file.

    Args:
        path: The file; `.gz` is read through gzip.
        tally: Counts points without a time (`no_time`), with one that is none (`bad_time`), not on
            the globe (`bad_position`), broken places of the document (`broken`) and points of no
            track (`not_in_a_track`).

    Raises:
        InputError: The file cannot be read or is not GPX; or a point is broken and `tally` strict.
    """
    file = str(path)
    try:
        document = read_document(read_bytes(path, tally))
    except NotGpxError as error:
        raise InputError(str(error), file, error.line) from error
    gaps = Gaps(file)
    samples = []
    for vehicle, segment in _segments(document, stem_of(path)):
        for point in segment.points:
            sample = _sample(vehicle, point, file, tally)
            if sample is not None:
                gaps.see(sample, point.line)
                samples.append(sample)
    _count(document, file, tally)
    tally.take(len(samples))
    return Trace(with_speeds(samples, tally), Sampling.INTERVAL, gaps.found)


def _count(document: Document, file: str, tally: Tally) -> None:
    for line, reason in document.broken:
        tally.bad("broken", InputError(reason, file, line))
    if document.lost:
        tally.skip("lost_points", document.lost, f"{file}: after too many broken places")
    if document.waypoints:
        tally.skip("not_in_a_track", document.waypoints)


def _segments(document: Document, stem: str) -> Iterator[tuple[str, Segment]]:
    taken: set[str] = set()
    numbers: dict[str, int] = {}
    for track in document.tracks:
        name = track.name or stem
        for index, segment in enumerate(track.segments, start=1):
            wanted = name if len(track.segments) == 1 else f"{name}-{index}"
            vehicle = wanted
            while vehicle in taken:
                numbers[wanted] = numbers.get(wanted, 1) + 1
                vehicle = f"{wanted}-{numbers[wanted]}"
            taken.add(vehicle)
            yield vehicle, segment


def _sample(vehicle: str, point: Point, file: str, tally: Tally) -> Sample | None:
    if not point.time:
        tally.skip("no_time", place=f"{file}:{point.line}")
        return None
    try:
        time_us = from_iso(point.time)
    except ValueError as error:
        tally.bad("bad_time", InputError(str(error), file, point.line))
        return None
    try:
        lat, lon = _degrees(point.lat, "lat", 90), _degrees(point.lon, "lon", 180)
    except ValueError as error:
        tally.bad("bad_position", InputError(str(error), file, point.line))
        return None
    return Sample(time_us, vehicle, lat, lon, 0.0)


def _degrees(text: str | None, name: str, most: float) -> float:
    if not text or not text.strip():
        raise ValueError(f"the point has no {name}")
    value = number_of(text.strip(), comma_is_decimal=False)
    if not isfinite(value) or abs(value) > most:
        raise ValueError(f"{name} {text[:40]} is out of range")
    return value
