"""Promises that the city's native client can see: at most once, requested, in order, by a way.

Each function returns breaches: over the rows of `transforms.deliveries.judged`, unless it says so.
"""

from pyspark.sql import functions as fn

from analytics.promises.findings import AT_MOST_ONCE, BY_CLOCK, ORDER, PATH, UNASKED, Breach


def delivered_again() -> Breach:
    """Charge deliveries of an event that had been delivered before."""
    again = fn.col("copy") > 1
    return Breach(AT_MOST_ONCE, again, fn.col("monitor"), fn.lit("delivered again"))


def delivered_unasked() -> Breach:
    """Charge deliveries that no active subscription requested, or that are not what was sent."""
    reason = fn.col("reason")
    return Breach(UNASKED, reason.isNotNull(), fn.col("monitor"), reason)


def out_of_order() -> tuple[Breach, ...]:
    """Charge deliveries that are behind a later one, by sequence and by the wall clock.

    Over the rows of `transforms.order.in_order`.
    """
    monitor = fn.col("monitor")
    return tuple(
        Breach(promise, fn.col(by).isNotNull(), monitor, fn.concat(fn.lit("delivered after "), by))
        for promise, by in ((ORDER, "late"), (BY_CLOCK, "early"))
    )


def astray() -> Breach:
    """Charge deliveries whose path is not one that the federation has."""
    reason = fn.col("astray")
    return Breach(PATH, reason.isNotNull(), fn.col("monitor"), reason)
