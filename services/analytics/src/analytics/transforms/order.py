"""Order: which deliveries stand behind one that they should have come before."""

from pyspark.sql import DataFrame, Window
from pyspark.sql import functions as fn

_IDENTITY = r"^(.*)/(\d+)/(\d+)$"


def in_order(deliveries: DataFrame) -> DataFrame:
    """Hold each delivery against those before it.

    The order of an origin's sequence along one way decides. The wall clock of the lines, which is
    kept by one client, tells lines that changed places; it counts only where nothing is `late`.

    Args:
        deliveries: Lines of `DELIVERIES`, with `place`; `old` (judged before, and here only
            to be compared with), `again` (its id was delivered before all of these).

    Returns:
        The columns of `deliveries`; `late`, the id of a later event of the same origin and way that
        came first, or null; `early`, the id of the line before that has a later wall clock, or
        null; `newest`, whether what comes next must be held against this one.
    """
    numbered = deliveries.withColumns(
        {
            "origin": fn.regexp_extract("id", _IDENTITY, 1),
            "way": fn.array_join("path", ","),
            "number": fn.struct(
                fn.regexp_extract("id", _IDENTITY, 2).try_cast("bigint").alias("epoch"),
                fn.regexp_extract("id", _IDENTITY, 3).try_cast("bigint").alias("sequence"),
                "id",
            ),
        }
    )
    along = Window.partitionBy("origin", "way")
    before = along.orderBy("place").rowsBetween(Window.unboundedPreceding, -1)
    line = Window.partitionBy(fn.lit(0))
    known = numbered.withColumns(
        {
            "turn": fn.row_number().over(Window.partitionBy("id").orderBy("place")),
            "highest": fn.max("number").over(before),
            "previous": fn.lag(fn.struct("wall_us", "id")).over(line.orderBy("place")),
            "rank": fn.row_number().over(along.orderBy(fn.desc("number"), fn.desc("place"))),
            "last": fn.max("place").over(line),
        }
    )
    first = (fn.col("turn") == 1) & ~fn.col("again") & ~fn.col("old")
    behind = fn.col("highest") > fn.col("number")
    turned = ~fn.col("old") & (fn.col("previous.wall_us") > fn.col("wall_us"))
    return known.withColumns(
        {
            "late": fn.when(first & behind, fn.col("highest.id")),
            "early": fn.when(turned, fn.col("previous.id")),
            "newest": (fn.col("rank") == 1) | (fn.col("place") == fn.col("last")),
        }
    ).drop("origin", "way", "number", "turn", "highest", "previous", "rank", "last")
