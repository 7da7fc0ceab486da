"""Whatever a part is called, its files lie where they belong, and no two parts share one."""

from pathlib import Path

import hypothesis.strategies as st
import pytest
from fes.eventlog import Decision, EventLog, Record
from fes.filename import LONGEST_BYTES, file_name
from hypothesis import given

NAMES = [
    "../../etc/passwd",
    "..",
    ".",
    "",
    "/",
    "g/1",
    "g%2F1",
    "a b",
    "[ab]",
    "{a,b}",
    "*",
    "#1",
    "?x",
    "é 東京",
    "\x00\n",
    "x" * 500,
    "é" * 128,
    "~root",
    "\\server",
]


@pytest.mark.parametrize("name", NAMES)
def test_an_event_log_lies_in_its_folder_whatever_it_is_called(tmp_path: Path, name: str) -> None:
    folder = tmp_path / "logs"
    for wall_us in (1, 2):
        log = EventLog(folder, name)
        log.write(Record(decision=Decision.STARTED, wall_us=wall_us, v=1))
        log.close()
    assert [path.name for path in tmp_path.iterdir()] == ["logs"]
    found = sorted(path.name for path in folder.iterdir())
    assert found == [f"eventlog-{file_name(name)}.{number}.jsonl" for number in (0, 1)]
    assert len([*folder.glob("eventlog-*.jsonl")]) == 2


def test_names_as_they_are_used_stay() -> None:
    for name in ("g1", "g-v-FES0001.cns-v", "g1.replica_2", "pack 3", "Überholspur"):
        assert file_name(name) == name


def test_no_two_of_the_names_have_one_file() -> None:
    assert len(set(map(file_name, NAMES))) == len(NAMES)


@given(st.text(max_size=300), st.text(max_size=300))
def test_any_two_names_have_two_files_that_lie_side_by_side(one: str, other: str) -> None:
    assert (file_name(one) == file_name(other)) == (one == other)
    for made in map(file_name, (one, other)):
        assert made
        assert "/" not in made
        assert not made.startswith(".")
        assert made.isprintable()
        assert len(made.encode()) <= LONGEST_BYTES
