"""Journeys: when each gateway received of an event, and when it passed the event on."""

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as fn


def journeys(log: DataFrame, adapters: DataFrame) -> DataFrame:
    """Return one row for each event and gateway, from the event log.

    A vehicle's gateway hears on the bus and tells the air; a monitor's hears on the air and tells
    the city. Lines that name another service than their adapter's count for nothing.

    Args:
        log: Lines of `EVENT_LOG`.
        adapters: `ADAPTERS`.

    Returns:
        `id`, `gateway`, `lane` (`vehicle` or `monitor`); of `heard` and of `told` each the first
        and last wall clock `_us`, `_last_us`, and the number of lines `_n`.
    """
    speed = fn.coalesce(fn.col("subject"), fn.lit("Speed")) == "Speed"
    known = log.filter(fn.col("id").isNotNull() & (fn.col("id") != "") & speed)
    lines = known.join(fn.broadcast(adapters), "name")
    heard = _at("received", "from", "bus", "receiver")
    told = _at("published", "to", "sender", "city")
    lane = fn.when(fn.col("role").isin("bus", "sender"), "vehicle").otherwise("monitor")
    kept = lines.withColumns({"heard": heard, "told": told}).filter("heard or told")
    return kept.groupBy("id", "gateway").agg(
        fn.max(lane).alias("lane"), *_times("heard"), *_times("told")
    )


def _at(decision: str, member: str, *roles: str) -> Column:
    place = fn.coalesce(fn.nullif(fn.col(member), fn.lit("")), fn.col("service"))
    here = place == fn.col("service")
    return (fn.col("decision") == decision) & fn.col("role").isin(*roles) & here


def _times(side: str) -> list[Column]:
    wall = fn.when(fn.col(side), fn.col("wall_us"))
    return [
        fn.min(wall).alias(f"{side}_us"),
        fn.max(wall).alias(f"{side}_last_us"),
        fn.count(wall).alias(f"{side}_n"),
    ]


def of_lane(journeys: DataFrame, lane: str, prefix: str) -> DataFrame:
    """Return the journeys of one lane, `gateway` and the rest named with a prefix.

    Args:
        journeys: As `journeys` returns.
        lane: `vehicle` or `monitor`.
        prefix: Put before each column but `id`.
    """
    columns = [
        "gateway",
        "heard_us",
        "heard_last_us",
        "heard_n",
        "told_us",
        "told_last_us",
        "told_n",
    ]
    chosen = journeys.filter(fn.col("lane") == lane)
    return chosen.select("id", *[fn.col(name).alias(f"{prefix}{name}") for name in columns])
