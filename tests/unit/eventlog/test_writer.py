"""The event log: whole lines, bounded files, the same sample everywhere."""

import json
from pathlib import Path
from typing import Any

import pytest
from fes.eventlog import Decision, EventLog, Record


def record(number: int = 0, **more: Any) -> Record:
    return Record(
        decision=Decision.RECEIVED,
        wall_us=number,
        id=f"car/1/{number}",
        v=1,
        **more,
    )


def lines(folder: Path) -> list[dict[str, object]]:
    paths = sorted(folder.glob("eventlog-*.jsonl"), key=lambda path: int(path.name.split(".")[-2]))
    return [json.loads(line) for path in paths for line in path.read_text().splitlines()]


def test_every_record_becomes_a_line_and_empty_members_are_left_out(tmp_path: Path) -> None:
    log = EventLog(tmp_path, "test")
    for number in range(2000):
        log.write(record(number))
    log.write(Record(decision=Decision.REFUSED, wall_us=1, from_="north", reason="a\nb", v=1))
    log.close()
    log.close()

    found = lines(tmp_path)
    assert [line["wall_us"] for line in found[:-1]] == list(range(2000))
    assert found[0] == {"decision": "received", "wall_us": 0, "id": "car/1/0", "v": 1}
    assert found[-1]["from"] == "north"
    assert found[-1]["reason"] == "a\nb"


def test_files_are_bounded_and_the_oldest_goes(tmp_path: Path) -> None:
    log = EventLog(tmp_path, "test", file_bytes=4096, files=3)
    for number in range(5000):
        log.write(record(number))
    log.close()

    paths = list(tmp_path.glob("eventlog-test.*.jsonl"))
    assert len(paths) <= 3
    assert lines(tmp_path)[-1]["wall_us"] == 4999


def test_a_restarted_process_begins_a_new_file(tmp_path: Path) -> None:
    for number in range(2):
        log = EventLog(tmp_path, "test")
        log.write(record(number))
        log.close()

    assert [line["wall_us"] for line in lines(tmp_path)] == [0, 1]
    assert len(list(tmp_path.iterdir())) == 2


def test_records_above_the_buffer_are_dropped_and_counted(tmp_path: Path) -> None:
    log = EventLog(tmp_path, "test", buffer=10)
    for number in range(1000):
        log.write(record(number))
    log.close()

    assert log.dropped + log.written == 1000
    assert log.dropped > 0


def test_a_sample_takes_the_same_identities_everywhere_and_every_request(tmp_path: Path) -> None:
    taken = []
    for name in ("one", "other"):
        log = EventLog(tmp_path / name, "test", sample=0.25)
        for number in range(1000):
            log.write(record(number))
        log.write(Record(decision=Decision.APPLIED, wall_us=5, request="r/1/1", v=1))
        log.close()
        taken.append([line.get("id", "request") for line in lines(tmp_path / name)])

    assert taken[0] == taken[1]
    assert taken[0][-1] == "request"
    assert 150 < len(taken[0]) < 350


def test_a_new_file_that_cannot_be_opened_does_not_end_the_log(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    log = EventLog(tmp_path, "test", file_bytes=100)
    path = log._path
    refused = iter((1, 1))

    def unwritable(number: int) -> Path:
        return tmp_path / "none" / "x" if number == 1 and next(refused, 0) else path(number)

    monkeypatch.setattr(log, "_path", unwritable)
    for number in range(3000):
        log.write(record(number))
    log.close()

    assert [line["wall_us"] for line in lines(tmp_path)] == list(range(3000))
    assert log.failed == 2


def test_a_record_that_json_cannot_say_is_dropped_and_the_others_are_written(
    tmp_path: Path,
) -> None:
    log = EventLog(tmp_path, "test")
    for number, reason in enumerate(("good", "half a letter \ud83d", "good again")):
        log.write(record(number, reason=reason))
    log.close()

    assert [line["reason"] for line in lines(tmp_path)] == ["good", "good again"]
    assert (log.written, log.dropped) == (2, 1)
