"""Points that a receiver dated 1,024 weeks early, before it had a fix."""

from dataclasses import replace
from itertools import pairwise

from can_sim.errors import InputError
from can_sim.moment import SECOND_US
from can_sim.sample import Sample, Trace, by_vehicle
from can_sim.sources.gaps import MAX_GAP_US
from can_sim.tally import Tally

ROLLOVER_US = 1024 * 7 * 86_400 * SECOND_US
"""After so long the number of a week in the signals of GPS begins again at 0."""


def mended(trace: Trace, tally: Tally) -> Trace:
    """Return a trace whose early points have the time that they were recorded at.

    Points are early where, 1,024 weeks (or twice, three times that) later, they go before the
    vehicle's next point within `MAX_GAP_US`. Only a vehicle's points before such a jump are moved.

    Args:
        trace: As read.
        tally: Counts `week_rollover`, noted with the line after the jump.

    Raises:
        InputError: There are such points, and `tally` is strict.
    """
    shifts: dict[str, tuple[int, int]] = {}
    for vehicle, rows in by_vehicle(trace.samples).items():
        times = sorted(row.time_us for row in rows)
        for earlier, later in pairwise(times):
            weeks = round((later - earlier) / ROLLOVER_US)
            if weeks and abs(later - earlier - weeks * ROLLOVER_US) <= MAX_GAP_US:
                shifts[vehicle] = (later, weeks * ROLLOVER_US)
                break
    if not shifts:
        return trace
    for vehicle, (until_us, shift_us) in shifts.items():
        _note(trace, vehicle, until_us, shift_us, tally)
    return replace(trace, samples=[_moved(sample, shifts, tally) for sample in trace.samples])


def _note(trace: Trace, vehicle: str, until_us: int, shift_us: int, tally: Tally) -> None:
    weeks = shift_us // (ROLLOVER_US // 1024)
    place = trace.gaps.get((vehicle, until_us), "")
    reason = (
        f"vehicle {vehicle}: the points before this one are dated {weeks} weeks early "
        "(a GPS receiver without a fix); they are read that much later"
    )
    error = InputError(reason, place)
    if tally.strict:
        raise error
    tally.first.setdefault("week_rollover", str(error))
    tally.note(str(error))


def _moved(sample: Sample, shifts: dict[str, tuple[int, int]], tally: Tally) -> Sample:
    until_us, shift_us = shifts.get(sample.vehicle, (sample.time_us, 0))
    if sample.time_us >= until_us:
        return sample
    tally.skip("week_rollover")
    return sample._replace(time_us=sample.time_us + shift_us)
