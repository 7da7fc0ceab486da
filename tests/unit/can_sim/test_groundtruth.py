import json
from pathlib import Path
from typing import Any

import pytest
from can_sim.errors import InputError
from can_sim.groundtruth import GroundTruth
from can_sim.runfolder import Planned
from eventservices.stamp import Stamp

ROW = Planned(1_500_000, "car", "TEST001", 50.25, 8.5, 82.6)
STAMP = Stamp("can-sim/car", 9, 3, 1_500_000, "cns-v-car")


def lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]


def test_a_frame_that_was_sent_is_told_with_its_identity(tmp_path: Path) -> None:
    path = tmp_path / "runs" / "truth.jsonl"
    with GroundTruth(path, 0) as truth:
        truth.write(ROW, 83, 77, STAMP)
    assert lines(path) == [
        {
            "v": 1,
            "wall_us": 77,
            "time_us": 1_500_000,
            "vehicle": "car",
            "licence": "TEST001",
            "lat": 50.25,
            "lon": 8.5,
            "speed_kmh": 82.6,
            "rate": 83,
            "id": "can-sim/car/9/3",
        }
    ]


def test_a_frame_that_was_not_sent_says_so_and_has_no_identity(tmp_path: Path) -> None:
    path = tmp_path / "truth.jsonl"
    with GroundTruth(path, 0) as truth:
        truth.write(ROW, 83, 77, None, "late")
    (line,) = lines(path)
    assert (line["sent"], line["reason"], line["id"]) == (False, "late", "")


def test_lines_are_on_disk_after_a_flush(tmp_path: Path) -> None:
    path = tmp_path / "truth.jsonl"
    with GroundTruth(path, 0) as truth:
        truth.write(ROW, 83, 100, STAMP)
        truth.flush()
        assert len(lines(path)) == 1


def test_a_busy_run_flushes_by_itself(tmp_path: Path) -> None:
    path = tmp_path / "truth.jsonl"
    with GroundTruth(path, 0) as truth:
        truth.write(ROW, 83, 10_000_000, STAMP)
        truth.write(ROW, 83, 10_900_000, STAMP)
        assert len(lines(path)) == 2


def test_a_run_that_is_started_again_goes_on_after_its_last_whole_line(tmp_path: Path) -> None:
    path = tmp_path / "truth.jsonl"
    with GroundTruth(path, 50) as truth:
        truth.write(ROW, 83, 100, STAMP)
    with path.open("a") as stream:
        stream.write('{"v":1,"wall_us":110,"ti')
    with GroundTruth(path, 50) as truth:
        assert truth.last == (1_500_000, "car")
        truth.write(ROW, 83, 120, None, "late")
    assert [line["wall_us"] for line in lines(path)] == [100, 120]


@pytest.mark.parametrize("content", [b"", b"junk\n", b'{"wall_us":49,"time_us":1}\n', b"[]\n"])
def test_the_file_of_another_run_is_begun_anew(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "truth.jsonl"
    path.write_bytes(content)
    with GroundTruth(path, 50) as truth:
        assert truth.last is None
    assert path.read_bytes() == b""


def test_a_file_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="Is a directory"):
        GroundTruth(tmp_path, 0)
