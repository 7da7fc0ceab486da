"""The bench: takes batch after batch, and says each time what the verdict is so far."""

from contextlib import suppress
from dataclasses import dataclass
from typing import Final

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as fn

from analytics.errors import CannotJudgeError
from analytics.inputs.federation import Federation
from analytics.inputs.files import Files
from analytics.inputs.folder import COMMANDS, TRUTH, RunFolder, json_object
from analytics.inputs.log_files import LogSummary
from analytics.inputs.outages import Outage, outages_of
from analytics.inputs.remains import SHOWN
from analytics.inputs.tables import small_tables
from analytics.live import influence
from analytics.live.interim_verdict import Control, InterimVerdict, progress, verdict_so_far
from analytics.live.kept import ledger, state
from analytics.live.kept.rows import Rows
from analytics.live.order import check_order
from analytics.live.reading.intake import Intake, seen
from analytics.live.reading.placing import place
from analytics.live.reading.segment import End
from analytics.live.windows import RESULTS, judge_windows, result_path
from analytics.promises.findings import ranked
from analytics.traffic.checks import breaches_of_control, commanded, silence
from analytics.traffic.found import parts, together
from analytics.traffic.job import testify
from analytics.traffic.restarts import restarts
from analytics.traffic.run import RunData
from analytics.traffic.witnesses import Testimony
from analytics.verdict import EXAMPLES

SITTING_EVENTS: Final = 10_000
"""Most events that are judged in one batch, but for one window."""


@dataclass(frozen=True, slots=True)
class Terms:
    """How a run is judged while it goes on.

    Attributes:
        settle_us: What is younger is not judged yet: lines about it may be in transit.
        keep_events: Most events whose lines are kept; a line about an older one is too late.
    """

    settle_us: int
    keep_events: int


@dataclass(frozen=True, slots=True)
class Run:
    """The run that is judged.

    Attributes:
        folder: What states how it was set up.
        federation: As it is run.
        licences: The licence of each vehicle.
    """

    folder: RunFolder
    federation: Federation
    licences: dict[str, str]


class Bench:
    """Judges a run, a batch at a time; goes on after the last batch that it kept.

    Args:
        spark: The session.
        files: Where it keeps what it remembers.
        run: The run.
        terms: How it is judged.
    """

    def __init__(self, spark: SparkSession, files: Files, run: Run, terms: Terms) -> None:
        self._spark = spark
        self._files = files
        self._run = run
        self._terms = terms
        self._rows = Rows(spark, files)
        self.state = state.load(files)
        self._ledger = ledger.load(files, self._oldest(), self.state.number, self.state.highest)
        self._outages: tuple[Outage, ...] = ()
        with suppress(CannotJudgeError):
            self._outages = self._read_outages()
        self._sweep()

    def take(self, segment: DataFrame) -> InterimVerdict | None:
        """Accept a segment; harmless if it was accepted before.

        Returns:
            What is to be said now; None if it was accepted before.
        """
        intake = Intake(segment)
        if intake.end.number <= self.state.number:
            return None
        self.state.number = intake.end.number
        if intake.end.lines:
            summary = self._count(intake)
            self._control(intake, summary)
            self._events(intake)
        interim = self._judge(intake.end)
        state.save(self._files, self.state)
        self._sweep()
        return interim

    def _count(self, intake: Intake) -> LogSummary:
        """Count the lines, and return the summary of this batch alone."""
        summary = intake.summary()
        self.state.summary = self.state.summary.joined(summary)
        self.state.lines += intake.end.lines
        if summary.broken:
            number, first = intake.broken()
            self.state.unreadable += number
            for kind, places in first.items():
                known = self.state.broken.get(kind, [])
                self.state.broken[kind] = sorted([*known, *places])[:SHOWN]
        return summary

    def _control(self, intake: Intake, summary: LogSummary) -> None:
        control, windows = self.state.control, self.state.windows.values()
        frame_us = self.state.summary.last_us.get(TRUTH, 0)
        commands = intake.commands() if COMMANDS in summary.last_us else []
        log = intake.log(frame_us)
        influence.by_lines([*commands, *(one for one in log if one.act == "applied")], windows)
        influence.by_boarding(log, control.log, self._run.federation, windows)
        control.commands += commands
        control.log += log
        control.outages += intake.outages()
        control.tidy(frame_us)

    def _events(self, intake: Intake) -> None:
        lines, end = intake.about_events(), intake.end
        placed = place(seen(lines), end.number, end.now_us, self.state, self._ledger)
        if placed.windows:
            self._rows.keep(end.number, lines, placed.windows)
        if placed.entry.delivered:
            told = intake.deliveries.filter(~fn.col("id").isin(list(placed.late)))
            check_order(self._spark, told, placed.again, self.state)
        ledger.save(self._files, end.number, placed.entry)
        self._ledger.enter(end.number, placed.entry)

    def _judge(self, end: End) -> InterimVerdict:
        try:
            outages = self._read_outages()
        except CannotJudgeError as error:
            return InterimVerdict(progress(self.state, end), None, str(error), ())
        influence.by_outages(self._outages, outages, self.state.windows.values())
        self._outages = outages
        frontier_us = self._frontier_us(end)
        due = self._due(end, frontier_us)
        rows = self._rows.load({number: self.state.windows[number].batches for number in due})
        data = self._data(rows)
        if due:
            judge_windows(data, rows, due, self._files, self.state)
        self._give_up()
        control = self._of_control(data, end, frontier_us)
        verdict = verdict_so_far(data, self.state, end, control)
        offenders = tuple(one.offender for one in self.state.offenders)
        return InterimVerdict(progress(self.state, end), verdict, "", offenders)

    def _read_outages(self) -> tuple[Outage, ...]:
        path, told = self._run.folder.outages, self.state.control.outages
        records = ((number, json_object(path, number, text)) for number, text in told)
        processes = self.state.summary.processes
        return outages_of(path, records, self._run.federation, processes)

    def _frontier_us(self, end: End) -> int:
        """Return until when everything that will be written has been read, by all likelihood."""
        read_us = [self.state.summary.last_us.get(name, 0) for name in end.behind]
        return min([end.now_us, *read_us]) - self._terms.settle_us

    def _due(self, end: End, frontier_us: int) -> list[int]:
        """Return the windows that can be judged, oldest first, and those that must be abandoned."""
        windows, due, events = self.state.windows, list[int](), 0
        leaving = self._leaving()
        for number in self.state.stale:
            settled = end.quiet or windows[number].last_us <= frontier_us
            if not (settled or number in leaving):
                continue
            events += windows[number].events
            if due and events > SITTING_EVENTS:
                break
            due.append(number)
        return due

    def _leaving(self) -> list[int]:
        """Return the oldest windows, so many that the others are no more than are kept."""
        over = len(self._ledger) - self._terms.keep_events
        leaving = []
        for number in sorted(self.state.windows):
            if over <= 0:
                break
            over -= self.state.windows[number].events
            leaving.append(number)
        return leaving

    def _give_up(self) -> None:
        """Forget the oldest windows; what was found in them stays."""
        for number in self._leaving():
            if self.state.windows[number].stale:
                break
            window = self.state.windows.pop(number)
            self.state.given_up = together([self.state.given_up, window.found])
            self._ledger.give_up(number)
        self.state.highest = self._ledger.given_up

    def _data(self, rows: DataFrame) -> RunData:
        run, summary = self._run, self.state.summary
        tables = small_tables(self._spark, run.federation, run.licences, self._outages)
        logs = self._rows.logs(rows, self.state.control)
        return RunData(
            self._spark, run.folder, run.federation, logs, summary, self._outages, tables
        )

    def _of_control(self, data: RunData, end: End, frontier_us: int) -> Control:
        quiet = silence(data.summary, TRUTH)
        killed = [row for row in restarts(data) if end.quiet or row[3] <= frontier_us]
        stopped = any(one.stopped for one in data.summary.components.values())
        if not (killed or stopped or quiet.testable):
            return Control({}, quiet, 0, 0)
        breaches = breaches_of_control(data, quiet, killed).withColumn("part", fn.lit(0))
        found = parts(ranked(breaches, EXAMPLES).collect()).get(0, {})
        commands = commanded(data, quiet) if quiet.testable else 0
        testimony = testify(data, quiet, commands) if end.quiet else Testimony()
        return Control(found, quiet, commands, len(killed), testimony)

    def _oldest(self) -> int:
        return min(self.state.windows, default=self.state.number + 1)

    def _sweep(self) -> None:
        """Remove what no window needs any more, now that the state without it has been kept."""
        oldest = self._oldest()
        self._rows.forget(oldest)
        ledger.forget(self._files, oldest)
        windows = self.state.windows.items()
        kept = {result_path(number, one.judged) for number, one in windows if one.judged}
        for name in self._files.sizes(RESULTS):
            if f"{RESULTS}/{name}" not in kept:
                self._files.remove(f"{RESULTS}/{name}")
