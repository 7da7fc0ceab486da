"""The report: a table for the terminal, a page for the browser."""

import csv
from pathlib import Path

from jinja2 import Environment, PackageLoader, StrictUndefined
from rich.console import Console
from rich.table import Table
from rich.text import Text
from serving.files import write_whole

from analytics.inputs.federation import Federation
from analytics.inputs.folder import RunFolder
from analytics.live.interim_verdict import InterimVerdict, Progress
from analytics.report.chart import Place, draw
from analytics.traffic.job import Offender, Outcome
from analytics.verdict import BROKEN, HELD, Hop, Promise, Verdict

_STYLES = {HELD: "green", BROKEN: "bold red"}
_TRACK_POINTS = 3000


def print_verdict(verdict: Verdict, console: Console | None = None) -> None:
    """Print a verdict: one line a promise, the reports, the latency, and the word itself."""
    out = console or Console()
    print_promises(verdict.promises, out)
    reports = verdict.reports
    out.print(
        f"reports: {reports.expected} expected, {reports.received} received, "
        f"{reports.missing} missing, {reports.unexpected} unexpected, "
        f"{reports.duplicate} duplicate, {reports.outage} lost in an outage",
        highlight=False,
    )
    for hop in verdict.hops:
        out.print(f"latency: {_latency(hop)}", highlight=False)
    word, style = ("pass", "bold green") if verdict.passed else ("fail", "bold red")
    out.print(Text(f"verdict: {word}", style))


def print_promises(promises: tuple[Promise, ...], console: Console | None = None) -> None:
    """Print one line a promise."""
    (console or Console()).print(_promises(promises))


def _promises(promises: tuple[Promise, ...]) -> Table:
    table = Table("promise", "status", "detail", box=None, pad_edge=False)
    for promise in promises:
        style = _STYLES.get(promise.status, "yellow")
        table.add_row(promise.name, Text(promise.status, style), Text(promise.detail))
    return table


def _latency(hop: Hop) -> str:
    if hop.p50 is None or hop.p99 is None:
        return f"{hop.hop}: nothing passed"
    return f"{hop.hop}: p50 {hop.p50:.1f} ms, p99 {hop.p99:.1f} ms ({hop.count})"


def write_report(outcome: Outcome) -> Path:
    """Write `report.html` into the run folder, and return its path."""
    data = outcome.data
    page = Pages(data.folder, data.federation).finished(outcome.verdict, outcome.offenders)
    path = data.folder.path / "report.html"
    write_whole(path, page)
    return path


class Pages:
    """Makes pages about one run.

    Args:
        folder: The run.
        federation: As it was run.
        name: What the run is called; as its folder where empty.
    """

    def __init__(self, folder: RunFolder, federation: Federation, name: str = "") -> None:
        environment = Environment(
            loader=PackageLoader("analytics"), autoescape=True, undefined=StrictUndefined
        )
        self._template = environment.get_template("report.html")
        self._name = name or (folder.origin or str(folder.path)).rstrip("/").rpartition("/")[2]
        self._monitors = [
            Place(one.name, one.lat, one.lon, one.range_m) for one in federation.monitors
        ]
        self._track = _track(folder.trace)

    def finished(self, verdict: Verdict, offenders: tuple[Offender, ...]) -> str:
        """Return the page about a finished run."""
        word = "pass" if verdict.passed else "fail"
        return self._page(verdict, offenders, word, None)

    def live(self, interim: InterimVerdict) -> str:
        """Return the page about a run that goes on; empty while there is no verdict."""
        if interim.verdict is None:
            return ""
        offenders = tuple(reversed(interim.offenders))
        return self._page(interim.verdict, offenders, interim.word, interim.progress)

    def _page(
        self,
        verdict: Verdict,
        offenders: tuple[Offender, ...],
        word: str,
        progress: Progress | None,
    ) -> str:
        caught = [Place(one.vehicle, one.lat, one.lon) for one in offenders]
        return self._template.render(
            run=self._name,
            word=word,
            verdict=verdict,
            progress=progress,
            chart=draw(self._monitors, caught, self._track),
            offenders=offenders,
            longest_ms=max([hop.p99 or 0.0 for hop in verdict.hops[:-1]] + [0.001]),
        )


def _track(path: Path) -> list[Place]:
    """Return places of the fleet, thinned out to what a picture can show."""
    with path.open(encoding="utf-8") as file:
        every = max(1, sum(1 for _ in file) // _TRACK_POINTS)
    with path.open(encoding="utf-8", newline="") as file:
        rows = [row for number, row in enumerate(csv.DictReader(file)) if number % every == 0]
    return [Place(row["vehicle"], float(row["lat"]), float(row["lon"])) for row in rows]
