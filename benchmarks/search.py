"""The highest rate without loss: a short sweep up or down, one refinement, then repetitions."""

import statistics
import time
from collections.abc import Callable
from dataclasses import dataclass, field

from trial import Trial

STEP = 1.3
"""Between two rates of the sweep."""

REPEATS = 3
MOST_TRIALS = 6
STEP_BACK = 0.85
"""What is left of a rate of which a repetition did not pass."""

STEPS_BACK = 3
SHORT_OF = 0.93
"""A source that sends less of what it was asked for is itself the limit."""

LEAST_RATE = 100.0
SWEEP_SHARE = 0.55
"""Of the time; the rest is for the repetitions."""


@dataclass(slots=True)
class Sweep:
    """What was found.

    Attributes:
        trials: One for each rate offered, in the order of the search.
        repeats: Trials of the highest rate; fewer than `REPEATS` where time ran out.
    """

    trials: list[Trial] = field(default_factory=list)
    repeats: list[Trial] = field(default_factory=list)

    @property
    def repeated(self) -> bool:
        """Whether the highest rate passed each time that it was repeated."""
        return len(self.repeats) == REPEATS and all(trial.passed for trial in self.repeats)

    @property
    def highest(self) -> float:
        """The highest rate that passed and below which none failed; events a second, 0 for none.

        It is what the source really sent, the median of the repetitions.
        """
        if self.repeated:
            return statistics.median(trial.rate for trial in self.repeats)
        trials = [*self.trials, *self.repeats]
        failed = min((trial.offered for trial in trials if not trial.passed), default=float("inf"))
        return max(
            (trial.rate for trial in trials if trial.passed and trial.offered < failed), default=0.0
        )


def sweep(offer: Callable[[float], Trial], start: float, budget_s: float) -> Sweep:
    """Look for the highest rate without loss.

    Args:
        offer: Offers a rate and tells what became of it.
        start: Rate to begin with; events a second.
        budget_s: No trial begins later.
    """
    found = Sweep()
    begun_s = time.monotonic()
    best = _bracket(offer, start, found, begun_s + budget_s * SWEEP_SHARE)
    for _ in range(STEPS_BACK + 1):
        if _repeat(offer, best, found, begun_s + budget_s):
            break
        best *= STEP_BACK
    return found


def _bracket(offer: Callable[[float], Trial], start: float, found: Sweep, end_s: float) -> float:
    """Return the highest rate that passed, after one refinement."""
    passed, failed, rate = 0.0, 0.0, start
    while len(found.trials) < MOST_TRIALS and time.monotonic() < end_s:
        trial = offer(rate)
        found.trials.append(trial)
        if trial.passed:
            passed = max(passed, rate)
            if trial.rate < rate * SHORT_OF:
                return trial.rate
        else:
            failed = min(failed or rate, rate)
        if passed and failed:
            if failed / passed < STEP * 0.95:
                break
            rate = (passed * failed) ** 0.5
        else:
            rate = rate * STEP if trial.passed else max(LEAST_RATE, rate / STEP)
    return passed or rate


def _repeat(offer: Callable[[float], Trial], rate: float, found: Sweep, end_s: float) -> bool:
    """Offer a rate again and again; False where it did not pass and there is time for a lower."""
    for earlier in found.repeats:
        found.trials.append(earlier)
    found.repeats = []
    while len(found.repeats) < REPEATS and time.monotonic() < end_s:
        found.repeats.append(offer(rate))
        if not found.repeats[-1].passed:
            return time.monotonic() > end_s
    return True
