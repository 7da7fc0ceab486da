"""What the native clients write down."""

from pathlib import Path

import pytest
from persistent_scenario.records import (
    LineCount,
    Plan,
    Recorder,
    Stored,
    Suppressed,
    read,
    read_plan,
    write_plan,
)


def test_lines_come_back_and_one_that_was_not_finished_does_not(tmp_path: Path) -> None:
    path = tmp_path / "lines.jsonl"
    recorder = Recorder(path)
    recorder.write(Stored("station-1/1/1", 5), Suppressed("low", 2))
    recorder.close()
    with path.open("ab") as file:
        file.write(b'{"what":"stored","ident')

    assert list(read(path)) == [Stored("station-1/1/1", 5), Suppressed("low", 2)]


def test_a_line_that_is_none_is_named(tmp_path: Path) -> None:
    path = tmp_path / "lines.jsonl"
    path.write_text('{"what":"stored","identity":"a/1/1","at_us":1}\n{"what":"guessed"}\n')

    with pytest.raises(ValueError, match=r"lines\.jsonl:2: "):
        list(read(path))


def test_lines_are_counted_while_a_file_grows(tmp_path: Path) -> None:
    path = tmp_path / "lines.jsonl"
    count = LineCount(path)
    assert count.read() == 0
    path.write_bytes(b"a\nb\nc")
    assert count.read() == 2
    with path.open("ab") as file:
        file.write(b"\nd\n")
    assert count.read() == 4


def test_a_plan_comes_back(tmp_path: Path) -> None:
    plan = Plan(50_000, 8, 500.0, 30, 1, "cns-a", "cns-c")
    write_plan(tmp_path, plan)
    assert read_plan(tmp_path) == plan

    (tmp_path / "plan.json").write_text('{"events": "many"}')
    with pytest.raises(ValueError, match=r"plan\.json"):
        read_plan(tmp_path)
