"""Runs where only Hadoop reaches: by a file system that is none of this machine's own."""

from pathlib import Path
from uuid import uuid4

import pytest
from analytics.inputs.federation import load_federation
from analytics.inputs.files import LocalFiles
from analytics.inputs.hadoop import HadoopFiles
from analytics.inputs.place import fetch_run, open_files
from analytics.traffic.job import judge
from pyspark.sql import SparkSession

pytestmark = [pytest.mark.spark, pytest.mark.timeout(600)]


def _mounted(spark: SparkSession, path: Path) -> str:
    """Return a URI by which Hadoop, and nobody else, finds a folder of this machine."""
    table = f"t{uuid4().hex}"
    settings = spark.sparkContext._jsc.hadoopConfiguration()
    settings.set(f"fs.viewfs.mounttable.{table}.link./there", f"file://{path}")
    return f"viewfs://{table}/there"


def test_files_are_the_same_as_those_of_this_machine(spark: SparkSession, tmp_path: Path) -> None:
    (tmp_path / "here").mkdir()
    there = open_files(spark, _mounted(spark, tmp_path / "here"))
    here = LocalFiles(tmp_path / "here")

    assert isinstance(there, HadoopFiles)
    for files in (there, here):
        files.write("deep/name.txt", b"0123456789")
        files.write("deep/name.txt", b"abcd\xff\x00")
    for files in (there, here):
        assert {n: s for n, s in files.sizes("deep").items() if n[0] != "."} == {"name.txt": 6}
        assert files.sizes("nowhere") == {}
        assert files.folders() == ["deep"]
        assert files.read("deep/name.txt") == b"abcd\xff\x00"
        assert files.read("deep/name.txt", 2, 3) == b"cd\xff"
        assert files.read("deep/name.txt", 4, 99) == b"\xff\x00"
        with pytest.raises(FileNotFoundError):
            files.read("nowhere")
    there.remove("deep")
    there.remove("nowhere")
    assert here.folders() == []


def test_a_run_there_is_judged_there(spark: SparkSession, copied: Path, tmp_path: Path) -> None:
    files = open_files(spark, _mounted(spark, copied))
    folder = fetch_run(files, tmp_path / "scratch")
    for path in folder.logs:
        path.write_bytes(b"\n" * path.read_bytes().count(b"\n"))

    verdict = judge(spark, folder, load_federation(folder.federation)).verdict

    assert verdict.passed, "Spark reads the logs where they are, not the copies"
