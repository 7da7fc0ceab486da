"""The job: a run folder in, a verdict and its outputs out."""

import csv
from collections.abc import Iterator
from dataclasses import astuple, dataclass
from pathlib import Path

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as fn
from serving.files import whole_file

from analytics.inputs.document import Document
from analytics.inputs.federation import Federation
from analytics.inputs.folder import RunFolder
from analytics.inputs.logs import good
from analytics.inputs.remains import look
from analytics.scopes.run import judge_scopes
from analytics.traffic.checks import Silence, all_findings, commanded, silence
from analytics.traffic.conclusions import Counted, rule
from analytics.traffic.evidence import Evidence, gather
from analytics.traffic.incomplete import incomplete
from analytics.traffic.restarts import restarts
from analytics.traffic.run import RunData, open_run
from analytics.traffic.tally import counted, tallies
from analytics.traffic.witnesses import Span, Testimony, read_witnesses, weigh_witnesses
from analytics.transforms.limits import limits_in_force
from analytics.verdict import Promise, Verdict, write_verdict

SHOWN = 2000
"""Most offenders that the report shows; the CSV file contains all."""


@dataclass(frozen=True, slots=True)
class Offender:
    """One vehicle caught: where, who, when on the trace's clock (s), how fast (km/h), and place."""

    monitor: str
    vehicle: str
    time: float
    rate: float
    lat: float
    lon: float


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a judgement leaves: the verdict, and what the report shows beside it."""

    data: RunData
    verdict: Verdict
    offenders: tuple[Offender, ...]


def judge(spark: SparkSession, folder: RunFolder, federation: Federation) -> Outcome:
    """Judge a run, and write `verdict.json` and `offenders.csv` into its folder.

    Args:
        spark: The session.
        folder: The run.
        federation: As it was run.

    Raises:
        CannotJudgeError: An input cannot be understood.
    """
    data = open_run(spark, folder, federation)
    evidence = gather(data)
    verdict = _verdict(data, evidence)
    write_verdict(verdict, data.folder.path / "verdict.json")
    offenders = _write_offenders(evidence.judged, data.folder.path / "offenders.csv")
    return Outcome(data, verdict, offenders)


def _verdict(data: RunData, evidence: Evidence) -> Verdict:
    remains = look(data.folder, data.summary, [data.logs.event_log, *data.logs.timed])
    quiet = silence(data.summary, data.folder.truth.name)
    killed = restarts(data)
    commands = commanded(data, quiet)
    testimony = testify(data, quiet, commands)
    counts = Counted(
        tally=tallies(counted(evidence).collect())[0],
        found=all_findings(data, evidence, quiet, killed),
        cut_short=incomplete(remains, data.summary, data.federation, data.outages),
        quiet=quiet,
        commands=commands,
        kills=len(killed),
        files=len(remains.files),
        witnessed=testimony.findings,
        who_looked=testimony.who_looked,
        scopes=about_scopes(data),
    )
    return rule(data, counts)


def about_scopes(data: RunData) -> tuple[Promise, ...]:
    """Return what became of the promises about scopes; none where the federation has none."""
    if not data.federation.scoped:
        return ()
    folder = data.folder
    places = tuple(map(folder.uri, folder.event_logs))
    return judge_scopes(data.spark, folder.path, Document(folder.federation), places)


def testify(data: RunData, quiet: Silence, commands: int) -> Testimony:
    """Return what the native observers of a run that has ended saw."""
    span = (quiet.first_us, quiet.last_us)
    return weigh_witnesses(
        read_witnesses(data.folder), data.federation, _limits(data), span, commands
    )


def _limits(data: RunData) -> dict[str, list[Span]]:
    """Return, by monitor, which limits may have been active, and when."""
    log, monitors = good(data.logs.event_log), data.tables.monitors
    rows = limits_in_force(good(data.logs.commands), log, monitors).collect()
    return {
        row["monitor"]: [
            Span(one["limit"], one["may_from"], one["may_to"]) for one in row["limits"]
        ]
        for row in rows
    }


def _write_offenders(judged: DataFrame, path: Path) -> tuple[Offender, ...]:
    """Write every offender once, by time, and return the first of them."""
    shown: list[Offender] = []
    with whole_file(path, newline="") as file:
        rows = csv.writer(file, lineterminator="\n")
        rows.writerow(("monitor", "vehicle", "time", "rate"))
        for offender in _in_time(caught(judged)):
            rows.writerow(astuple(offender)[:4])
            if len(shown) < SHOWN:
                shown.append(offender)
    return tuple(shown)


def caught(judged: DataFrame) -> DataFrame:
    """Return each offender once, as the fields of `Offender` and the `id` of the event."""
    right = judged.filter("copy = 1 and reason is null")
    time = (fn.col("time_us") / 1e6).alias("time")
    return right.select("id", "monitor", "vehicle", time, "rate", "lat", "lon")


def _in_time(offenders: DataFrame) -> Iterator[Offender]:
    ordered = offenders.drop("id").orderBy("time", "vehicle", "monitor")
    return (Offender(**row.asDict()) for row in ordered.toLocalIterator())
