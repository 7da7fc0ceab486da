"""The event log, as the judge of scopes needs it: few rows of each kind, whatever its length.

Deliveries that scopes treat alike are one row with their number: no long frame is collected.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from pyspark.sql import Column, DataFrame, Row, SparkSession
from pyspark.sql import functions as fn
from pyspark.sql.types import ArrayType, LongType, StringType, StructField, StructType

from analytics.inputs.logs import good, read_log
from analytics.spark.small import small_frame

SLACK_US: Final = 1_000_000
"""So long before and after a change of scopes an event may belong to either generation."""

MAX_KINDS: Final = 100_000
"""Most kinds of deliveries that are judged."""

_TEXT, _LONG = StringType(), LongType()
SCOPE_LOG: Final = StructType(
    [
        *(StructField(name, _LONG) for name in ("v", "wall_us", "time_us")),
        *(
            StructField(name, _TEXT)
            for name in (
                *("component", "name", "decision", "id", "subject", "home", "from", "to"),
                *("request", "type", "what", "session", "declared"),
            )
        ),
    ]
)
"""Members of the event log's lines that scopes are judged by."""

_TIMES: Final = StructType([StructField("gateway", _TEXT), StructField("times", ArrayType(_LONG))])
_MADE: Final = r"~[0-9a-f]{16}/(-?\d+)/(-?\d+)$"
_REQUESTS: Final = ("subscription", "announcement")
_OF_DELIVERY: Final = (
    *("home", "to", "subject", "published", "made", "known", "session", "within"),
    *("h0", "h1", "d0", "d1"),
)


@dataclass(frozen=True, slots=True)
class Change:
    """A change of scopes that a gateway applied: its text, and what it declares, as JSON."""

    gateway: str
    wall_us: int
    what: str
    declared: str


@dataclass(frozen=True, slots=True)
class ScopeLog:
    """What a run's event log has of scopes.

    Attributes:
        deliveries: Kinds of deliveries to event services.
        together: Kinds of events that several event services received, with these.
        requests: Kinds of requests that were applied.
    """

    deliveries: list[Row]
    together: list[Row]
    requests: list[Row]

    @property
    def complete(self) -> bool:
        """Whether there are no more kinds than are judged."""
        most = max(map(len, (self.deliveries, self.together, self.requests)))
        return most <= MAX_KINDS


def read_lines(spark: SparkSession, places: tuple[str, ...]) -> DataFrame:
    """Read the event logs.

    Args:
        spark: The session.
        places: The files, as Spark names them.
    """
    return good(read_log(spark, places, SCOPE_LOG, "event_log")).localCheckpoint()


def read_changes(lines: DataFrame) -> list[Change]:
    """Return the changes of scopes that gateways applied, by time."""
    empty = fn.lit("")
    rows = lines.filter("decision = 'applied' and type = 'scopes'").select(
        "name",
        "wall_us",
        fn.coalesce("what", empty).alias("what"),
        fn.coalesce("declared", empty).alias("declared"),
    )
    return [Change(*row) for row in rows.orderBy("wall_us").collect()]


def read_log_of_scopes(
    spark: SparkSession, lines: DataFrame, times: Iterable[tuple[str, list[int]]]
) -> ScopeLog:
    """Count deliveries and requests by how scopes treat them.

    Args:
        spark: The session.
        lines: As `read_lines` returns.
        times: Each gateway, and when it applied each change, wall clock.
    """
    known = small_frame(spark, list(times), _TIMES)
    gateway = fn.split_part("name", fn.lit("."), fn.lit(1))
    timed = lines.withColumn("gateway", gateway).join(fn.broadcast(known), "gateway", "left")
    given = _deliveries(timed).localCheckpoint()
    return ScopeLog(_kinds(given), _together(given), _requests(timed))


def _generation(slack_us: int) -> Column:
    """Return how many changes a line's gateway had applied, so long after the line."""
    before = fn.filter("times", lambda at: at <= fn.col("wall_us") + slack_us)
    return fn.coalesce(fn.size(fn.coalesce(before, fn.array().cast("array<bigint>"))), fn.lit(0))


def _published(timed: DataFrame) -> DataFrame:
    """Return each event as it was published: `base`, `published`, `session`, when, generations."""
    received = fn.col("decision").isin("received", "matched", "dropped", "suppressed")
    at_home = (fn.col("from") == fn.col("home")) & received & ~fn.col("id").rlike(_MADE)
    by_adapter = fn.col("component") != "adapter"
    order = fn.struct(by_adapter, "wall_us")
    return (
        timed.filter(at_home)
        .groupBy(fn.col("id").alias("base"))
        .agg(
            fn.min_by("subject", order).alias("published"),
            fn.min_by("time_us", order).alias("began_us"),
            fn.max("session").alias("session"),
            fn.min(_generation(-SLACK_US)).alias("h0"),
            fn.max(_generation(SLACK_US)).alias("h1"),
        )
    )


def _deliveries(timed: DataFrame) -> DataFrame:
    told = (fn.col("decision") == "published") & (fn.col("component") == "adapter")
    whole = fn.col("id").isNotNull() & fn.col("home").isNotNull() & fn.col("to").isNotNull()
    given = timed.filter(told & whole & (fn.col("home") != fn.col("to"))).select(
        *("id", "home", "to", "subject", "name", "time_us"),
        fn.regexp_replace("id", _MADE, "/$1/$2").alias("base"),
        fn.col("id").rlike(_MADE).alias("made"),
        fn.coalesce("session", fn.lit("")).alias("within"),
        _generation(-SLACK_US).alias("d0"),
        _generation(0).alias("d1"),
    )
    joined = given.join(_published(timed), "base", "left")
    return joined.withColumns(
        {
            "known": fn.col("began_us").isNotNull(),
            "session": fn.coalesce("session", fn.lit("")),
            "h0": fn.coalesce("h0", fn.lit(0)),
            "h1": fn.coalesce("h1", fn.col("d1")),
            "waited_us": fn.col("time_us") - fn.col("began_us"),
        }
    )


def _kinds(given: DataFrame) -> list[Row]:
    kinds = given.groupBy(*_OF_DELIVERY).agg(
        fn.count("*").alias("count"),
        fn.min("id").alias("first"),
        fn.max("id").alias("last"),
        fn.min(fn.struct("waited_us", "id")).alias("soonest"),
    )
    return kinds.orderBy("first", *_OF_DELIVERY).limit(MAX_KINDS + 1).collect()


def _together(given: DataFrame) -> list[Row]:
    events = given.groupBy("base", "home", "published", "session", "h0", "h1").agg(
        fn.array_sort(fn.collect_set("to")).alias("to")
    )
    several = events.filter(fn.size("to") > 1)
    kinds = several.groupBy("home", "published", "session", "h0", "h1", "to").agg(
        fn.count("*").alias("count"), fn.min("base").alias("first"), fn.max("base").alias("last")
    )
    return kinds.orderBy("first").limit(MAX_KINDS + 1).collect()


def _requests(timed: DataFrame) -> list[Row]:
    applied = (fn.col("decision") == "applied") & fn.col("type").isin(*_REQUESTS)
    whole = fn.col("from").isNotNull() & fn.col("to").isNotNull() & (fn.col("from") != fn.col("to"))
    placed = timed.filter(applied & whole).withColumns(
        {"d0": _generation(-SLACK_US), "d1": _generation(SLACK_US)}
    )
    kinds = placed.groupBy("from", "to", "type", "d0", "d1").agg(
        fn.count("*").alias("count"),
        fn.min("request").alias("first"),
        fn.max("request").alias("last"),
    )
    return kinds.orderBy("first", "from", "to").limit(MAX_KINDS + 1).collect()
