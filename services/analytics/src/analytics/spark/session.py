"""The Spark session: quiet, small, and where it is requested to be."""

import logging
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory

from pyspark.sql import SparkSession
from serving.lifeline import LIFELINE

LOOPBACK = "127.0.0.1"

_QUIET = Path(__file__).with_name("log4j2.properties")
_COLLECTOR = "-XX:+UseSerialGC"
_BRIEF = "-XX:TieredStopAtLevel=1"


_FORGETFUL = {
    "spark.sql.maxPlanStringLength": "1000",
    "spark.sql.streaming.minBatchesToRetain": "10",
    "spark.sql.streaming.numRecentProgressUpdates": "1",
    "spark.sql.ui.retainedExecutions": "2",
    "spark.ui.retainedJobs": "10",
    "spark.ui.retainedStages": "10",
    "spark.ui.retainedTasks": "100",
}
"""What keeps Spark from remembering all that it did, for pages that nobody opens."""


@dataclass(frozen=True, slots=True)
class SparkOptions:
    """How Spark is run.

    Attributes:
        master: Spark's master URL.
        driver_host: What executors call this machine; other than loopback, the driver listens on
            all addresses.
        heap: Memory of the driver's Java, as Java writes it.
        conf: Further settings of Spark's, which come before ours.
    """

    master: str = "local[2]"
    driver_host: str = LOOPBACK
    heap: str = "2g"
    conf: Mapping[str, str] = field(default_factory=dict)


@contextmanager
def spark_session(
    options: SparkOptions | None = None, *, large: bool = False, lasting: bool = False
) -> Iterator[SparkSession]:
    """Open a Spark session and close it.

    Args:
        options: How Spark is run.
        large: The logs are so long that it pays to compile for them (64 MiB was chosen by
            judgement: below, compiling takes most of the time).
        lasting: The session does much the same for hours.
    """
    logging.getLogger("py4j").setLevel(logging.ERROR)
    with TemporaryDirectory(prefix="fes-analytics-") as scratch:
        settings = _settings(scratch, options or SparkOptions(), large=large, lasting=lasting)
        builder = SparkSession.builder.appName("fes-analytics")
        for key, value in settings.items():
            builder = builder.config(key, value)
        with LIFELINE.of_library():  # Java does not end by itself where its start is interrupted
            session = builder.getOrCreate()
        try:
            yield session
        finally:
            session.stop()


def _settings(scratch: str, options: SparkOptions, *, large: bool, lasting: bool) -> dict[str, str]:
    quiet = f"-Dlog4j2.configurationFile={_QUIET.as_uri()} -Djava.io.tmpdir={scratch}"
    collector = f" {_COLLECTOR}" if lasting or not large else ""
    brief = "" if lasting or large else f" {_BRIEF}"
    bind = LOOPBACK if options.driver_host == LOOPBACK else "0.0.0.0"  # noqa: S104 - executors connect
    return {
        "spark.master": options.master,
        "spark.driver.host": options.driver_host,
        "spark.driver.bindAddress": bind,
        "spark.driver.memory": options.heap,
        "spark.driver.extraJavaOptions": f"{quiet}{collector}{brief}",
        "spark.log.level": "ERROR",
        "spark.python.sql.dataFrameDebugging.enabled": "false",
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
        "spark.local.dir": scratch,
        "spark.cleaner.periodicGC.interval": "5min",
        "spark.sql.warehouse.dir": f"{scratch}/warehouse",
        "spark.sql.session.timeZone": "UTC",
        "spark.sql.shuffle.partitions": "8" if large else "1" if lasting else "2",
        "spark.sql.codegen.wholeStage": str(large).lower(),
        "spark.sql.codegen.factoryMode": "FALLBACK" if large else "NO_CODEGEN",
        "spark.sql.adaptive.enabled": "false",
        "spark.sql.autoBroadcastJoinThreshold": "-1",
        **_FORGETFUL,
        **options.conf,
    }
