"""The data of a run: all that it left, read and counted, before anything is judged."""

from dataclasses import dataclass
from pathlib import Path

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.types import StructType

from analytics.inputs import schemas
from analytics.inputs.federation import Federation
from analytics.inputs.folder import RunFolder, licences
from analytics.inputs.log_files import LogSummary, summarise
from analytics.inputs.logs import read_log
from analytics.inputs.outages import Outage, load_outages
from analytics.inputs.tables import Tables, small_tables


@dataclass(frozen=True, slots=True)
class Logs:
    """The logs as read, with their broken lines."""

    truth: DataFrame
    commands: DataFrame
    deliveries: DataFrame
    event_log: DataFrame

    @property
    def timed(self) -> list[DataFrame]:
        """The logs beside the event log, each with its wall clock in `wall_us`."""
        commands = self.commands.withColumnRenamed("sent_us", "wall_us")
        return [self.truth, self.deliveries, commands]


@dataclass(frozen=True, slots=True)
class RunData:
    """One run, ready to be judged."""

    spark: SparkSession
    folder: RunFolder
    federation: Federation
    logs: Logs
    summary: LogSummary
    outages: tuple[Outage, ...]
    tables: Tables

    @property
    def whole(self) -> bool:
        """Whether the event log contains every event, not a sample of them."""
        return self.federation.sample >= 1.0


def open_run(spark: SparkSession, folder: RunFolder, federation: Federation) -> RunData:
    """Read the logs of a run folder.

    Args:
        spark: The session.
        folder: The run.
        federation: As it was run.

    Raises:
        CannotJudgeError: An input cannot be understood.
    """
    names = licences(folder.trace)
    logs = _read(spark, folder)
    summary = summarise(logs.event_log, logs.timed)
    outages = load_outages(folder, federation, summary.processes)
    tables = small_tables(spark, federation, names, outages)
    return RunData(spark, folder, federation, logs, summary, outages, tables)


def _read(spark: SparkSession, folder: RunFolder) -> Logs:
    def read(paths: tuple[Path, ...], schema: StructType, kind: str) -> DataFrame:
        return read_log(spark, tuple(map(folder.uri, paths)), schema, kind).localCheckpoint()

    return Logs(
        truth=read((folder.truth,), schemas.TRUTH, "truth"),
        commands=read((folder.commands,), schemas.COMMANDS, "commands"),
        deliveries=read((folder.deliveries,), schemas.DELIVERIES, "deliveries"),
        event_log=read(folder.event_logs, schemas.EVENT_LOG, "event_log"),
    )
