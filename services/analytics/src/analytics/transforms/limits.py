"""Which speed limits were in force at a monitor, and when, from the commands alone."""

from pyspark.sql import Column, DataFrame, Window
from pyspark.sql import functions as fn

from analytics.outages import FOREVER_US

SLACK_US = 1_000_000
"""A command is on its way from so long before it was sent until so long after it was applied."""

PATIENCE_US = 10_000_000
"""A command that was never confirmed is taken to be applied so long after it was sent."""


def limits_in_force(commands: DataFrame, monitors: DataFrame) -> DataFrame:
    """Return the limits of each monitor.

    Args:
        commands: Lines of `COMMANDS`, with `place`.
        monitors: `MONITORS`.

    Returns:
        `monitor` and `limits`, an array of (`limit`, `may_from`, `must_from`, `must_to`, `may_to`):
        in force for certain within `must`, perhaps within `may`; wall clock, µs.
    """
    spans = _spans(_addressed(commands, monitors))
    names = ("limit", "may_from", "must_from", "must_to", "may_to")
    return spans.groupBy("monitor").agg(fn.collect_list(fn.struct(*names)).alias("limits"))


def _addressed(commands: DataFrame, monitors: DataFrame) -> DataFrame:
    """Return each command once for each monitor that its distribution list names."""
    pattern = fn.trim("list")
    for letter, escaped in (("\\", "\\\\"), ("%", "\\%"), ("_", "\\_"), ("*", "%"), ("?", "_")):
        pattern = fn.replace(pattern, fn.lit(letter), fn.lit(escaped))
    entries = commands.drop("monitor").select(
        "*", fn.explode(fn.split("destination", ",")).alias("list")
    )
    named = fn.like(fn.col("m_service"), fn.col("pattern"))
    wanted = entries.withColumn("pattern", pattern)
    return wanted.join(fn.broadcast(monitors.select("monitor", "m_service")), named)


def _spans(commands: DataFrame) -> DataFrame:
    """Return one row for each time that a limit was asked for until it was asked to end."""
    ends = fn.col("action") == "unsubscribe"
    before = (
        Window.partitionBy("monitor", "limit")
        .orderBy("sent_us", "place")
        .rowsBetween(Window.unboundedPreceding, -1)
    )
    turn = fn.coalesce(fn.count(fn.when(ends, 1)).over(before), fn.lit(0))
    applied = fn.coalesce(fn.col("applied_us"), fn.col("sent_us") + PATIENCE_US) + SLACK_US
    sent = fn.col("sent_us") - SLACK_US
    spans = (
        commands.withColumn("turn", turn)
        .groupBy("monitor", "limit", "turn")
        .agg(
            fn.min(fn.when(~ends, sent)).alias("may_from"),
            fn.min(fn.when(~ends, applied)).alias("must_from"),
            fn.coalesce(fn.min(fn.when(ends, sent)), fn.lit(FOREVER_US)).alias("must_to"),
            fn.coalesce(fn.min(fn.when(ends, applied)), fn.lit(FOREVER_US)).alias("may_to"),
        )
    )
    return spans.filter(fn.col("may_from").isNotNull())


def exceeded(certainly: str) -> Column:
    """Return whether a frame's rate is above a limit in force when it was sent.

    Args:
        certainly: `must`, or `may` where a command on its way counts too.

    Returns:
        An expression over `limits`, `rate` and `wall_us`; false where there are no limits.
    """
    wall, rate = fn.col("wall_us"), fn.col("rate")

    def above(span: Column) -> Column:
        inside = wall.between(span[f"{certainly}_from"], span[f"{certainly}_to"])
        return inside & (rate > span["limit"])

    return fn.coalesce(fn.exists("limits", above), fn.lit(False))
