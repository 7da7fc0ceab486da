"""Frames: the ground truth, with what is known of each vehicle."""

from functools import reduce

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as fn

from analytics.inputs.static_filters import passes
from analytics.transforms.cuts import with_cuts
from analytics.transforms.journeys import of_lane


def frames(
    truth: DataFrame, vehicles: DataFrame, outages: DataFrame, journeys: DataFrame, asked: list[str]
) -> DataFrame:
    """Return one row for each frame that was put on a bus; what could not be sent is left out.

    Args:
        truth: Lines of `TRUTH`.
        vehicles: `FRAMES`.
        outages: `OUTAGES`.
        journeys: As `transforms.journeys` returns.
        asked: The static filters of the federation, each once.

    Returns:
        The ground truth's columns; `copies` (lines of one id); the vehicle's columns; `v_cuts`;
        `asked` (a static subscription brings it on the air); `v_heard_us`, `v_told_us`.
    """
    known = with_cuts(vehicles, outages, "v_gateway", "v_cuts")
    placed = _once(truth).join(fn.broadcast(known), "licence", "left")
    passed = of_lane(journeys, "vehicle", "v_").withColumnRenamed("v_gateway", "j_gateway")
    wanted = placed.withColumn("asked", _asked(asked))
    way = (wanted["id"] == passed["id"]) & (fn.col("v_gateway") == fn.col("j_gateway"))
    return wanted.join(passed, way, "left").drop(passed["id"]).drop("j_gateway", "filters")


def _once(truth: DataFrame) -> DataFrame:
    members = [name for name in truth.columns if name not in {"v", "id", "sent", "file", "place"}]
    first = fn.min_by(fn.struct(*members), "place").alias("frame")
    sent = truth.filter(fn.coalesce("sent", fn.lit(True)))
    return (
        sent.groupBy("id")
        .agg(first, fn.count("*").alias("copies"))
        .select("id", "frame.*", "copies")
    )


def _asked(filters: list[str]) -> Column:
    """Return whether one of the filters of a frame's vehicle lets it pass."""
    each = [fn.array_contains("filters", text) & passes(text) for text in filters]
    return fn.coalesce(reduce(Column.__or__, each, fn.lit(False)), fn.lit(False))
