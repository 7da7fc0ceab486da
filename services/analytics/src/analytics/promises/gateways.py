"""Promises that only the event log can show: what gateways published and received."""

from pyspark.sql import DataFrame
from pyspark.sql import functions as fn

from analytics.promises.findings import AT_MOST_ONCE, SOURCE, UNASKED, Breach
from analytics.transforms.cuts import out
from analytics.transforms.deliveries import why_not
from analytics.transforms.journeys import of_lane


def published_again() -> Breach:
    """Charge events that one gateway published more than once, other than across an outage.

    Over the rows of `transforms.journeys`, with the gateway's `cuts`.
    """
    steady = ~out("cuts", fn.col("told_us"), fn.col("told_last_us"))
    reason = fn.format_string("published %d times", "told_n")
    return Breach(AT_MOST_ONCE, (fn.col("told_n") > 1) & steady, fn.col("gateway"), reason)


def strays(journeys: DataFrame, legs: DataFrame, events: DataFrame, posts: DataFrame) -> DataFrame:
    """Return what monitors' gateways received or published and had no right to.

    Returns:
        `id`, `monitor`, `m_heard_us`, `m_told_us`, and `reason`, why they had none.
    """
    passed = of_lane(journeys, "monitor", "m_")
    unasked = passed.join(legs.select("id", "m_gateway"), ["id", "m_gateway"], "left_anti")
    columns = unasked.select("id", "m_gateway", "m_heard_us", "m_told_us")
    placed = columns.join(fn.broadcast(posts), "m_gateway").join(events, "id", "left")
    return placed.select("id", "monitor", "m_heard_us", "m_told_us", why_not().alias("reason"))


def published_unasked() -> Breach:
    """Charge events that were published in the city without having been requested; over strays."""
    reason = fn.concat(fn.lit("published in the city; "), fn.col("reason"))
    return Breach(UNASKED, fn.col("m_told_us").isNotNull(), fn.col("monitor"), reason)


def heard_unasked() -> Breach:
    """Charge events that came through a monitor's native filter and should not; over strays."""
    reason = fn.concat(fn.lit("heard on the air; "), fn.col("reason"))
    return Breach(SOURCE, fn.col("m_heard_us").isNotNull(), fn.col("monitor"), reason)
