"""One suite over every journal."""

from pathlib import Path

import apsw
import pytest
from fes.errors import StoreError
from fes_gateway.store import Entry, Journal, MemoryJournal, SqliteJournal, fold


@pytest.fixture(params=["memory", "sqlite"])
def journal(request: pytest.FixtureRequest, tmp_path: Path) -> Journal:
    if request.param == "memory":
        return MemoryJournal()
    return SqliteJournal(tmp_path / "j.sqlite", durable=False)


def test_entries_come_back_in_order(journal: Journal) -> None:
    journal.append([Entry("a", b"1"), Entry("b", b"2")], 0)
    journal.append([Entry("a", None)], 2)

    assert list(journal.read()) == [
        (1, Entry("a", b"1")),
        (2, Entry("b", b"2")),
        (3, Entry("a", None)),
    ]
    assert list(journal.read(2)) == [(3, Entry("a", None))]
    assert fold(entry for _, entry in journal.read()) == {"b": b"2"}


def test_a_writer_that_missed_something_is_refused_whole(journal: Journal) -> None:
    journal.append([Entry("a", b"1")], 0)

    with pytest.raises(StoreError, match="expected 0"):
        journal.append([Entry("b", b"2"), Entry("c", b"3")], 0)

    assert journal.sequence() == 1
    assert [entry.key for _, entry in journal.read()] == ["a"]


def test_a_snapshot_keeps_the_sum_and_the_sequence(journal: Journal) -> None:
    journal.append([Entry("a", b"1"), Entry("b", b"2"), Entry("a", b"3")], 0)

    assert journal.snapshot() == 3
    assert journal.append([Entry("b", None)], 3) == 4

    assert fold(entry for _, entry in journal.read()) == {"a": b"3"}
    assert list(journal.read(3)) == [(4, Entry("b", None))]


def test_a_file_gives_back_what_was_appended_before_it_was_closed(tmp_path: Path) -> None:
    journal = SqliteJournal(tmp_path / "j.sqlite")
    journal.append([Entry("a", b"\x00\xff")], 0)
    journal.close()
    journal.close()

    again = SqliteJournal(tmp_path / "j.sqlite")
    assert list(again.read()) == [(1, Entry("a", b"\x00\xff"))]
    again.close()


def test_a_second_writer_sees_the_first_and_takes_its_turn(tmp_path: Path) -> None:
    one, other = SqliteJournal(tmp_path / "j.sqlite"), SqliteJournal(tmp_path / "j.sqlite")
    one.append([Entry("a", b"1")], 0)

    with pytest.raises(StoreError):
        other.append([Entry("b", b"2")], 0)
    assert other.append([Entry("b", b"2")], other.sequence()) == 2
    assert [entry.key for _, entry in one.read()] == ["a", "b"]


@pytest.mark.parametrize("content", [b"not a database, but long enough to be read as one" * 20])
def test_a_file_that_is_no_journal_is_refused_by_name(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "j.sqlite"
    path.write_bytes(content)

    with pytest.raises(StoreError, match=r"j\.sqlite"):
        SqliteJournal(path)


def test_a_damaged_journal_is_never_served(tmp_path: Path) -> None:
    path = tmp_path / "j.sqlite"
    journal = SqliteJournal(path)
    journal.append([Entry(f"key {number}", bytes(200)) for number in range(500)], 0)
    journal.close()
    content = bytearray(path.read_bytes())
    content[4096 : 4096 * 3] = b"\xa5" * (4096 * 2)
    path.write_bytes(content)

    with pytest.raises(StoreError, match=r"j\.sqlite"):
        SqliteJournal(path)


def test_the_library_is_new_enough() -> None:
    assert tuple(int(part) for part in apsw.sqlite_lib_version().split(".")) >= (3, 51, 3)


def test_a_snapshot_that_fails_does_not_undo_the_batch_before_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    journal = SqliteJournal(tmp_path / "j.sqlite", durable=False)
    monkeypatch.setattr("fes_gateway.store.sqlite.SNAPSHOT_EVERY", 2)

    def fail() -> int:
        raise StoreError("disk full")

    monkeypatch.setattr(journal, "snapshot", fail)
    assert journal.append([Entry("a", b"1"), Entry("b", b"2")], 0) == 2
    monkeypatch.undo()

    assert journal.append([Entry("c", b"3")], 2) == 3
