"""The Spark session: local, quiet, small."""

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from pyspark.sql import SparkSession

_QUIET = Path(__file__).with_name("log4j2.properties")
_BRIEF = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"


@contextmanager
def spark_session(master: str = "local[2]", *, large: bool = False) -> Iterator[SparkSession]:
    """Open a Spark session on this machine and close it.

    Args:
        master: Spark's master URL.
        large: The logs are so long that it pays to compile for them (64 MiB was chosen by
            judgement: below, compiling takes most of the time).
    """
    logging.getLogger("py4j").setLevel(logging.ERROR)
    with TemporaryDirectory(prefix="fes-analytics-") as scratch:
        session = _builder(master, scratch, large=large).getOrCreate()
        try:
            yield session
        finally:
            session.stop()


def _builder(master: str, scratch: str, *, large: bool) -> SparkSession.Builder:
    options = f"-Dlog4j2.configurationFile={_QUIET.as_uri()}"
    settings = {
        "spark.driver.host": "127.0.0.1",
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.driver.memory": "2g",
        "spark.driver.extraJavaOptions": options if large else f"{options} {_BRIEF}",
        "spark.log.level": "ERROR",
        "spark.python.sql.dataFrameDebugging.enabled": "false",
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
        "spark.local.dir": scratch,
        "spark.sql.warehouse.dir": f"{scratch}/warehouse",
        "spark.sql.session.timeZone": "UTC",
        "spark.sql.shuffle.partitions": "8" if large else "2",
        "spark.sql.codegen.wholeStage": str(large).lower(),
        "spark.sql.codegen.factoryMode": "FALLBACK" if large else "NO_CODEGEN",
        "spark.sql.adaptive.enabled": "false",
    }
    builder = SparkSession.builder.appName("fes-analytics").master(master)
    for key, value in settings.items():
        builder = builder.config(key, value)
    return builder
