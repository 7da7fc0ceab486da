"""The tally: counts and latencies of events, in a form that can be added up."""

import math
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import reduce

from pyspark.sql import Column, DataFrame, Row
from pyspark.sql import functions as fn

from analytics.traffic.evidence import Evidence
from analytics.transforms.latency import HOPS, latencies

NAMES = ("expected", "missing", "outage", "received", "duplicate", "unexpected", "heard")
"""What is counted, beside the latencies."""

_HOP = "hop"


@dataclass(slots=True)
class Tally:
    """Counts of events.

    Attributes:
        counts: A number for each of `NAMES`.
        hops: For each hop, how many deliveries took how long, µs.
    """

    counts: dict[str, int] = field(default_factory=lambda: dict.fromkeys(NAMES, 0))
    hops: list[dict[int, int]] = field(default_factory=lambda: [{} for _ in HOPS])

    def add(self, other: "Tally", sign: int = 1) -> None:
        """Add another tally, or take it away again where `sign` is -1."""
        for name, number in other.counts.items():
            self.counts[name] += sign * number
        for mine, theirs in zip(self.hops, other.hops, strict=True):
            for took_us, number in theirs.items():
                total = mine.get(took_us, 0) + sign * number
                if total:
                    mine[took_us] = total
                else:
                    mine.pop(took_us, None)


def percentile(times: dict[int, int], share: float) -> int | None:
    """Return the time that a share of the deliveries did not exceed, by nearest rank.

    Args:
        times: How many took how long, µs.
        share: Above 0 and at most 1.

    Returns:
        Microseconds; None where there were none.
    """
    rank = math.ceil(share * sum(times.values()))
    for took_us in sorted(times):
        rank -= times[took_us]
        if rank <= 0:
            return took_us
    return None


def counted(evidence: Evidence, parts: DataFrame | None = None) -> DataFrame:
    """Count events and deliveries.

    Args:
        evidence: As gathered.
        parts: `id` and `part`: each part is counted for itself. All are one part, 0, if None.

    Returns:
        `part`, `what` (one of `NAMES`, or a hop), `bin` (µs, of a hop), `n`.
    """

    def parted(frame: DataFrame) -> DataFrame:
        if parts is None:
            return frame.withColumn("part", fn.lit(0).cast("bigint"))
        return frame.join(parts, "id")

    listened = (fn.col("lane") == "monitor") & fn.col("heard_us").isNotNull()
    of_events = {name: fn.col(name) for name in ("expected", "missing", "outage")}
    of_judged = {
        "received": fn.col("copy") == 1,
        "duplicate": fn.col("copy") > 1,
        "unexpected": fn.col("reason").isNotNull(),
    }
    took = parted(latencies(evidence.judged)).groupBy("part", "hop", "bin").agg(_number())
    what = fn.concat(fn.lit(_HOP), fn.col("hop").cast("string")).alias("what")
    frames = [
        _counts(parted(evidence.events), of_events),
        _counts(parted(evidence.judged), of_judged),
        _counts(parted(evidence.journeys), {"heard": listened}),
        took.select("part", what, "bin", "n"),
    ]
    union: DataFrame = reduce(DataFrame.unionByName, frames)
    return union


def _number() -> Column:
    return fn.count("*").alias("n")


def _counts(rows: DataFrame, flags: dict[str, Column]) -> DataFrame:
    each = [
        fn.struct(fn.lit(name).alias("what"), fn.count_if(flag).alias("n"))
        for name, flag in flags.items()
    ]
    parts = rows.groupBy("part").agg(fn.array(*each).alias("each"))
    exploded = parts.select("part", fn.explode("each").alias("one"))
    return exploded.select("part", "one.what", fn.lit(0).cast("bigint").alias("bin"), "one.n")


def tallies(rows: Iterable[Row]) -> dict[int, Tally]:
    """Return the tally of each part, from the rows of `counted`."""
    found: dict[int, Tally] = defaultdict(Tally)
    for part, what, took_us, number in rows:
        if what.startswith(_HOP):
            found[part].hops[int(what.removeprefix(_HOP))][took_us] = number
        else:
            found[part].counts[what] = number
    return found
