"""Which speed limits were active at a monitor, and when, from the commands alone."""

from pyspark.sql import Column, DataFrame, Window
from pyspark.sql import functions as fn

from analytics.inputs.outages import FOREVER_US

SLACK_US = 1_000_000
"""A command is in transit from so long before it was sent until so long after it was applied."""

PATIENCE_US = 10_000_000
"""A command that was never confirmed is accepted to be applied so long after it was sent."""


ANY_RATE = -1.0
"""The limit of a filter that the judge does not read: it may let every rate pass."""


def limits_in_force(commands: DataFrame, log: DataFrame, monitors: DataFrame) -> DataFrame:
    """Return the limits of each monitor.

    What somebody else requested over a gateway's API may be delivered too, but is owed to nobody:
    that it was requested is in the event log alone.

    Args:
        commands: Lines of `COMMANDS`, with `place`.
        log: Lines of `EVENT_LOG`, with `place`.
        monitors: `MONITORS`.

    Returns:
        `monitor` and `limits`, an array of (`limit`, `may_from`, `must_from`, `must_to`, `may_to`):
        active for certain within `must`, perhaps within `may`; wall clock, µs.
    """
    names = ("limit", "may_from", "must_from", "must_to", "may_to")
    injected = _spans(_injected(log, monitors)).withColumns(
        {"must_from": fn.lit(FOREVER_US), "must_to": fn.lit(-FOREVER_US)}
    )
    spans = _spans(_addressed(commands, monitors)).unionByName(injected)
    return spans.groupBy("monitor").agg(fn.collect_list(fn.struct(*names)).alias("limits"))


def _injected(log: DataFrame, monitors: DataFrame) -> DataFrame:
    """Return what was requested over the API, in the form of commands."""
    asked = log.filter(
        (fn.col("component") == "gateway")
        & (fn.col("decision") == "applied")
        & fn.col("type").isin("subscription", "unsubscription")
        & fn.col("request").rlike(r"/api/\d+/\d+$")
    )
    least = fn.regexp_extract(
        "what", r"(?i)^\s*subject\s*=\s*'Speed'\s+AND\s+rate\s*>\s*(\d+\.?\d*)\s*$", 1
    )
    commands = asked.select(
        fn.regexp_replace("type", "scription$", "scribe").alias("action"),
        fn.coalesce(least.try_cast("double"), fn.lit(ANY_RATE)).alias("limit"),
        fn.col("wall_us").alias("sent_us"),
        fn.col("wall_us").alias("applied_us"),
        fn.col("to").alias("m_service"),
        "from",
        "place",
    )
    at = monitors.select("monitor", "m_service", "city")
    named = commands.join(fn.broadcast(at), "m_service")
    return named.filter(fn.col("from") == fn.col("city"))


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
    """Return one row for each time that a limit was requested until it was requested to end."""
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
    """Return whether a frame's rate is above a active limit when it was sent.

    Args:
        certainly: `must`, or `may` where a command in transit counts too.

    Returns:
        An expression over `limits`, `rate` and `wall_us`; false where there are no limits.
    """
    wall, rate = fn.col("wall_us"), fn.col("rate")

    def above(span: Column) -> Column:
        inside = wall.between(span[f"{certainly}_from"], span[f"{certainly}_to"])
        return inside & (rate > span["limit"])

    return fn.coalesce(fn.exists("limits", above), fn.lit(False))
