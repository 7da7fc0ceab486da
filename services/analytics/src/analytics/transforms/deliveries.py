"""Deliveries: what the city's native client was given, each held against the ground truth."""

from pyspark.sql import Column, DataFrame, Window
from pyspark.sql import functions as fn

from analytics.transforms.air import EDGE_M, apart_m, excess_m
from analytics.transforms.cuts import out
from analytics.transforms.journeys import of_lane
from analytics.transforms.limits import exceeded


def judged(
    deliveries: DataFrame, events: DataFrame, posts: DataFrame, journeys: DataFrame, *, whole: bool
) -> DataFrame:
    """Return each delivery with what is wrong with it.

    Args:
        deliveries: Lines of `DELIVERIES`, with `place`.
        events: As `transforms.events` returns.
        posts: As `transforms.posts` returns.
        journeys: As `transforms.journeys` returns.
        whole: The event log contains every event, not a sample of them.

    Returns:
        The delivery's columns, its own `wall_us`, `time_us`, `vehicle`, `rate` with the prefix
        `d_`; those of the event, the monitor and the monitor's journey (`m_…`); `copy` (1 for the
        first of its id); `reason`, why it may not be, null if it may; `astray`, what is wrong with
        its path.
    """
    own = {name: f"d_{name}" for name in ("wall_us", "time_us", "vehicle", "rate")}
    copy = fn.row_number().over(Window.partitionBy("id").orderBy("place"))
    renamed = deliveries.withColumnsRenamed(own).drop("v", "file").withColumn("copy", copy)
    placed = renamed.join(events, "id", "left").join(fn.broadcast(posts), "monitor", "left")
    told = of_lane(journeys, "monitor", "j_").withColumnRenamed("id", "j_id")
    way = (placed["id"] == told["j_id"]) & (fn.col("m_gateway") == fn.col("j_gateway"))
    joined = placed.join(told, way, "left")
    return joined.withColumns({"reason": _reason(whole=whole), "astray": _astray()})


def _reason(*, whole: bool) -> Column:
    by_another = ~fn.array_contains("admissible", fn.col("monitor"))
    unheard = fn.col("j_told_us").isNull() & ~out("m_cuts", fn.col("d_wall_us"))
    return (
        fn.when(fn.col("wall_us").isNull(), "invented: no frame of the ground truth has this id")
        .when(fn.col("d_vehicle") != fn.col("licence"), _changed("vehicle", "licence"))
        .when(fn.col("d_rate") != fn.col("rate"), _changed("rate", "rate"))
        .when(fn.col("d_time_us") != fn.col("time_us"), _changed("time_us", "time_us"))
        .when(
            by_another, fn.concat(fn.lit("wrong monitor: only "), _names(), fn.lit(" may name it"))
        )
        .when(fn.col("admissible").isNull(), why_not())
        .when(_last() != fn.col("m_service"), "wrong monitor: the path names another")
        .when(unheard & fn.lit(whole), _unpublished())
    )


def why_not() -> Column:
    """Return why a monitor may not report a frame, over the columns of both."""
    metres = fn.format_string("out of range: %.0f m away, %.1f m too far", apart_m(), excess_m())
    rate = fn.format_string("below the limit: rate %.0f", "rate")
    return (
        fn.when(fn.col("wall_us").isNull(), "invented: no frame of the ground truth has this id")
        .when(fn.col("m_service").isNull(), "wrong monitor: the federation has none of this name")
        .when(fn.col("v_gateway").isNull(), "invented: the federation has no such vehicle")
        .when(excess_m() > EDGE_M, metres)
        .when(~fn.col("asked"), "unasked: no static subscription brings it on the air")
        .when(~exceeded("may"), rate)
    )


def _changed(delivered: str, true: str) -> Column:
    was, now = fn.col(true).cast("string"), fn.col(f"d_{delivered}").cast("string")
    return fn.concat(fn.lit(f"changed: {delivered} is "), now, fn.lit(", was "), was)


def _names() -> Column:
    return fn.array_join("admissible", ", ")


def _last() -> Column:
    return fn.coalesce(fn.try_element_at("path", fn.lit(-1)), fn.lit(""))


def _unpublished() -> Column:
    return fn.concat(fn.lit("invented: never published by "), fn.col("m_gateway"))


def _astray() -> Column:
    right = fn.array("bus", "air", "m_service")
    known = fn.col("v_gateway").isNotNull() & fn.col("m_service").isNotNull()
    came, should = fn.array_join("path", " > "), fn.array_join(right, " > ")
    text = fn.concat(fn.lit("came by "), came, fn.lit(", not by "), should)
    return fn.when(known & (fn.col("path") != right), text)
