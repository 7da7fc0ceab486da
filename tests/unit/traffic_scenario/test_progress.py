"""How far a run is."""

from pathlib import Path

from traffic_scenario.progress import LineCount, Progress


def test_lines_are_counted_as_the_file_grows(tmp_path: Path) -> None:
    path = tmp_path / "log"
    count = LineCount(path)
    assert count.read() == 0
    path.write_bytes(b"one\ntwo\nhalf")
    assert (count.read(), count.lines) == (2, 2)
    with path.open("ab") as file:
        file.write(b" a line\n")
    assert (count.read(), count.lines) == (1, 3)


def test_a_line_is_printed_when_it_is_time_and_something_is_new(tmp_path: Path) -> None:
    said: list[str] = []
    now_s = [0.0]
    progress = Progress(tmp_path, 10, 60.0, said.append, lambda: now_s[0])
    (tmp_path / "ground_truth.jsonl").write_bytes(b"{}\n{}\n")
    progress.look()
    assert said == []
    now_s[0] = 5.0
    progress.look()
    assert said == ["2 of 10 frames sent, 0 offenders reported"]
    now_s[0] = 10.0
    progress.look()
    assert len(said) == 1
