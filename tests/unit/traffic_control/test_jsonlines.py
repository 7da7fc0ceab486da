"""Files of JSON lines survive a restart, and a full disk."""

import json
from pathlib import Path
from typing import Any

import pytest
from traffic_control import jsonlines
from traffic_control.jsonlines import JsonLines


def lines(path: Path) -> list[Any]:
    return [json.loads(line) for line in path.read_text().splitlines()]


def append(path: Path, since_us: int, *moments: int) -> None:
    log = JsonLines(path, "wall_us", since_us)
    for moment in moments:
        log.append({"wall_us": moment})
    log.close()
    log.close()


def test_a_file_of_this_run_is_gone_on_with(tmp_path: Path) -> None:
    path = tmp_path / "x.jsonl"
    append(path, 100, 100, 150)
    append(path, 100, 200)
    assert [line["wall_us"] for line in lines(path)] == [100, 150, 200]


def test_a_file_of_another_run_is_begun_anew(tmp_path: Path) -> None:
    path = tmp_path / "x.jsonl"
    append(path, 0, 100)
    append(path, 101, 200)
    assert [line["wall_us"] for line in lines(path)] == [200]


@pytest.mark.parametrize("torn", ['{"wall_us": 15', '{"wall_us": 150}', "\x00"])
def test_a_line_that_was_not_finished_is_cut_off(tmp_path: Path, torn: str) -> None:
    path = tmp_path / "x.jsonl"
    path.write_text('{"wall_us": 100}\n' + torn)
    append(path, 50, 200)
    assert [line["wall_us"] for line in lines(path)] == [100, 200]


@pytest.mark.parametrize("text", ["", "\n", "nonsense\n", '{"wall": 1}\n', "[]\n"])
def test_what_is_no_log_is_begun_anew(tmp_path: Path, text: str) -> None:
    path = tmp_path / "x.jsonl"
    path.write_text(text)
    append(path, 0, 200)
    assert [line["wall_us"] for line in lines(path)] == [200]


def test_a_flush_hands_over_what_was_appended(tmp_path: Path) -> None:
    log = JsonLines(tmp_path / "x.jsonl", "wall_us", 0)
    log.append({"wall_us": 1})
    assert (tmp_path / "x.jsonl").read_text() == ""
    log.flush()
    assert lines(tmp_path / "x.jsonl") == [{"wall_us": 1}]
    log.close()


class Full:
    """A stream on a disk that is full after a few octets."""

    def __init__(self, stream: Any, room: int) -> None:
        self.stream = stream
        self.room = room

    def write(self, data: memoryview) -> int:
        if self.room <= 0:
            raise OSError(28, "No space left on device")
        taken = int(self.stream.write(data[: self.room]))
        self.room -= taken
        return taken

    @property
    def closed(self) -> bool:
        return bool(self.stream.closed)

    def seek(self, place: int) -> None:
        self.stream.seek(place)

    def close(self) -> None:
        self.stream.close()


def test_a_full_disk_is_told_and_made_good_when_there_is_room(tmp_path: Path) -> None:
    log = JsonLines(tmp_path / "x.jsonl", "wall_us", 0)
    full = Full(log._stream, 7)
    log._stream = full  # type: ignore[assignment] # a stand-in
    log.append({"wall_us": 1})
    log.flush()
    assert "No space" in log.fault
    log.append({"wall_us": 2})
    log.flush()
    assert log.fault

    full.room = 1000
    log.flush()

    assert log.fault == ""
    assert log.lost == 0
    assert lines(tmp_path / "x.jsonl") == [{"wall_us": 1}, {"wall_us": 2}]
    log.close()


def test_what_waits_for_a_full_disk_is_bounded(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(jsonlines, "MAX_WAITING_BYTES", 30)
    log = JsonLines(tmp_path / "x.jsonl", "wall_us", 0)
    log._stream = Full(log._stream, 0)  # type: ignore[assignment] # a stand-in
    for moment in range(10):
        log.append({"wall_us": moment})
        log.flush()
    assert log.lost == 7
    log.close()
    assert log.lost == 10


@pytest.mark.parametrize("moment", ["1e999", "NaN", '"soon"', "[1]", "null"])
def test_a_file_whose_last_line_tells_no_moment_is_begun_anew_and_that_is_logged(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, moment: str
) -> None:
    path = tmp_path / "x.jsonl"
    path.write_text(f'{{"wall_us": {moment}}}\n')
    append(path, 100, 200)
    assert [line["wall_us"] for line in lines(path)] == [200]
    assert "log_begun_anew" in caplog.text
