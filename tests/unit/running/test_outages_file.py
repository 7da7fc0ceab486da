import json
import time
from pathlib import Path
from typing import Any

from fes.running.outages import Outages


def lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text().splitlines()]


def test_a_part_that_dies_again_before_it_was_back_is_down_since_the_first_time(
    tmp_path: Path,
) -> None:
    outages = Outages(tmp_path / "outages.jsonl")
    outages.began(("g1",), -9)
    first_us = time.time_ns() // 1000
    outages.began(("g1",), 1)
    outages.ended(("g1",))
    (told,) = lines(tmp_path / "outages.jsonl")
    assert told["cause"] == "signal 9"
    assert told["from_us"] <= first_us <= told["to_us"]


def test_a_part_that_is_back_and_dies_again_is_down_twice(tmp_path: Path) -> None:
    outages = Outages(tmp_path / "outages.jsonl")
    for status in (-9, 1):
        outages.began(("g1",), status)
        outages.ended(("g1",))
    assert [one["cause"] for one in lines(tmp_path / "outages.jsonl")] == [
        "signal 9",
        "exit status 1",
    ]


def test_what_did_not_come_back_has_no_end(tmp_path: Path) -> None:
    outages = Outages(tmp_path / "outages.jsonl")
    outages.began(("g1",), -9)
    outages.close()
    assert [one["to_us"] for one in lines(tmp_path / "outages.jsonl")] == [None]
