"""What has to be so, row by row; the verdict is that all of it is."""

from dataclasses import dataclass, field

from active_badge.experiments import Counted, Mode
from active_badge.formula import breaches
from active_badge.generator import Day, margins
from active_badge.logs import LogCount
from active_badge.published import (
    ADVERTISING_MS,
    BIG_BROTHER,
    BUSES,
    NETWORKS,
    NOTIFYING_MS,
    SIGHTINGS,
    SOURCES,
    SUBSCRIBING_MS,
    UNADVERTISING_MS,
    UNSUBSCRIBING_MS,
    Way,
    decrease,
)
from active_badge.timings import Spread, Timings


@dataclass(frozen=True, slots=True)
class CountRow:
    """A row of tables 1 to 3: as published, as sinks counted, as the logs were counted."""

    table: int
    sink: str
    published: int
    unfiltered: int
    filtered: int
    logged_unfiltered: int
    logged_filtered: int

    @property
    def decrease(self) -> str:
        """By how much the filter lessens the events."""
        return decrease(self.filtered)

    @property
    def is_right(self) -> bool:
        """Whether all counts are the published ones."""
        return (
            (self.unfiltered, self.filtered)
            == (SIGHTINGS, self.published)
            == (
                self.logged_unfiltered,
                self.logged_filtered,
            )
        )


@dataclass(frozen=True, slots=True)
class TimeRow:
    """A row of tables 4 to 8: the thesis's time beside ours, milliseconds."""

    table: int
    what: str
    published_ms: float
    measured: Spread | None

    @property
    def ratio(self) -> float:
        """How many times shorter ours is."""
        return self.published_ms / self.measured.median if self.measured else 0.0


@dataclass(slots=True)
class Verdict:
    """The verdict, and what led to it.

    Attributes:
        counts: Tables 1 to 3.
        times: Tables 4 to 8.
        wrongs: What was not as it has to be.
        figures: Other numbers of the run, by name.
    """

    counts: list[CountRow] = field(default_factory=list)
    times: list[TimeRow] = field(default_factory=list)
    wrongs: list[str] = field(default_factory=list)
    figures: dict[str, str] = field(default_factory=dict)

    @property
    def passed(self) -> bool:
        """Whether everything is as it has to be."""
        return not self.wrongs


def judge(
    day: Day,
    counted: dict[Mode, Counted],
    logged: dict[tuple[str, str], LogCount],
    timings: Timings,
) -> Verdict:
    """Return the verdict on a run."""
    verdict = Verdict(counts=_counts(counted, logged), times=_times(timings))
    verdict.wrongs += [f"the data: {each}" for each in margins(day)]
    verdict.wrongs += [
        f"table {row.table}, {row.sink}: counts differ"
        for row in verdict.counts
        if not row.is_right
    ]
    for (mode, sink), count in logged.items():
        if count.count != count.different or count.unreadable:
            verdict.wrongs.append(f"log of {sink}, {mode}: a sighting twice, or a line unreadable")
    for mode, each in counted.items():
        wrong = breaches(day, each, mode)
        verdict.wrongs += [f"invocations, {mode}: {line}" for line in wrong[:20]]
        verdict.figures[f"invocations, {mode}"] = f"{each.invocations:,}"
        verdict.figures[f"events whose invocations are not the formula's, {mode}"] = str(len(wrong))
        verdict.figures[f"seconds, {mode}"] = f"{each.seconds:.1f}"
        verdict.figures[f"messages sent again, {mode}"] = f"{each.resent:,}"
    verdict.wrongs += [
        f"table {row.table}, {row.what}: not measured" for row in verdict.times if not row.measured
    ]
    return verdict


def _counts(
    counted: dict[Mode, Counted], logged: dict[tuple[str, str], LogCount]
) -> list[CountRow]:
    plan = [(1, "God", SIGHTINGS)]
    plan += [(2, name, count) for name, (_, count) in BIG_BROTHER.items()]
    plan += [(3, f"CCTV-{name}", count) for name, count in NETWORKS.items()]
    nothing = LogCount(0, 0, 0)
    return [
        CountRow(
            table, sink, count,
            counted["unfiltered"].received.get(sink, 0),
            counted["filtered"].received.get(sink, 0),
            logged.get(("unfiltered", sink), nothing).count,
            logged.get(("filtered", sink), nothing).count,
        )
        for table, sink, count in plan
    ]  # fmt: skip


def _times(timings: Timings) -> list[TimeRow]:
    rows = []
    for table, what, published, measured in (
        (4, "subscribing", SUBSCRIBING_MS, timings.subscribing),
        (5, "unsubscribing", UNSUBSCRIBING_MS, timings.unsubscribing),
    ):
        rows += _rows(table, what, "sources", published, measured, SOURCES)
    rows.append(TimeRow(6, "advertising", ADVERTISING_MS, timings.advertising))
    rows.append(TimeRow(7, "unadvertising", UNADVERTISING_MS, timings.unadvertising))
    return rows + _rows(8, "notifying", "buses", NOTIFYING_MS, timings.notifying, BUSES)


def _rows(
    table: int,
    what: str,
    of: str,
    published: dict[Way, tuple[float, ...]],
    measured: dict[tuple[Way, int], Spread],
    numbers: tuple[int, ...],
) -> list[TimeRow]:
    return [
        TimeRow(table, f"{what}, {way}, {number} {of}", time_ms, measured.get((way, number)))
        for way, times_ms in published.items()
        for number, time_ms in zip(numbers, times_ms, strict=True)
    ]
