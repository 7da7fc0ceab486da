"""What native observers write for those who judge a run."""

import json
from pathlib import Path
from typing import Any

import pytest
from eventservices import sightings as module
from eventservices.sightings import Count, Sightings
from fes.testing.eventually import eventually


def lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text().splitlines()]


def test_a_line_of_a_file_carries_when_it_was_written(tmp_path: Path) -> None:
    sightings = Sightings(tmp_path / "seen.jsonl")
    sightings.write('{"seen": "join", "node": "é"}')
    sightings.close()
    (line,) = lines(tmp_path / "seen.jsonl")
    assert line["wall_us"] > 1_700_000_000_000_000
    assert (line["seen"], line["node"]) == ("join", "é")


def test_without_a_file_lines_go_to_standard_output(capsys: pytest.CaptureFixture[str]) -> None:
    Sightings(None).write('{"seen": "join"}')
    assert capsys.readouterr().out == '{"seen": "join"}\n'


def test_a_file_goes_on_where_an_earlier_observer_ended(tmp_path: Path) -> None:
    for number in range(2):
        sightings = Sightings(tmp_path / "seen.jsonl")
        sightings.write(json.dumps({"number": number}))
        sightings.close()
    assert [line["number"] for line in lines(tmp_path / "seen.jsonl")] == [0, 1]


def test_what_is_beyond_the_largest_file_is_counted_and_not_written(tmp_path: Path) -> None:
    sightings = Sightings(tmp_path / "seen.jsonl", most_bytes=100)
    for _ in range(5):
        sightings.write('{"seen": "event", "node": "somebody"}')
    sightings.close()
    assert (len(lines(tmp_path / "seen.jsonl")), sightings.left_out) == (1, 4)
    assert (tmp_path / "seen.jsonl").stat().st_size <= 100


async def test_an_observer_shows_that_it_looks(tmp_path: Path) -> None:
    async with Sightings(tmp_path / "seen.jsonl").alive():
        await eventually(lambda: lines(tmp_path / "seen.jsonl") != [])
    assert lines(tmp_path / "seen.jsonl")[0]["seen"] == "alive"


async def test_notifications_are_counted_from_one_line_to_the_next(tmp_path: Path) -> None:
    count = Count(tmp_path / "seen.jsonl")
    async with count.alive():
        await eventually(lambda: lines(tmp_path / "seen.jsonl") != [])
        for _ in range(3):
            count.add()
        await eventually(lambda: len(lines(tmp_path / "seen.jsonl")) > 2)
    assert [line["notifications"] for line in lines(tmp_path / "seen.jsonl")][:3] == [0, 3, 0]


async def test_an_observer_that_ends_has_looked_until_then(tmp_path: Path) -> None:
    path = tmp_path / "seen.jsonl"
    seen = Sightings(path)
    async with seen.alive():
        seen.write('{"seen": "join"}')
    assert [line["seen"] for line in lines(path)][-2:] == ["join", "alive"]


async def test_what_was_counted_last_is_written_at_the_end(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "ALIVE_S", 3600.0)
    path = tmp_path / "seen.jsonl"
    seen = Count(path)
    async with seen.alive():
        seen.add()
    assert sum(line["notifications"] for line in lines(path)) == 1
