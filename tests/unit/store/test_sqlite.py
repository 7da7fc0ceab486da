"""What only a journal in a file does."""

import socket
import sqlite3
import threading
from pathlib import Path

import apsw
import pytest
from fes.errors import StoreError
from fes_gateway.store import Entry, SqliteJournal, fold
from fes_gateway.store.sqlitewatch import folder_of

DEADLINE_S = 10.0


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


def test_a_journal_of_another_format_is_refused_by_name(tmp_path: Path) -> None:
    path = tmp_path / "j.sqlite"
    SqliteJournal(path).close()
    with sqlite3.connect(path) as other:
        other.execute("update meta set value = 2 where name = 'format'")
    other.close()

    with pytest.raises(StoreError, match=r"j\.sqlite: its format is 2, not 1"):
        SqliteJournal(path)


def test_a_database_of_somebody_else_is_refused_by_name(tmp_path: Path) -> None:
    path = tmp_path / "j.sqlite"
    with sqlite3.connect(path) as other:
        other.execute("create table meta (thing text)")
    other.close()

    with pytest.raises(StoreError, match=r"j\.sqlite"):
        SqliteJournal(path)


def test_damage_that_is_found_later_is_told_by_name(tmp_path: Path) -> None:
    path = tmp_path / "j.sqlite"
    journal = SqliteJournal(path)
    with sqlite3.connect(path) as other:
        other.execute("drop table journal")
    other.close()

    for use in (journal.read, journal.snapshot, journal.sequence):
        with pytest.raises(StoreError, match=r"j\.sqlite"):
            use()
    with pytest.raises(StoreError, match=r"j\.sqlite"):
        journal.append([Entry("a", b"1")], 0)
    journal.close()


def test_a_writer_who_cannot_get_its_turn_says_so_and_goes_on_later(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("fes_gateway.store.sqlite.BUSY_S", 0.05)
    path = tmp_path / "j.sqlite"
    journal = SqliteJournal(path)
    other = apsw.Connection(str(path))
    other.execute("begin immediate")

    with pytest.raises(StoreError, match=r"j\.sqlite.*(busy|locked)"):
        journal.append([Entry("a", b"1")], 0)
    assert journal.read().entries == ()
    other.execute("commit")
    other.close()

    assert journal.append([Entry("a", b"1")], 0) == 1
    journal.close()


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
    journal.close()


def test_a_journal_is_made_shorter_by_itself(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    journal = SqliteJournal(tmp_path / "j.sqlite", durable=False)
    monkeypatch.setattr("fes_gateway.store.sqlite.SNAPSHOT_EVERY", 10)
    number = 0
    for at in range(25):
        number = journal.append([Entry("a", b"%d" % at)], number)

    tail = journal.read()
    assert len(tail.entries) == 1 + 5
    assert fold(tail.entries) == {"a": b"24"}
    journal.close()


def test_sockets_of_the_dead_are_removed_and_others_are_kept(tmp_path: Path) -> None:
    path = tmp_path / "j.sqlite"
    writer, reader = SqliteJournal(path), SqliteJournal(path)
    reader.watch(lambda: None)
    (living,) = folder_of(path).iterdir()
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as dead:
        dead.bind(str(folder_of(path) / "1-dead"))

    writer.append([Entry("a", b"1")], 0)

    assert list(folder_of(path).iterdir()) == [living]
    reader.close()
    assert list(folder_of(path).iterdir()) == []
    writer.close()


@pytest.mark.parametrize("name", ["j" * 120, "j"])
def test_who_has_no_socket_is_told_all_the_same(tmp_path: Path, name: str) -> None:
    path = tmp_path / f"{name}.sqlite"
    writer, reader = SqliteJournal(path), SqliteJournal(path)
    told = threading.Event()
    reader.watch(told.set)
    for each in folder_of(path).iterdir():
        each.unlink()
    told.clear()

    writer.append([Entry("a", b"1")], 0)

    assert told.wait(DEADLINE_S)
    reader.close()
    writer.close()


def test_what_lies_about_in_the_folder_of_sockets_harms_nobody(tmp_path: Path) -> None:
    path = tmp_path / "j.sqlite"
    journal = SqliteJournal(path)
    folder_of(path).mkdir()
    (folder_of(path) / "file").write_text("no socket")
    (folder_of(path) / "folder").mkdir()

    assert journal.append([Entry("a", b"1")], 0) == 1
    journal.close()


@pytest.mark.parametrize("what", ["wake", "SqliteJournal.snapshot"])
def test_what_fails_after_the_commit_does_not_make_an_append_fail(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, what: str, caplog: pytest.LogCaptureFixture
) -> None:
    def fail(*_: object, **__: object) -> None:
        raise OSError(24, "Too many open files")

    journal = SqliteJournal(tmp_path / "journal.db")
    monkeypatch.setattr("fes_gateway.store.sqlite.SNAPSHOT_EVERY", 2)
    monkeypatch.setattr(f"fes_gateway.store.sqlite.{what}", fail)
    number = 0
    for at in range(5):
        number = journal.append([Entry(f"{at}", b"")], number)

    assert [entry.key for entry in journal.read().entries] == list("01234")
    assert "journal_aftermath_failed" in caplog.text
    journal.close()
