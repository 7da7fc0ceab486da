"""Who watches a journal is told of what others append."""

import threading

from conformance.store.conftest import Start
from conformance.store.places import Place
from fes_gateway.store import Entry

DEADLINE_S = 10.0
"""Far above what it takes: what is told at all is what these tests are about."""


def test_who_watches_is_told_what_another_journal_appends(place: Place) -> None:
    writer, reader = place.open(), place.open()
    told = threading.Event()
    reader.watch(told.set)
    number = reader.sequence()

    for at in range(5):
        told.clear()
        number = writer.append([Entry("a", b"%d" % at)], number)
        while reader.read().sequence < number or not told.is_set():
            assert told.wait(DEADLINE_S)


def test_who_watches_is_told_what_its_own_journal_appends(place: Place) -> None:
    journal = place.open()
    told = threading.Event()
    journal.watch(told.set)
    told.clear()

    journal.append([Entry("a", b"1")], 0)

    assert told.wait(DEADLINE_S)


def test_who_watches_is_told_what_another_process_appends(
    shared: Place, start_writer: Start
) -> None:
    journal = shared.open()
    done = threading.Event()
    journal.watch(lambda: done.set() if len(journal.read().entries) == 9 else None)

    start_writer("other", 3)

    assert done.wait(30)


def test_all_who_watch_are_told(place: Place) -> None:
    journals = [place.open() for _ in range(3)]
    told = [threading.Event() for _ in range(4)]
    for at, each in enumerate(told):
        journals[at % 3].watch(each.set)
    for each in told:
        each.clear()

    place.open().append([Entry("a", b"1")], 0)

    assert all(each.wait(DEADLINE_S) for each in told)


def test_one_who_fails_is_told_again(place: Place) -> None:
    writer, reader = place.open(), place.open()
    calls = threading.Semaphore(0)

    def fail() -> None:
        calls.release()
        raise RuntimeError("of the one who watches")

    reader.watch(fail)
    number = 0
    for at in range(3):
        number = writer.append([Entry("a", b"%d" % at)], number)
        assert calls.acquire(timeout=DEADLINE_S)


def test_nobody_is_told_once_the_journal_is_closed(place: Place) -> None:
    writer, reader = place.open(), place.open()
    told = threading.Event()
    reader.watch(told.set)
    reader.close()
    told.clear()

    writer.append([Entry("a", b"1")], 0)

    other = threading.Event()
    witness = place.open()
    witness.watch(other.set)
    witness.append([Entry("a", b"2")], witness.sequence())
    assert other.wait(DEADLINE_S)
    assert not told.is_set()


def test_a_journal_may_be_closed_by_the_one_who_is_told(place: Place) -> None:
    writer, reader = place.open(), place.open()
    closed = threading.Event()

    def close() -> None:
        reader.close()
        closed.set()

    reader.watch(close)
    writer.append([Entry("a", b"1")], 0)

    assert closed.wait(DEADLINE_S)
