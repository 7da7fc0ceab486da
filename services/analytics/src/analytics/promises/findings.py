"""Findings: what is wrong, in one shape for all promises."""

from dataclasses import dataclass

from pyspark.sql import Column, DataFrame, Window
from pyspark.sql import functions as fn

AT_MOST_ONCE = "at most once per destination"
UNASKED = "nothing is delivered unasked"
LOST = "nothing asked for is lost"
ORDER = "order of each origin is kept"
STORM = "no control-plane storm"
LEFTOVERS = "no native subscription is left"
RESTART = "killed and restarted decides as before"
PATH = "every path is admissible"
SOURCE = "filters work at the source"
LOGS = "logs are complete"

BY_CLOCK = "order of the lines"
"""What represents `ORDER` where no sequence of an origin was broken."""

PROMISES = (AT_MOST_ONCE, UNASKED, LOST, ORDER, STORM, LEFTOVERS, RESTART, PATH, SOURCE, LOGS)
"""All promises, in the order in which they are reported."""


@dataclass(frozen=True, slots=True)
class Breach:
    """What would break a promise, as expressions over the columns of one kind of row.

    Attributes:
        promise: The promise.
        where: Whether a row breaks it; null is no.
        monitor: The monitor, gateway or adapter concerned.
        reason: What is wrong.
    """

    promise: str
    where: Column
    monitor: Column
    reason: Column


def found(rows: DataFrame, *breaches: Breach) -> DataFrame:
    """Return one row of `FINDINGS` for each breach that applies to a row, in one pass.

    Args:
        rows: With the column `id`.
        *breaches: What to find.
    """
    each = fn.explode(fn.array_compact(fn.array(*[_finding(breach) for breach in breaches])))
    return rows.select(each.alias("finding")).select("finding.*")


def _finding(breach: Breach) -> Column:
    empty = fn.lit("")
    finding = fn.struct(
        fn.lit(breach.promise).alias("promise"),
        fn.coalesce(fn.col("id"), empty).alias("id"),
        fn.coalesce(breach.monitor, empty).alias("monitor"),
        fn.coalesce(breach.reason, empty).alias("reason"),
    )
    return fn.when(breach.where, finding)


def ranked(findings: DataFrame, most: int) -> DataFrame:
    """Return the number of findings of each promise, and the first of them.

    Of each event one finding comes first, so that as many events as can be are named.

    Args:
        findings: `FINDINGS`, and `part`: each part is ranked for itself.
        most: How many examples are kept of each promise.

    Returns:
        `FINDINGS`, `part`; `turn`, which finding of its event it is; `offending`, how many there
        are in all.
    """
    each = Window.partitionBy("part", "promise")
    event = Window.partitionBy("part", "promise", "id").orderBy("monitor", "reason")
    order = each.orderBy("turn", "id", "monitor", "reason")
    numbered = findings.withColumn("turn", fn.row_number().over(event)).withColumns(
        {"offending": fn.count("*").over(each), "rank": fn.row_number().over(order)}
    )
    return numbered.filter(fn.col("rank") <= most).orderBy("part", "promise", "rank").drop("rank")
