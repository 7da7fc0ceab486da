"""Restarts: which gateways were killed and came back, so that it can be seen how they decide."""

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import replace

from pyspark.sql import functions as fn

from analytics.inputs import schemas
from analytics.inputs.log_files import LogSummary
from analytics.inputs.logs import good
from analytics.inputs.outages import FOREVER_US, Outage
from analytics.spark.small import small_frame
from analytics.traffic.run import RunData
from analytics.transforms.limits import PATIENCE_US, SLACK_US

SETTLED_US = 10_000_000
"""So long after a restart a gateway must be as before."""

_WITHDRAWING_US = 2_000_000
_TESTABLE_US = 1_000_000


def restarts(data: RunData) -> list[tuple[int, str, int, int]]:
    """Return the kills that can be judged: the gateway came back, and nobody changed its orders.

    Returns:
        Rows of `RESTARTS`.
    """
    troubles = in_one(data.outages)
    ended = [one for one in troubles if one.killed and one.to_us < FOREVER_US]
    rows = [
        (number, one.gateway, one.from_us, _settled(one, data.summary))
        for number, one in enumerate(ended)
        if _settled(one, data.summary) - one.to_us >= _TESTABLE_US
    ]
    disturbed = _disturbed(data, rows) if rows else set()
    return [row for row in rows if row[0] not in disturbed]


def in_one(outages: Iterable[Outage]) -> list[Outage]:
    """Return outages with those of one gateway made one where it had no time to settle between.

    Whoever is cut off again before it is as before has withdrawn, or not requested yet, what it
    will request: what it decides can be compared only around all of it.
    """
    by_gateway = defaultdict[str, list[Outage]](list)
    for one in sorted(outages, key=lambda outage: outage.from_us):
        own = by_gateway[one.gateway]
        if own and one.from_us <= own[-1].to_us + SETTLED_US:
            last = own[-1]
            until_us, killed = max(last.to_us, one.to_us), last.killed or one.killed
            own[-1] = replace(last, to_us=until_us, killed=killed)
        else:
            own.append(one)
    return [one for own in by_gateway.values() for one in own]


def _settled(outage: Outage, summary: LogSummary) -> int:
    """Return when a gateway must be as before, and is not yet withdrawing at its own end."""
    own = [
        one.stopped_us - _WITHDRAWING_US
        for name, one in summary.components.items()
        if one.stopped and (name == outage.gateway or name.startswith(outage.gateway + "."))
    ]
    return min([outage.to_us + SETTLED_US, *own])


def _disturbed(data: RunData, rows: list[tuple[int, str, int, int]]) -> set[int]:
    """Return the numbers of the kills while which the city changed what it requests."""
    kills = small_frame(data.spark, rows, schemas.RESTARTS)
    named = data.tables.monitors.select("monitor", fn.col("m_gateway").alias("gateway"))
    changing = good(data.logs.commands).filter("action <> 'renew'")
    first = fn.col("from_us") - PATIENCE_US - SLACK_US
    during = fn.col("sent_us").between(first, fn.col("until_us"))
    found = kills.join(named, "gateway").join(changing, "monitor").filter(during)
    return {row["number"] for row in found.select("number").distinct().collect()}
