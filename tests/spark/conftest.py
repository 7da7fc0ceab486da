"""One Spark session for all tests of this folder."""

import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from analytics.inputs.federation import load_federation
from analytics.inputs.folder import open_folder
from analytics.spark.session import spark_session
from analytics.traffic.job import Outcome, judge
from analytics.verdict import BROKEN, Promise, Verdict
from pyspark.sql import SparkSession
from support.judge.runs import make_run

Judge = Callable[[Path], Outcome]
Copy = Callable[[], Path]


@pytest.fixture(scope="session")
def spark() -> Iterator[SparkSession]:
    with spark_session() as session:
        yield session


@pytest.fixture(scope="session")
def judged(spark: SparkSession) -> Judge:
    def run(path: Path) -> Outcome:
        folder = open_folder(path)
        return judge(spark, folder, load_federation(folder.federation))

    return run


@pytest.fixture(scope="session")
def good_run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_run(tmp_path_factory.mktemp("runs") / "good")


@pytest.fixture
def copied(good_run: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(good_run, tmp_path / "run"))


def broken(verdict: Verdict) -> dict[str, Promise]:
    """Return the broken promises by name."""
    return {promise.name: promise for promise in verdict.promises if promise.status == BROKEN}
