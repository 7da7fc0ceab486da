"""Files of this machine, and where a run is."""

from pathlib import Path

import pytest
from analytics.errors import CannotJudgeError
from analytics.inputs.files import LocalFiles
from analytics.inputs.place import fetch_run, fetch_static, give_back, local_path
from support.judge.runs import Plan, make_run


def test_files_are_written_whole_read_in_part_listed_and_removed(tmp_path: Path) -> None:
    files = LocalFiles(tmp_path / "absent")
    assert files.sizes() == {}
    assert files.folders("deep") == []
    files.remove("nothing")

    files.write("deep/name.txt", b"0123456789")
    files.write("deep/name.txt", b"abcdef")
    assert files.sizes("deep") == {"name.txt": 6}
    assert files.folders() == ["deep"]
    assert files.read("deep/name.txt") == b"abcdef"
    assert files.read("deep/name.txt", 2, 3) == b"cde"
    assert files.read("deep/name.txt", 4, 99) == b"ef"
    assert files.uri("deep") == f"file://{tmp_path}/absent/deep"
    files.remove("deep")
    assert files.folders() == []
    with pytest.raises(FileNotFoundError):
        files.read("deep/name.txt")


@pytest.mark.parametrize(
    ("location", "path"),
    [
        ("runs/latest", "runs/latest"),
        ("/a b/c", "/a b/c"),
        ("file:/a/b", "/a/b"),
        ("file:///a/b", "/a/b"),
        ("s3a://bucket/run", None),
        ("hdfs://namenode:8020/run", None),
        ("hdfs:/run", None),
        ("odd:name", "odd:name"),
    ],
)
def test_a_location_is_a_path_or_a_uri(location: str, path: str | None) -> None:
    assert local_path(location) == (None if path is None else Path(path))


def test_a_run_elsewhere_is_copied_but_its_logs_are_read_where_they_are(tmp_path: Path) -> None:
    run = make_run(tmp_path / "run", Plan(vehicles=1, seconds=2))
    (run / "verdict.json").write_text("old", encoding="utf-8")
    files = LocalFiles(run)
    folder = fetch_run(files, tmp_path / "copy")
    (folder.path / "verdict.json").write_text("new", encoding="utf-8")
    give_back(files, folder)

    assert folder.path == tmp_path / "copy"
    assert [path.name for path in folder.event_logs] == [
        *("eventlog-city.1.jsonl", "eventlog-fleet.1.jsonl")
    ]
    assert folder.uri(folder.event_logs[0]) == f"file://{run}/logs/eventlog-city.1.jsonl"
    assert (run / "verdict.json").read_text(encoding="utf-8") == "new"


def test_of_a_run_that_goes_on_only_what_sets_it_up_is_copied(tmp_path: Path) -> None:
    run = make_run(tmp_path / "run", Plan(vehicles=1, seconds=2))
    folder = fetch_static(LocalFiles(run), tmp_path / "copy")

    assert sorted(path.name for path in folder.path.iterdir()) == ["federation.yaml", "trace.csv"]
    (run / "trace.csv").unlink()
    with pytest.raises(CannotJudgeError, match=r"trace\.csv: is missing"):
        fetch_static(LocalFiles(run), tmp_path / "copy")
