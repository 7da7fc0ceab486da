"""The checks: every promise is verified against the evidence, in one pass."""

from dataclasses import dataclass
from functools import reduce

from pyspark.sql import DataFrame
from pyspark.sql import functions as fn

from analytics.inputs import schemas
from analytics.inputs.log_files import LogSummary
from analytics.inputs.logs import good
from analytics.promises import control, deliveries, gateways, losses, whole
from analytics.promises.findings import found, ranked
from analytics.spark.small import small_frame
from analytics.traffic.evidence import Evidence
from analytics.traffic.found import Findings, parts
from analytics.traffic.run import RunData
from analytics.transforms.cuts import with_cuts
from analytics.transforms.order import in_order
from analytics.verdict import EXAMPLES

SILENCE_US = 2_000_000
"""So long after the last frame the publishers count as silent."""

_TESTABLE_US = 1_000_000


@dataclass(frozen=True, slots=True)
class Silence:
    """The time at the end of a run in which no publisher spoke, wall clock."""

    first_us: int
    last_us: int

    @property
    def testable(self) -> bool:
        """Whether it is long enough for a storm to be seen."""
        return self.last_us - self.first_us >= _TESTABLE_US


def silence(summary: LogSummary, truth_file: str) -> Silence:
    """Return when the publishers were silent: from the last frame until the first part stopped.

    Where there was no frame there is nothing to tell it from.
    """
    if truth_file not in summary.last_us:
        return Silence(0, 0)
    stops = [one.stopped_us for one in summary.components.values() if one.stopped]
    last = min(stops, default=summary.last_record_us())
    return Silence(summary.last_us[truth_file] + SILENCE_US, last)


def all_findings(
    data: RunData, evidence: Evidence, quiet: Silence, killed: list[tuple[int, str, int, int]]
) -> Findings:
    """Return what was found against each promise, in one pass.

    Args:
        data: The run.
        evidence: As gathered.
        quiet: When the publishers were silent.
        killed: The restarts that can be judged, rows of `RESTARTS`.
    """
    new = {"old": fn.lit(False), "again": fn.lit(False)}
    breaches = [
        breaches_of_events(data, evidence),
        breaches_of_order(good(data.logs.deliveries).withColumns(new)),
        breaches_of_control(data, quiet, killed),
    ]
    whole = _union(breaches).withColumn("part", fn.lit(0))
    return parts(ranked(whole, EXAMPLES).collect()).get(0, {})


def breaches_of_events(data: RunData, evidence: Evidence) -> DataFrame:
    """Return what is wrong with events and with their deliveries, as `FINDINGS`."""
    frames = [*_events(data, evidence), *(_logged(data, evidence) if data.whole else ())]
    return _union(frames)


def breaches_of_order(given: DataFrame) -> DataFrame:
    """Return which deliveries are out of order, as `FINDINGS`.

    Args:
        given: As `transforms.order.in_order` takes them.
    """
    return found(in_order(given), *deliveries.out_of_order())


def _events(data: RunData, evidence: Evidence) -> list[DataFrame]:
    applied = losses.first_subscribed(good(data.logs.event_log), data.tables.adapters)
    events = evidence.events.join(fn.broadcast(applied), "bus", "left")
    of_events = [losses.undelivered(), whole.doubtful_truth()]
    if data.whole:
        of_events += [losses.unheard(), losses.lost_on_board()]
    of_deliveries = (
        deliveries.delivered_again(),
        deliveries.delivered_unasked(),
        deliveries.astray(),
        whole.skewed(),
    )
    return [found(events, *of_events), found(evidence.judged, *of_deliveries)]


def _logged(data: RunData, evidence: Evidence) -> list[DataFrame]:
    known = whole.unknown_to_truth(evidence.journeys, evidence.events)
    passed = with_cuts(known, data.tables.outages, "gateway", "cuts")
    strays = gateways.strays(evidence.journeys, evidence.legs, evidence.events, evidence.posts)
    of_journeys = (gateways.published_again(), whole.heard_unknown(), whole.twice_in_log())
    return [
        found(passed, *of_journeys),
        found(strays, gateways.published_unasked(), gateways.heard_unasked()),
    ]


def breaches_of_control(
    data: RunData, quiet: Silence, killed: list[tuple[int, str, int, int]]
) -> DataFrame:
    """Return what is wrong with the control plane, as `FINDINGS`."""
    log = good(data.logs.event_log)
    native = control.natives(log)
    names = [(name,) for name, one in data.summary.components.items() if one.stopped]
    stopped = small_frame(data.spark, names, schemas.NAMES)
    frames = [
        control.forwarded(log, quiet.first_us, quiet.last_us),
        control.left_behind(native, stopped),
    ]
    if killed:
        started = log.filter("decision = 'started'").select("name", "wall_us")
        restarts = small_frame(data.spark, killed, schemas.RESTARTS)
        adapters = data.tables.adapters
        frames.append(control.decided_otherwise(native, started, adapters, restarts))
    return _union(frames)


def _union(frames: list[DataFrame]) -> DataFrame:
    union: DataFrame = reduce(DataFrame.unionByName, frames)
    return union


def commanded(data: RunData, quiet: Silence) -> int:
    """Return how many commands were given while the publishers were silent."""
    silent = fn.col("sent_us").between(quiet.first_us - SILENCE_US, quiet.last_us)
    return good(data.logs.commands).filter(silent).count()
