"""Where a run is: a folder of this machine, or a URI."""

import re
from pathlib import Path

from pyspark.sql import SparkSession

from analytics.errors import CannotJudgeError
from analytics.inputs.files import Files, LocalFiles
from analytics.inputs.folder import FEDERATION, LOGS, TRACE, RunFolder, open_folder
from analytics.inputs.hadoop import HadoopFiles

RESULTS = ("verdict.json", "offenders.csv", "report.html")
"""What a judgement leaves in the run folder."""

_URI = re.compile(r"(?P<scheme>[A-Za-z][A-Za-z0-9+.-]+):(?P<rest>//.*|/.*)")


def local_path(location: str) -> Path | None:
    """Return where a location is on this machine; None if it is elsewhere."""
    match = _URI.fullmatch(location)
    if match is None:
        return Path(location)
    if match["scheme"].lower() != "file":
        return None
    return Path(re.sub(r"^//[^/]*", "", match["rest"]))


def open_files(spark: SparkSession, location: str) -> Files:
    """Return the files at a location, a path or a URI."""
    path = local_path(location)
    return HadoopFiles(spark, location) if path is None else LocalFiles(path)


def fetch_static(files: Files, scratch: Path) -> RunFolder:
    """Copy what states how a run was set up to this machine.

    Raises:
        CannotJudgeError: It is not there yet.
    """
    for name in (FEDERATION, TRACE):
        _fetch(files, name, scratch)
    return RunFolder(scratch.resolve(), files.uri())


def fetch_run(files: Files, scratch: Path) -> RunFolder:
    """Copy a finished run to this machine, its logs too; Spark reads the logs where they are.

    Raises:
        CannotJudgeError: A file that every run leaves is not there.
    """
    wanted = [name for name in files.sizes() if name not in RESULTS]
    wanted += [f"{LOGS}/{name}" for name in files.sizes(LOGS) if name.startswith("eventlog-")]
    for name in wanted:
        _fetch(files, name, scratch)
    return open_folder(scratch, files.uri())


def give_back(files: Files, folder: RunFolder) -> None:
    """Copy the results of a judgement to where the run is."""
    for name in RESULTS:
        if (folder.path / name).exists():
            files.write(name, (folder.path / name).read_bytes())


def _fetch(files: Files, name: str, scratch: Path) -> None:
    place = scratch / name
    place.parent.mkdir(parents=True, exist_ok=True)
    try:
        place.write_bytes(files.read(name))
    except FileNotFoundError as error:
        raise CannotJudgeError(files.uri(name), 0, "is missing") from error
