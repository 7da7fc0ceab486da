"""Control lines: the few by which all events are judged, kept while they can matter."""

from dataclasses import dataclass, field
from typing import Final

import msgspec
from pyspark.sql import Column, DataFrame, Row
from pyspark.sql import functions as fn

from analytics.promises.control import REQUESTS

LINES: Final = 20_000
"""Most lines of a kind that are kept."""
OWN: Final = ("started", "stopped", "subscribed", "unsubscribed")
"""Decisions that components tell of themselves."""


class Kept(msgspec.Struct, frozen=True):
    """A line that is kept.

    Attributes:
        at_us: When what it tells of began, wall clock.
        done_us: When a command was applied, 0 if never; of a record, when it was written.
        act: Action of a command, decision of a record.
        about: What it is about: a monitor's destination and limit, or a component and its filter.
    """

    file: str
    offset: int
    at_us: int
    done_us: int
    act: str
    about: str
    text: str


COLUMNS: Final = ("file", "offset", "at_us", "done_us", "act", "about", "text")


@dataclass(slots=True)
class Control:
    """The lines that are kept.

    Attributes:
        commands: What the city requested.
        log: What components told of themselves, and of requests.
        outages: Lines of `outages.jsonl`: number and text.
        dropped: Lines that could have mattered and were too many.
    """

    commands: list[Kept] = field(default_factory=list)
    log: list[Kept] = field(default_factory=list)
    outages: list[tuple[int, str]] = field(default_factory=list)
    dropped: int = 0

    def tidy(self, frame_us: int) -> None:
        """Drop what can matter no more.

        Args:
            frame_us: When the last frame was sent. What was forwarded before it was not silence;
                and a command that repeats one active changes nothing but what silence may bring.
        """
        self.log = [one for one in self.log if one.act != "forwarded" or one.at_us >= frame_us]
        self.commands = _without_repeats(self.commands, frame_us)
        for lines in (self.commands, self.log):
            over = len(lines) - LINES
            if over > 0:
                self.dropped += over
                lines[:] = _shortened(lines)
        if len(self.outages) > LINES:
            self.dropped += len(self.outages) - LINES
            del self.outages[:-LINES]


def _without_repeats(commands: list[Kept], frame_us: int) -> list[Kept]:
    kept: list[Kept] = []
    in_force: dict[str, int] = {}
    for one in sorted(commands, key=lambda line: (line.at_us, line.offset)):
        since = in_force.get(one.about)
        repeats = one.act == "renew" and since is not None and since <= one.at_us
        if not (repeats and one.at_us < frame_us):
            kept.append(one)
        if one.act == "unsubscribe":
            in_force.pop(one.about, None)
        elif one.done_us:
            in_force.setdefault(one.about, one.done_us)
    return kept


def _shortened(lines: list[Kept]) -> list[Kept]:
    """Return the newest lines, and of the others the last word about each thing."""
    lines = sorted(lines, key=lambda line: (line.at_us, line.offset))
    least = LINES // 2
    old, new = lines[:-least], lines[-least:]
    last = {(one.about, one.act in OWN[:2]): one for one in old if one.act != "forwarded"}
    return sorted([*last.values()][-least:], key=lambda line: line.at_us) + new


_API = r"/api/\d+/\d+$"


def matters(frame_us: int) -> Column:
    """Return whether a record of the event log is a control line that is kept.

    Args:
        frame_us: When the last frame was sent, as far as it is known.
    """
    request, kind = fn.coalesce("request", fn.lit("")), fn.coalesce("type", fn.lit(""))
    asked = (fn.col("decision") == "applied") & kind.isin(*REQUESTS) & request.rlike(_API)
    passed = (fn.col("decision") == "forwarded") & kind.isin(*REQUESTS)
    late = fn.col("wall_us") >= frame_us
    return fn.col("decision").isin(*OWN) | asked | (passed & late)


def of_commands(commands: DataFrame) -> list[Kept]:
    """Return good lines of `COMMANDS` that have `value`, as they are kept."""
    rows = commands.select(
        "file",
        fn.col("place.offset"),
        fn.col("sent_us").alias("at_us"),
        fn.coalesce("applied_us", fn.lit(0)).alias("done_us"),
        fn.col("action").alias("act"),
        fn.concat_ws(" ", "monitor", "destination", fn.col("limit").cast("string")).alias("about"),
        fn.col("value").alias("text"),
    )
    return [_kept(row) for row in rows.collect()]


def of_log(log: DataFrame) -> list[Kept]:
    """Return good lines of `EVENT_LOG` that have `value`, as they are kept."""
    what = fn.coalesce("what", fn.lit(""))
    about = fn.concat_ws(" ", "name", what, fn.coalesce("to", fn.lit("")))
    rows = log.select(
        "file",
        fn.col("place.offset"),
        fn.col("wall_us").alias("at_us"),
        fn.col("wall_us").alias("done_us"),
        fn.col("decision").alias("act"),
        about.alias("about"),
        fn.col("value").alias("text"),
    )
    return [_kept(row) for row in rows.collect()]


def _kept(row: Row) -> Kept:
    return Kept(**row.asDict())
