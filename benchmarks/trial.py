"""One trial: a rate offered for a while, and what became of every event."""

import time
from dataclasses import dataclass
from pathlib import Path

from measure import Meter, cpu_s
from processes import Child, NotStartedError, Stage
from verify import Verdict, judge, read_deliveries, read_truth

LOAD_S = 2.0
"""How long a rate is offered."""

DRAIN_S = 1.0
"""A rate counts when its last event has come so soon after the last frame."""

GIVE_UP_S = 0.6
"""Nothing came for so long: nothing more is awaited."""

SETTLE_S = 0.15
"""All has come: so long one waits for more of the same."""

MOST_S = 20.0
"""Longest trial."""

WARM_RATE, WARM_FRAMES, WARM_TRIES = 400.0, 200, 10
_LOOK_S = 0.05


@dataclass(frozen=True, slots=True)
class Trial:
    """A trial and its outcome.

    Attributes:
        offered: Rate asked of can-sim; events a second.
        verdict: What became of the frames.
        suppressed: Copies that the far client suppressed; they count as duplicates.
        cpu_us: Role to CPU time for each frame sent; microseconds.
    """

    offered: float
    verdict: Verdict
    suppressed: int
    cpu_us: dict[str, float]

    @property
    def rate(self) -> float:
        """Frames a second that can-sim really sent."""
        return (self.verdict.sent - 1) / self.verdict.sent_s if self.verdict.sent_s else 0.0

    @property
    def throughput(self) -> float:
        """Events a second that came, until the last one."""
        through_s = self.verdict.through_s
        return self.verdict.delivered / through_s if through_s else 0.0

    @property
    def passed(self) -> bool:
        """Whether the rate was carried: no loss, no duplicate, nothing altered, drained in time."""
        clean = self.verdict.clean and not self.suppressed and self.verdict.sent > 0
        return clean and self.verdict.drained_s <= DRAIN_S


def warm_up(stage: Stage) -> None:
    """Offer a few frames until all of them come: every request is in force then.

    Raises:
        NotStartedError: They do not come.
    """
    for _ in range(WARM_TRIES):
        if run_trial(stage, WARM_RATE, WARM_FRAMES).verdict.clean:
            return
    raise NotStartedError("events do not come through; see the run's logs")


def run_trial(stage: Stage, rate: float, frames: int = 0) -> Trial:
    """Offer a rate and judge what came.

    Args:
        stage: The federation at work.
        rate: Frames a second in all.
        frames: How many; by default what `LOAD_S` takes.
    """
    folder = stage.run.parent
    truth, came = folder / "ground_truth.jsonl", folder / "deliveries.msgpack"
    truth.unlink(missing_ok=True)
    suppressed = stage.consumer.ask(f"take {came}")["suppressed"]
    end_s = time.monotonic() + MOST_S
    source = stage.can_sim(rate, frames or round(rate * LOAD_S), truth)
    _until_begun(source, truth, end_s)
    meter, source_before_s = Meter(stage.roles), cpu_s(source.pid)
    while source.running and time.monotonic() < end_s:
        time.sleep(_LOOK_S)
    source_s = cpu_s(source.pid) - source_before_s
    stage.ended(source)
    sent = read_truth(truth) if truth.exists() else []
    suppressed = _drained(stage, len(sent), end_s) - suppressed
    cpu = {**meter.used_s(), "can-sim": source_s}
    stage.consumer.ask(f"take {came}")
    verdict = judge(sent, read_deliveries(came))
    cpu_us = {role: used_s * 1e6 / max(1, verdict.sent) for role, used_s in cpu.items()}
    return Trial(rate, verdict, suppressed, cpu_us)


def _until_begun(source: Child, truth: Path, end_s: float) -> None:
    while source.running and time.monotonic() < end_s:
        if truth.exists() and truth.stat().st_size:
            return
        time.sleep(_LOOK_S / 10)


def _drained(stage: Stage, expected: int, end_s: float) -> int:
    """Wait until nothing more comes; return the copies suppressed so far."""
    last, quiet_since_s = -1, time.monotonic()
    while True:
        answer, now_s = stage.consumer.ask("count"), time.monotonic()
        if answer["count"] != last:
            last, quiet_since_s = answer["count"], now_s
        patience_s = SETTLE_S if last >= expected else GIVE_UP_S
        if now_s - quiet_since_s > patience_s or now_s > end_s:
            return answer["suppressed"]
        time.sleep(_LOOK_S)
