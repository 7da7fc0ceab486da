"""Promises about the control plane: no storm, nothing left behind, a restart decides as before."""

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as fn

from analytics.promises.findings import LEFTOVERS, RESTART, STORM, Breach, found

REQUESTS = ("subscription", "unsubscription", "announcement", "unannouncement")
"""Types of the control events that are requests."""


def forwarded(log: DataFrame, first_us: int, last_us: int) -> DataFrame:
    """Find the requests that gateways passed on while publishers were silent.

    They break the promise only where they are many more than the commands of that time.

    Args:
        log: Lines of `EVENT_LOG`.
        first_us: From when the publishers were silent, wall clock.
        last_us: Until when.
    """
    passed = (fn.col("decision") == "forwarded") & fn.col("type").isin(*REQUESTS)
    silent = fn.col("wall_us").between(first_us, last_us)
    to = fn.coalesce("to", fn.lit(""))
    reason = fn.concat(fn.col("type"), fn.lit(" forwarded in silence to "), to)
    return found(log, Breach(STORM, passed & silent, fn.col("name"), reason))


def natives(log: DataFrame) -> DataFrame:
    """Return the native subscriptions that adapters made and took back.

    Announcements are left out: they are leases that come and go with the events.

    Returns:
        `name` of the adapter, `key` (the native filter), `wall_us`, `on`.
    """
    lines = log.filter(fn.col("decision").isin("subscribed", "unsubscribed"))
    key = fn.coalesce("what", fn.lit(""))
    on = fn.col("decision") == "subscribed"
    return lines.select("name", key.alias("key"), "wall_us", on.alias("on"))


def left_behind(natives: DataFrame, stopped: DataFrame) -> DataFrame:
    """Find native subscriptions that an adapter never took back, though it stopped gracefully.

    Args:
        natives: As `natives` returns.
        stopped: `name` of the adapters that stopped gracefully.
    """
    last = natives.groupBy("name", "key").agg(_latest("on").alias("on"))
    ended = last.join(fn.broadcast(stopped), "name").withColumn("id", fn.lit(""))
    reason = fn.concat(fn.lit("subscription "), "key", fn.lit(" was never withdrawn"))
    return found(ended, Breach(LEFTOVERS, fn.col("on"), fn.col("name"), reason))


def decided_otherwise(
    natives: DataFrame, started: DataFrame, adapters: DataFrame, restarts: DataFrame
) -> DataFrame:
    """Find native subscriptions that a restart lost, or added.

    Args:
        natives: As `natives` returns.
        started: `name` and `wall_us` of each start of an adapter.
        adapters: `ADAPTERS`.
        restarts: `RESTARTS`.
    """
    concerned = adapters.select("name", "gateway").join(fn.broadcast(restarts), "gateway")
    span = fn.col("wall_us").between(fn.col("from_us"), fn.col("until_us"))
    again = started.join(fn.broadcast(concerned), "name").filter(span)
    began = again.groupBy("name", "number").agg(fn.max("wall_us").alias("began_us"))
    lines = natives.join(fn.broadcast(concerned), "name").join(began, ["name", "number"], "left")
    wall = fn.col("wall_us")
    after = (wall <= fn.col("until_us")) & (wall >= fn.coalesce("began_us", fn.lit(0)))
    states = lines.groupBy("name", "number", "key").agg(
        fn.coalesce(_latest("on", wall < fn.col("from_us")), fn.lit(False)).alias("before"),
        fn.coalesce(_latest("on", after), fn.lit(False)).alias("after"),
    )
    text = fn.when(fn.col("before"), " was in force before it was killed, not after").otherwise(
        " is in force since it was killed, not before"
    )
    changed = fn.col("before") != fn.col("after")
    breach = Breach(
        RESTART, changed, fn.col("name"), fn.concat(fn.lit("subscription "), "key", text)
    )
    return found(states.withColumn("id", fn.lit("")), breach)


def _latest(value: str, where: Column | None = None) -> Column:
    """Return the last value by wall clock; of two at one time the one that is false."""
    order = fn.struct("wall_us", (~fn.col(value)).alias("off"))
    return fn.max_by(fn.col(value), order if where is None else fn.when(where, order))
