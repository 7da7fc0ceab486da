"""What a connection lacks is counted exactly, over a kill of its process too."""

from collections.abc import Iterable
from pathlib import Path

import pytest
from eventservices.cns.domains.moving import positions
from eventservices.cns.domains.moving.positions import Positions
from eventservices.missing import WINDOW, Missing
from eventservices.stamp import Stamp
from eventservices.suppress import JUMP
from hypothesis import given
from hypothesis import strategies as st


def stamp(number: int, origin: str = "a", epoch: int = 1) -> Stamp:
    return Stamp(origin, epoch, number, 0, "home")


def came(numbers: Iterable[int]) -> int:
    missing = Missing()
    for number in numbers:
        missing.came(stamp(number))
    return missing.total


@given(st.lists(st.integers(2, 60), max_size=60))
def test_what_is_missing_is_what_lies_between_those_that_came(numbers: list[int]) -> None:
    expected = max(numbers, default=1) - 1 - len(set(numbers))
    assert came([1, *numbers]) == max(expected, 0)


def test_an_event_that_comes_too_late_stays_missing() -> None:
    assert came([1, 3, 2 + WINDOW, 2]) == WINDOW - 2
    assert came([1, 3, 3 + WINDOW, 2]) == WINDOW


def test_origins_and_epochs_are_counted_apart_and_a_jump_begins_again() -> None:
    missing = Missing()
    for each in (
        stamp(1),
        stamp(9, "b"),
        stamp(5, epoch=2),
        stamp(3),
        stamp(3 + JUMP),
        stamp(10, "b"),
    ):
        missing.came(each)
    assert missing.total == 1


def test_positions_go_on_where_a_killed_process_ended(tmp_path: Path) -> None:
    path = tmp_path / "folder" / "0-0.positions"
    first = Positions(path)
    first.open()
    first.begin(3)
    first.end([stamp(1), stamp(4), None])
    first.begin(7)  # then it is killed
    again = Positions(path)
    again.open()
    assert (again.missing.total, again.in_doubt) == (2, 7)
    again.end([stamp(3), stamp(6)], in_doubt=1)
    assert (again.missing.total, again.in_doubt) == (2, 8)
    again.close(forget=True)
    assert not path.exists()


def test_a_line_that_was_not_written_to_its_end_is_passed_over(tmp_path: Path) -> None:
    path = tmp_path / "0-0.positions"
    first = Positions(path)
    first.open()
    first.end([stamp(1), stamp(3)])
    with path.open("ab") as file:
        file.write(b'["moved",[["a",1,')
    again = Positions(path)
    again.open()
    assert again.missing.total == 1


def test_the_file_stays_within_its_bound(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(positions, "MOST_BYTES", 2000)
    path = tmp_path / "0-0.positions"
    kept = Positions(path)
    kept.open()
    for number in range(1, 2001, 2):
        kept.begin(1)
        kept.end([stamp(number)])
        assert path.stat().st_size < 2000 + 10_000
    again = Positions(path)
    again.open()
    assert again.missing.total == kept.missing.total == 999


def test_a_place_that_cannot_be_written_leaves_the_count_in_memory(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("no folder")
    kept = Positions(tmp_path / "file" / "0-0.positions")
    kept.open()
    kept.end([stamp(1), stamp(3)])
    assert kept.missing.total == 1
    kept.close(forget=False)
