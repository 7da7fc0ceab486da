"""A journal in a file, its disk and its lock: full, held by another, and safe from a power loss."""

import shutil
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import apsw
import pytest
from fes.errors import StoreError
from fes_gateway.store import Entry, SqliteJournal, fold, sqlite


@pytest.fixture
def journal(tmp_path: Path) -> Iterator[SqliteJournal]:
    with closing(SqliteJournal(tmp_path / "j.sqlite")) as opened:
        yield opened


def batch(number: int) -> list[Entry]:
    return [Entry(f"row {number}", bytes(20_000))]


def fill(journal: SqliteJournal) -> int:
    """Append until there is no more room; return how many batches were taken."""
    for number in range(1000):
        try:
            journal.append(batch(number), number)
        except StoreError:
            return number
    raise AssertionError("there is no end of room")


def test_a_full_disk_takes_nothing_and_gives_back_all_and_goes_on_once_there_is_room(
    journal: SqliteJournal,
) -> None:
    journal._db.execute("pragma max_page_count = 60")
    taken = fill(journal)
    assert taken > 3

    for _ in range(2):
        with pytest.raises(StoreError, match="full"):
            journal.append(batch(taken), taken)
    assert set(fold(journal.read().entries)) == {f"row {number}" for number in range(taken)}
    assert journal._db.execute("pragma integrity_check").get == "ok"

    journal._db.execute("pragma max_page_count = 1000000")
    assert journal.append(batch(taken), taken) == taken + 1


def test_a_snapshot_that_finds_the_disk_full_leaves_all_as_it_was(journal: SqliteJournal) -> None:
    journal._db.execute("pragma max_page_count = 60")
    taken = fill(journal)

    with pytest.raises(StoreError, match="full"):
        journal.snapshot()

    assert journal.sequence() == taken
    assert len(fold(journal.read().entries)) == taken


@contextmanager
def held(path: Path, release: threading.Event) -> Iterator[None]:
    """Have another connection hold the file's lock until it is told to let go."""
    holding = threading.Event()

    def hold() -> None:
        other = apsw.Connection(str(path))
        other.execute("begin immediate")
        holding.set()
        release.wait(10)
        other.execute("rollback")
        other.close()

    thread = threading.Thread(target=hold)
    thread.start()
    assert holding.wait(10)
    try:
        yield
    finally:
        release.set()
        thread.join(10)


def test_a_writer_waits_for_another_for_a_moment(journal: SqliteJournal) -> None:
    release = threading.Event()
    with held(journal.path, release):
        threading.Timer(0.3, release.set).start()
        assert journal.append(batch(0), 0) == 1


def test_one_that_does_not_let_go_is_told_and_does_no_harm(
    journal: SqliteJournal, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sqlite, "BUSY_S", 0.1)
    with held(journal.path, threading.Event()):
        for _ in range(2):
            with pytest.raises(StoreError, match=r"j\.sqlite"):
                journal.append(batch(0), 0)
    assert journal.append(batch(0), 0) == 1


def test_who_has_read_an_older_state_is_not_refused_as_busy(tmp_path: Path) -> None:
    """A transaction that reads before it writes would be, at once and without waiting."""
    path = tmp_path / "j.sqlite"
    with closing(SqliteJournal(path)) as one, closing(SqliteJournal(path)) as other:
        for number in range(0, 40, 2):
            assert one.read().sequence == number
            other.append(batch(number), number)
            assert one.snapshot() == number + 1
            assert one.append(batch(number + 1), number + 1) == number + 2


def test_a_commit_is_on_the_disk_and_in_a_log_that_the_writer_itself_resets(
    journal: SqliteJournal,
) -> None:
    assert journal._db.execute("pragma synchronous").get == 2
    assert journal._db.execute("pragma journal_mode").get == "wal"
    assert journal._db.execute("pragma wal_autocheckpoint").get > 0


APPENDING = """
import os, sys
from pathlib import Path
from fes_gateway.store import Entry, SqliteJournal
journal = SqliteJournal(Path(sys.argv[1]))
for number in range(20):
    journal.append([Entry("a", b"x" * 100)], number)
    os.write(2, b"answered")
"""


def test_the_disk_is_asked_to_keep_each_commit_before_its_answer(tmp_path: Path) -> None:
    tracer = shutil.which("strace")
    if tracer is None:
        pytest.skip("strace is not installed")
    trace = tmp_path / "trace"
    watched = [tracer, "-f", "-o", str(trace), "-e", "trace=fdatasync,fsync,write"]
    done = subprocess.run(
        [*watched, sys.executable, "-c", APPENDING, str(tmp_path / "j.sqlite")],
        capture_output=True,
        timeout=60,
        check=False,
    )
    if b"ptrace" in done.stderr:
        pytest.skip("processes may not be traced here")
    assert done.returncode == 0, done.stderr

    before, *rest = trace.read_text().split('"answered"')
    assert len(rest) == 20
    for part in (before, *rest[:-1]):
        assert "fdatasync(" in part or "fsync(" in part
