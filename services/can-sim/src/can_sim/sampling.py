"""Traces brought to one sample a second."""

from collections.abc import Iterator, Sequence
from itertools import pairwise

from can_sim.errors import InputError
from can_sim.geometry import between, longitude_between
from can_sim.moment import SECOND_US
from can_sim.sample import Sample, Sampling, Trace, by_vehicle
from can_sim.tally import Tally

MAX_SAMPLES = 5_000_000
"""Most samples of one run: a fleet of 1,000 for 80 minutes."""


def normalise(trace: Trace, tally: Tally, limit: int = MAX_SAMPLES) -> list[Sample]:
    """Return a trace once a second and in order of time (then of vehicle).

    Args:
        trace: What a source gave.
        tally: Counts samples that share a vehicle's moment, or are out of order.
        limit: Most samples to return.

    Raises:
        InputError: There would be more than `limit`.
    """
    samples: list[Sample] = []
    for rows in by_vehicle(trace.samples).values():
        for sample in _of_vehicle(in_order(rows, tally), trace.sampling):
            samples.append(sample)
            if len(samples) > limit:
                raise InputError(
                    f"vehicle {sample.vehicle}: the trace has more than {limit} samples at one a "
                    "second; cut it with --duration or --vehicles"
                )
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
            tally.skip("same_time")
        else:
            ordered.append(sample)
    return ordered


def _of_vehicle(rows: Sequence[Sample], sampling: Sampling) -> Iterator[Sample]:
    if sampling is Sampling.KEPT:
        yield from rows
        return
    moment = rows[0].time_us
    yield rows[0]
    for earlier, later in pairwise(rows):
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
