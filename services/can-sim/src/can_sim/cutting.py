"""Traces cut to their first vehicles and seconds, before anything is filled in."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from can_sim.moment import SECOND_US
from can_sim.sample import Sample, Sampling, Trace, by_vehicle


@dataclass(frozen=True, slots=True)
class Cut:
    """What is kept of a trace.

    Attributes:
        duration_s: Seconds from its first sample; all where None.
        vehicles: How many, in order of their first sample; all where None.
    """

    duration_s: float | None
    vehicles: int | None


def roughly(trace: Trace, cut: Cut) -> Trace:
    """Return what of a trace is needed to fill in and cut it `exactly`.

    That is each kept vehicle's samples before the end, and the next one, up to which is filled in.
    """
    samples = trace.samples
    if cut.vehicles is not None:
        begins = {
            vehicle: min(row.time_us for row in rows)
            for vehicle, rows in by_vehicle(samples).items()
        }
        order = sorted(begins, key=lambda vehicle: (begins[vehicle], vehicle))
        kept = set(order[: cut.vehicles])
        samples = [sample for sample in samples if sample.vehicle in kept]
    if cut.duration_s is not None and samples:
        end_us = min(sample.time_us for sample in samples) + round(cut.duration_s * SECOND_US)
        samples = _before(samples, end_us, one_more=trace.sampling is not Sampling.KEPT)
    return replace(trace, samples=samples)


def exactly(samples: list[Sample], cut: Cut) -> list[Sample]:
    """Return the samples before the end.

    Args:
        samples: By time.
        cut: What is kept; its vehicles were cut before.
    """
    if cut.duration_s is None or not samples:
        return samples
    end_us = samples[0].time_us + round(cut.duration_s * SECOND_US)
    return [sample for sample in samples if sample.time_us < end_us]


def _before(samples: Sequence[Sample], end_us: int, *, one_more: bool) -> list[Sample]:
    kept: list[Sample] = []
    following: dict[str, Sample] = {}
    for sample in samples:
        if sample.time_us < end_us:
            kept.append(sample)
            continue
        known = following.get(sample.vehicle)
        if known is None or sample.time_us < known.time_us:
            following[sample.vehicle] = sample
    present = {sample.vehicle for sample in kept}
    if one_more:
        kept.extend(sample for vehicle, sample in following.items() if vehicle in present)
    return kept
