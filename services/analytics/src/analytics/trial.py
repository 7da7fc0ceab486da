"""The trial: every promise is asked of the evidence, in one pass."""

from dataclasses import dataclass
from functools import reduce

from pyspark.sql import DataFrame, Row
from pyspark.sql import functions as fn

from analytics import schemas
from analytics.case import Case
from analytics.census import Census
from analytics.evidence import Evidence
from analytics.logs import good
from analytics.promises import control, deliveries, gateways, losses, whole
from analytics.promises.findings import found, ranked
from analytics.transforms.cuts import with_cuts
from analytics.transforms.latency import latencies
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


def silence(census: Census, truth_file: str) -> Silence:
    """Return when the publishers were silent: from the last frame until the first part stopped."""
    stops = [one.stopped_us for one in census.components.values() if one.stopped]
    last = min(stops, default=census.last_record_us())
    return Silence(census.last_us.get(truth_file, 0) + SILENCE_US, last)


def all_findings(
    case: Case, evidence: Evidence, quiet: Silence, killed: list[tuple[int, str, int, int]]
) -> list[Row]:
    """Return the number of findings of each promise and the first of them.

    Args:
        case: The run.
        evidence: As gathered.
        quiet: When the publishers were silent.
        killed: The restarts that can be judged, rows of `RESTARTS`.
    """
    parts = [*_events(case, evidence), *_control(case, quiet, killed)]
    if case.whole:
        parts += _logged(case, evidence)
    return ranked(reduce(DataFrame.unionByName, parts), EXAMPLES).collect()


def _events(case: Case, evidence: Evidence) -> list[DataFrame]:
    applied = losses.first_subscribed(good(case.logs.event_log), case.tables.adapters)
    events = evidence.events.join(fn.broadcast(applied), "bus", "left")
    of_events = [losses.undelivered(), whole.doubtful_truth()]
    if case.whole:
        of_events += [losses.unheard(), losses.lost_on_board()]
    of_deliveries = (
        deliveries.delivered_again(),
        deliveries.delivered_unasked(),
        deliveries.out_of_order(),
        deliveries.astray(),
        whole.skewed(),
    )
    return [found(events, *of_events), found(evidence.judged, *of_deliveries)]


def _logged(case: Case, evidence: Evidence) -> list[DataFrame]:
    known = whole.unknown_to_truth(evidence.journeys, evidence.events)
    passed = with_cuts(known, case.tables.outages, "gateway", "cuts")
    strays = gateways.strays(evidence.journeys, evidence.legs, evidence.events, evidence.posts)
    of_journeys = (gateways.published_again(), whole.heard_unknown(), whole.twice_in_log())
    return [
        found(passed, *of_journeys),
        found(strays, gateways.published_unasked(), gateways.heard_unasked()),
    ]


def _control(
    case: Case, quiet: Silence, killed: list[tuple[int, str, int, int]]
) -> list[DataFrame]:
    log = good(case.logs.event_log)
    native = control.natives(log)
    names = [(name,) for name, one in case.census.components.items() if one.stopped]
    stopped = case.spark.createDataFrame(names, "name string")
    parts = [
        control.forwarded(log, quiet.first_us, quiet.last_us),
        control.left_behind(native, stopped),
    ]
    if killed:
        started = log.filter("decision = 'started'").select("name", "wall_us")
        restarts = case.spark.createDataFrame(killed, schemas.RESTARTS)
        adapters = case.tables.adapters
        parts.append(control.decided_otherwise(native, started, adapters, restarts))
    return parts


def facts(case: Case, evidence: Evidence, quiet: Silence) -> Row:
    """Return one row of all counts and latencies."""
    flags = ("expected", "missing", "outage")
    counted = evidence.events.agg(*[fn.count_if(fn.col(flag)).alias(flag) for flag in flags])
    given = evidence.judged.agg(
        fn.count_if(fn.col("copy") == 1).alias("received"),
        fn.count_if(fn.col("copy") > 1).alias("duplicate"),
        fn.count_if(fn.col("reason").isNotNull()).alias("unexpected"),
    )
    in_silence = fn.col("sent_us").between(quiet.first_us - SILENCE_US, quiet.last_us)
    ordered = good(case.logs.commands).agg(fn.count_if(in_silence).alias("commands"))
    listened = (fn.col("lane") == "monitor") & fn.col("heard_us").isNotNull()
    heard = evidence.journeys.agg(fn.count_if(listened).alias("heard"))
    parts = [given, ordered, heard, latencies(evidence.judged)]
    return reduce(DataFrame.crossJoin, parts, counted).collect()[0]
