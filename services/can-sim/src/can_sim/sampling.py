"""Traces brought to one sample a second."""

from collections.abc import Iterator, Sequence
from itertools import pairwise

from can_sim.errors import InputError
from can_sim.geometry import between, longitude_between
from can_sim.moment import SECOND_US
from can_sim.sample import Sample, Sampling, Trace, by_vehicle
from can_sim.sources.gaps import MAX_GAP_US
from can_sim.tally import Tally

MAX_SAMPLES = 5_000_000
"""Most samples of one run: a fleet of 1,000 for 80 minutes."""


def normalise(trace: Trace, tally: Tally, limit: int = MAX_SAMPLES) -> list[Sample]:
    """Return a trace once a second and in order of time (then of vehicle).

    A gap of more than an hour is not filled in: nobody knows that the vehicle drove on a straight
    line for so long. It is counted as `gap` and noted.

    Args:
        trace: What a source gave.
        tally: Counts samples that share a vehicle's moment, or are out of order.
        limit: Most samples to return.

    Raises:
        InputError: There would be more than `limit`; told before any is made.
    """
    vehicles = {
        vehicle: in_order(rows, tally) for vehicle, rows in by_vehicle(trace.samples).items()
    }
    _check_count(vehicles, trace.sampling, limit)
    samples: list[Sample] = []
    for rows in vehicles.values():
        _note_gaps(rows, trace, tally)
        samples.extend(_of_vehicle(rows, trace.sampling))
    samples.sort(key=lambda sample: (sample.time_us, sample.vehicle))
    return samples


def in_order(rows: Sequence[Sample], tally: Tally) -> list[Sample]:
    """Return one vehicle's samples by time; of those at one moment, the first.

    Counted are `out_of_order` (earlier than the row before; kept) and `same_time` (left out).
    """
    disorder = sum(later.time_us < earlier.time_us for earlier, later in pairwise(rows))
    if disorder:
        tally.skipped["out_of_order"] += disorder
    ordered: list[Sample] = []
    for sample in sorted(rows, key=lambda row: row.time_us):
        if ordered and ordered[-1].time_us == sample.time_us:
            tally.drop("same_time")
        else:
            ordered.append(sample)
    return ordered


def duration_of(time_us: int) -> str:
    """Return a long time in words, e.g. `40 h 10 min` or `7168 days`."""
    minutes = time_us // (60 * SECOND_US)
    days = minutes // (24 * 60)
    return f"{days} days" if days >= 3 else f"{minutes // 60} h {minutes % 60} min"


def _check_count(vehicles: dict[str, list[Sample]], sampling: Sampling, limit: int) -> None:
    counts = {vehicle: _count(rows, sampling) for vehicle, rows in vehicles.items()}
    total = sum(counts.values())
    if total > limit:
        longest = max(counts, key=lambda vehicle: counts[vehicle])
        raise InputError(
            f"the trace has {total} samples at one a second, more than {limit} samples; "
            f"{counts[longest]} of them are vehicle {longest}'s; cut it with --duration or "
            "--vehicles"
        )


def _count(rows: Sequence[Sample], sampling: Sampling) -> int:
    if sampling is Sampling.KEPT:
        return len(rows)
    spans = (later.time_us - earlier.time_us for earlier, later in pairwise(rows))
    return 1 + sum(span // SECOND_US if span <= MAX_GAP_US else 1 for span in spans)


def _note_gaps(rows: Sequence[Sample], trace: Trace, tally: Tally) -> None:
    for earlier, later in pairwise(rows):
        span = later.time_us - earlier.time_us
        if span <= MAX_GAP_US:
            continue
        where = trace.gaps.get((later.vehicle, later.time_us), "")
        told = (
            f"{where}{': ' if where else ''}vehicle {later.vehicle}: {duration_of(span)} without "
            "a point before this one are not filled in; --duration cuts the trace"
        )
        tally.skip("gap", place=told)
        tally.note(told)


def _of_vehicle(rows: Sequence[Sample], sampling: Sampling) -> Iterator[Sample]:
    if sampling is Sampling.KEPT:
        yield from rows
        return
    moment = rows[0].time_us
    yield rows[0]
    for earlier, later in pairwise(rows):
        if later.time_us - earlier.time_us > MAX_GAP_US:
            moment = later.time_us
            # A speed holds for the interval that it ends; that of a gap is no speed.
            is_linear = sampling is Sampling.LINEAR
            yield later if is_linear else later._replace(speed_kmh=0.0)
            continue
        while moment + SECOND_US <= later.time_us:
            moment += SECOND_US
            yield _at(moment, earlier, later, sampling)


def _at(moment: int, earlier: Sample, later: Sample, sampling: Sampling) -> Sample:
    if moment == later.time_us:
        return later
    share = (moment - earlier.time_us) / (later.time_us - earlier.time_us)
    linear = sampling is Sampling.LINEAR
    return Sample(
        moment,
        later.vehicle,
        between(earlier.lat, later.lat, share),
        longitude_between(earlier.lon, later.lon, share),
        between(earlier.speed_kmh, later.speed_kmh, share) if linear else later.speed_kmh,
    )
