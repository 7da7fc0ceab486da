"""Events: what became of each frame. One speeding event is one report, whoever makes it."""

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as fn


def events(frames: DataFrame, legs: DataFrame, deliveries: DataFrame) -> DataFrame:
    """Return one row for each frame, with what was owed and what was delivered.

    Args:
        frames: As `transforms.frames` returns.
        legs: As `transforms.legs` returns.
        deliveries: Lines of `DELIVERIES`.

    Returns:
        The columns of `frames`; `admissible` (names of the monitors that may report it);
        `delivered`, `missing`, `outage` (excused), `expected`; `gap` (a monitor that was to
        take part and, by the event log, did not), `progress` (how far it came).
    """
    delivered = deliveries.groupBy("id").agg(fn.count("*").alias("deliveries"))
    joined = frames.join(_gathered(legs), "id", "left").join(delivered, "id", "left")
    names = ("must", "owed", "told")
    sure = joined.withColumns({name: fn.coalesce(name, fn.lit(False)) for name in names})
    counted = sure.withColumn("delivered", fn.col("deliveries").isNotNull())
    missing = ~fn.col("delivered") & (fn.col("owed") | fn.col("told"))
    outage = ~fn.col("delivered") & ~fn.col("missing") & fn.col("must")
    named = fn.col("delivered") & fn.col("admissible").isNotNull()
    return (
        counted.withColumn("missing", missing)
        .withColumn("outage", outage)
        .withColumn("expected", named | fn.col("missing") | fn.col("outage"))
        .withColumn("progress", _progress())
    )


def _gathered(legs: DataFrame) -> DataFrame:
    heard, told = fn.col("m_heard_us").isNotNull(), fn.col("m_told_us").isNotNull()
    owed = fn.col("must") & ~fn.col("cut")
    lack = fn.when(~heard, "never heard there").otherwise(
        "heard there, never published in the city"
    )
    gap = fn.when(owed & ~(heard & told), fn.struct("monitor", lack.alias("lack")))
    return legs.groupBy("id").agg(
        fn.max("must").alias("must"),
        fn.max(owed).alias("owed"),
        fn.max(told & ~fn.col("cut")).alias("told"),
        fn.array_sort(fn.collect_set("monitor")).alias("admissible"),
        fn.min(gap).alias("gap"),
        fn.max(heard).alias("heard"),
    )


def _progress() -> Column:
    monitors = fn.array_join("admissible", ", ")
    return (
        fn.when(fn.col("told"), "published in the city, never delivered")
        .when(
            fn.col("heard"), fn.concat(fn.lit("heard by "), monitors, fn.lit(", never published"))
        )
        .when(
            fn.col("v_told_us").isNotNull(),
            fn.concat(fn.lit("on the air, not heard by "), monitors),
        )
        .when(
            fn.col("v_heard_us").isNotNull(),
            fn.concat(fn.lit("never published at "), fn.col("air")),
        )
        .otherwise(fn.concat(fn.lit("never received at "), fn.col("bus")))
    )
