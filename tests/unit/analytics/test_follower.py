"""The follower: whatever way logs grow, each line is in one segment, once."""

import json
from pathlib import Path
from typing import Any

import pytest
from analytics.errors import RunReplacedError
from analytics.inputs.files import LocalFiles
from analytics.live.reading import follower
from analytics.live.reading.follower import SEGMENTS, Follower
from analytics.live.reading.segment import End, end_of

IDLE_US = 30_000_000


class Desk:
    """A run folder, and the segments that are cut of it.

    Args:
        path: Where both lie.
    """

    def __init__(self, path: Path) -> None:
        self.run = path / "run"
        self.work = path / "work"
        (self.run / "logs").mkdir(parents=True)
        self.at_us = 0
        self.begin()

    def begin(self, budget_bytes: int = follower.BUDGET_BYTES) -> None:
        """Have a new follower go on."""
        files = LocalFiles(self.run), LocalFiles(self.work)
        self._follower = Follower(*files, 30.0, budget_bytes)

    def cut(self, after_us: int = 1_000_000) -> End:
        """Cut a segment, some time after the last."""
        self.at_us += after_us
        return self._follower.cut(self.at_us)

    def rests(self) -> bool:
        """Return whether nothing happened."""
        return self._follower.rests(self.at_us)

    def forget(self, number: int) -> None:
        """Forget the segments before a number."""
        self._follower.forget(number)

    def append(self, name: str, text: str | bytes) -> None:
        """Add text to a file of the run."""
        with (self.run / name).open("ab") as file:
            file.write(text.encode() if isinstance(text, str) else text)

    def lines(self) -> list[dict[str, Any]]:
        """Return the lines of all segments that are there, without their ends."""
        cut = sorted((self.work / SEGMENTS).glob("*.jsonl"))
        told = [json.loads(line) for path in cut for line in path.read_bytes().splitlines()]
        return [line for line in told if line["k"] != "end"]

    def texts(self) -> list[str]:
        """Return the texts of these lines."""
        return [line["v"] for line in self.lines()]


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    return Desk(tmp_path)


def test_each_line_is_read_once_as_files_grow_and_followers_are_begun_anew(desk: Desk) -> None:
    for number in range(6):
        desk.append("ground_truth.jsonl", f"a{number}\nb{number}\n")
        desk.append("logs/eventlog-city.0.jsonl", f"c{number}\n")
        if number % 2:
            desk.begin()
        desk.cut()

    wanted = [f"{letter}{number}" for number in range(6) for letter in "abc"]
    assert desk.texts() == wanted
    places = [(line["f"], line["n"], line["k"]) for line in desk.lines()]
    assert places[-3:] == [
        ("ground_truth.jsonl", 11, "truth"),
        ("ground_truth.jsonl", 12, "truth"),
        ("eventlog-city.0.jsonl", 6, "event_log"),
    ]
    assert [line["o"] for line in desk.lines() if line["k"] == "event_log"] == [*range(0, 18, 3)]


def test_a_line_without_its_end_waits_for_it(desk: Desk) -> None:
    desk.append("offenders.jsonl", "one\ntw")
    assert desk.cut().waiting == 2
    desk.append("offenders.jsonl", "o\n")
    end = desk.cut()

    assert desk.texts() == ["one", "two"]
    assert end.unended == {}
    assert end.lines == 1


def test_a_line_that_gets_no_end_is_taken_once_the_file_is_idle_and_told(desk: Desk) -> None:
    desk.append("offenders.jsonl", "one\ntw")
    desk.cut()
    assert not desk.cut(IDLE_US - 1).quiet
    end = desk.cut(1)

    assert desk.texts() == ["one", "tw"]
    assert end.unended == {"offenders.jsonl": 2}
    assert end.quiet
    assert desk.rests()


def test_a_run_rests_only_while_nothing_is_written(desk: Desk) -> None:
    desk.append("commands.jsonl", "one\n")
    desk.cut()
    assert not desk.rests(), "it is not quiet yet"
    desk.cut(IDLE_US)
    assert desk.rests()
    desk.append("commands.jsonl", "two\n")
    assert not desk.rests()


def test_rotated_logs_are_read_in_their_order_and_removed_ones_are_done_with(desk: Desk) -> None:
    for number in (0, 2, 10):
        desk.append(f"logs/eventlog-city.{number}.jsonl", f"line of {number}\n")
    desk.cut()
    (desk.run / "logs/eventlog-city.0.jsonl").unlink()
    desk.append("logs/eventlog-city.11.jsonl", "line of 11\n")
    end = desk.cut()

    assert desk.texts() == [f"line of {number}" for number in (0, 2, 10, 11)]
    assert end.lost == ()
    assert "eventlog-city.0.jsonl" in end.files
    assert "eventlog-city.0.jsonl" not in end.positions


def test_a_log_that_is_removed_before_it_was_read_is_told(desk: Desk) -> None:
    text = "".join(f"line {number}\n" for number in range(5000))
    desk.append("logs/eventlog-city.0.jsonl", text)
    desk.begin(budget_bytes=5000)
    desk.cut()
    (desk.run / "logs/eventlog-city.0.jsonl").unlink()
    desk.append("logs/eventlog-city.1.jsonl", "last\n")

    assert desk.cut().lost == ("eventlog-city.0.jsonl",)
    assert desk.cut().lost == ("eventlog-city.0.jsonl",)


def test_of_a_long_run_all_files_are_read_at_one_pace_and_none_in_part_is_quiet(
    desk: Desk,
) -> None:
    for letter, count in (("a", 9000), ("b", 3000)):
        for number in (0, 1):
            text = "".join(f"{letter}{number}{line:07d}\n" for line in range(count))
            desk.append(f"logs/eventlog-{letter}.{number}.jsonl", text)
    desk.begin(budget_bytes=60_000)
    end = desk.cut(IDLE_US)

    taken = [line["f"] for line in desk.lines()]
    assert 2.8 < taken.count("eventlog-a.0.jsonl") / taken.count("eventlog-b.0.jsonl") < 3.2
    assert set(taken) == {"eventlog-a.0.jsonl", "eventlog-b.0.jsonl"}
    assert set(end.behind) == set(taken)
    while end.behind:
        end = desk.cut(IDLE_US)
        assert not (end.quiet and end.waiting)
    assert len(desk.lines()) == 24_000
    assert len({(line["f"], line["n"]) for line in desk.lines()}) == 24_000
    assert end.quiet


@pytest.mark.parametrize("change", ["shorter", "another", "gone"])
def test_another_run_in_the_folder_is_noticed(desk: Desk, change: str) -> None:
    path = desk.run / "ground_truth.jsonl"
    desk.append("ground_truth.jsonl", "a long line of a frame\n" * 40)
    desk.cut()
    if change == "shorter":
        path.write_text("short\n", encoding="utf-8")
    elif change == "another":
        path.write_text("another frame and more\n" * 80, encoding="utf-8")
    else:
        path.unlink()

    with pytest.raises(RunReplacedError, match=r"ground_truth\.jsonl"):
        desk.cut()


def test_an_event_log_that_comes_back_is_of_another_run(desk: Desk) -> None:
    desk.append("logs/eventlog-city.0.jsonl", "one\n")
    desk.cut()
    (desk.run / "logs/eventlog-city.0.jsonl").unlink()
    desk.cut()
    desk.append("logs/eventlog-city.0.jsonl", "two\n")

    with pytest.raises(RunReplacedError, match="came back"):
        desk.cut()


def test_what_is_no_text_stays_no_json_and_a_return_is_part_of_its_line(desk: Desk) -> None:
    desk.append("commands.jsonl", b'{"a":"\xff"}\n{"b":1}\r\n\n{"c":"\x00"}\n')
    desk.cut()

    broken, *others = desk.texts()
    with pytest.raises(json.JSONDecodeError):
        json.loads(broken)
    assert others == ['{"b":1}\r', "", '{"c":"\x00"}']


def test_a_line_that_never_ends_is_cut_and_does_not_stop_the_rest(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(follower, "LINE_BYTES", 10_000)
    desk.append("commands.jsonl", b"x" * 25_000 + b"\nlast\n")
    desk.begin(budget_bytes=100)
    for _ in range(8):
        desk.cut()

    assert "".join(desk.texts()) == "x" * 25_000 + "last"
    assert max(map(len, desk.texts())) <= 10_000


def test_segments_that_are_done_with_are_forgotten_but_not_the_last(desk: Desk) -> None:
    for number in range(4):
        desk.append("commands.jsonl", f"{number}\n")
        desk.cut()
    desk.forget(4)
    (last,) = (desk.work / SEGMENTS).glob("*.jsonl")
    desk.begin()
    desk.append("commands.jsonl", "more\n")

    assert end_of(last.read_bytes()).number == 4
    assert desk.cut().number == 5
    assert desk.texts() == ["3", "more"]
