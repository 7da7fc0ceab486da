"""Several append to one journal at the same time, and nobody is wronged."""

import os
import signal
import threading
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor

import pytest
from conformance.store.conftest import Start
from conformance.store.places import Place, append_anyhow
from conformance.store.writer import ENTRIES, batch_of
from fes.errors import BehindError
from fes.testing.eventually import eventually
from fes_gateway.store import Entry, Journal

WRITERS = ("w0", "w1", "w2", "w3")
BATCHES = 200


def written(entries: Iterable[Entry]) -> list[tuple[str, int]]:
    """Return who wrote what, in order; a batch that is not whole fails."""
    told = list(entries)
    found = []
    for start in range(0, len(told), ENTRIES):
        writer = told[start].key.partition("/")[0]
        number = int((told[start].value or b"").partition(b" ")[0])
        batch = batch_of(
            writer, number, ENTRIES * (len(told[start].value or b"") - len(f"{number} "))
        )
        assert told[start : start + ENTRIES] == batch
        found.append((writer, number))
    return found


def assert_all_is_there(journals: Iterable[Journal], followed: list[Entry]) -> None:
    one, other = (journal.read().entries for journal in journals)
    assert one == other == tuple(followed)
    for writer in WRITERS:
        numbers = [number for name, number in written(one) if name == writer]
        assert numbers == list(range(1, BATCHES + 1))


class Follower:
    """Reads on whenever it is woken, as a replica does."""

    def __init__(self, journal: Journal) -> None:
        self.entries: list[Entry] = []
        self._journal = journal
        self._position = 0
        journal.watch(self.read)

    def read(self) -> None:
        """Read on."""
        tail = self._journal.read(self._position)
        if tail.whole:
            self.entries = []
        self.entries += tail.entries
        self._position = tail.sequence

    @property
    def has_all(self) -> bool:
        """Whether it has read what all wrote."""
        return len(self.entries) == len(WRITERS) * BATCHES * ENTRIES


def test_of_two_writers_exactly_one_wins_and_the_other_can_read_on(place: Place) -> None:
    journals = place.open(), place.open()
    position, won = 0, {0: 0, 1: 0}
    with ThreadPoolExecutor(2) as threads:
        for _ in range(50):
            gate = threading.Barrier(2)

            def race(me: int, gate: threading.Barrier, at: int) -> int | None:
                gate.wait()
                try:
                    return journals[me].append([Entry("by", b"%d" % me)], at)
                except BehindError:
                    return None

            ends = [threads.submit(race, me, gate, position) for me in (0, 1)]
            numbers = [end.result() for end in ends]
            loser = numbers.index(None)
            winner = 1 - loser
            won[winner] += 1
            tail = journals[loser].read(position)
            assert tail.entries == (Entry("by", b"%d" % winner),)
            position = tail.sequence
            assert numbers[winner] == position
    assert sum(won.values()) == 50


def test_what_four_threads_append_is_all_there_once_and_in_one_order(place: Place) -> None:
    follower = Follower(place.open())
    journals = [place.open() for _ in WRITERS]

    def write(journal: Journal, writer: str) -> None:
        position = 0
        for number in range(1, BATCHES + 1):
            position = append_anyhow(journal, batch_of(writer, number), position)

    with ThreadPoolExecutor(len(WRITERS)) as threads:
        list(threads.map(write, journals, WRITERS))

    wait_for(follower)
    assert_all_is_there(journals[:2], follower.entries)


def test_what_four_processes_append_is_all_there_once_and_in_one_order(
    shared: Place, start_writer: Start
) -> None:
    follower = Follower(shared.open())
    processes = [start_writer(writer, BATCHES) for writer in WRITERS]

    assert [process.wait(100) for process in processes] == [0] * len(WRITERS)

    wait_for(follower)
    assert_all_is_there([shared.open(), shared.open()], follower.entries)


@pytest.mark.parametrize("size", [0, 1_500_000])
async def test_a_writer_that_is_killed_leaves_whole_batches(
    shared: Place, start_writer: Start, size: int
) -> None:
    journal = shared.open()
    for kill in range(1, 4):
        beyond = journal.sequence() + 12
        process = start_writer(f"killed{kill}", size=size)
        await has_grown(journal, beyond)
        os.kill(process.pid, signal.SIGKILL)
        process.wait()

        tail = shared.open().read()
        found = written(tail.entries)
        mine = [number for writer, number in found if writer == f"killed{kill}"]
        assert mine == list(range(1, len(mine) + 1))
        assert len(mine) > 1

    number = journal.append(batch_of("next", 1), journal.read().sequence)
    assert written(journal.read().entries)[-1] == ("next", 1)
    assert journal.sequence() == number


async def has_grown(journal: Journal, beyond: int) -> None:
    """Wait until others have appended."""
    await eventually(lambda: journal.sequence() > beyond, within_s=30)


def wait_for(follower: Follower) -> None:
    """Wait until a follower was told of everything."""
    deadline = threading.Event()
    for _ in range(1000):
        if follower.has_all:
            return
        deadline.wait(0.02)
    raise AssertionError(f"only {len(follower.entries)} entries were followed")
