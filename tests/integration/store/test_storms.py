"""Servers die under several writers: everything is appended, and nothing twice."""

import itertools
import threading
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Self

import pytest
from eventservices.servers import NatsServer
from fes.errors import BehindError, StoreError
from fes_gateway.store import Entry, Journal, Tail
from integration.store.conftest import Open, append_at_last
from support.processes.halted import halted

pytestmark = pytest.mark.broker

WRITERS = ("w0", "w1", "w2", "w3")
STRIKES = 3


class Striker:
    """Kills one server after another when it is asked to, and starts it again.

    Args:
        servers: In turn.
    """

    def __init__(self, *servers: NatsServer) -> None:
        self.times = 0
        self._servers = servers
        self._asked = threading.Semaphore(0)
        self._thread = threading.Thread(target=self._run)

    def __enter__(self) -> Self:
        """Begin."""
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        """Strike as often as was asked, if that was not done yet."""
        self._thread.join()

    def ask(self) -> None:
        """Have the next server killed, while others go on; `STRIKES` times in all."""
        self._asked.release()

    def _run(self) -> None:
        for server in itertools.islice(itertools.cycle(self._servers), STRIKES):
            if not self._asked.acquire(timeout=100):
                return
            server.kill()
            server.start()
            self.times += 1


def write(journal: Journal, writer: str, batches: int, size: int, striker: Striker) -> None:
    """Append batches, however often others are faster and servers away."""
    position = 0
    for number in range(batches):
        if writer == WRITERS[0] and number % (batches // STRIKES) == 1:
            striker.ask()
        batch = [Entry(writer, b"%d" % number), Entry(f"{writer} too", bytes(size))]
        while True:
            try:
                position = append_at_last(journal, batch, position)
                break
            except BehindError:
                position = read_at_last(journal, position).sequence


def read_at_last(journal: Journal, position: int = 0) -> Tail:
    for _ in range(100):
        try:
            return journal.read(position)
        except StoreError:
            continue
    raise AssertionError("it was never read")


def write_through_strikes(
    journals: Sequence[Journal], batches: int, size: int, *servers: NatsServer
) -> None:
    """Have all write while servers are killed; then each batch is there once, for all."""
    with Striker(*servers) as striker, ThreadPoolExecutor(len(WRITERS)) as threads:
        ends = [
            threads.submit(write, journal, writer, batches, size, striker)
            for journal, writer in zip(journals, WRITERS, strict=True)
        ]
        for end in ends:
            end.result()
    assert striker.times == STRIKES
    entries = read_at_last(journals[0]).entries
    assert read_at_last(journals[1]).entries == entries
    for writer in WRITERS:
        found = [entry.value for entry in entries if entry.key == writer]
        assert found == [b"%d" % number for number in range(batches)]
    keys = [entry.key for entry in entries]
    assert [f"{key} too" for key in keys[::2]] == keys[1::2]


@pytest.mark.parametrize(("batches", "size"), [(60, 0), (9, 700_000)], ids=["small", "large"])
def test_what_is_appended_while_the_server_dies_again_and_again_is_there_once(
    own_server: NatsServer, open_at: Open, batches: int, size: int
) -> None:
    journals = [open_at(own_server.url, patience_s=1.0) for _ in WRITERS]
    write_through_strikes(journals, batches, size, own_server)


@pytest.mark.timeout(300)
def test_what_is_appended_while_servers_of_a_cluster_die_is_there_once(
    cluster: list[NatsServer], open_at: Open
) -> None:
    urls = [server.url for server in cluster]
    journals = [open_at(*urls[at % 3 :], *urls[: at % 3], copies=3) for at in range(len(WRITERS))]
    write_through_strikes(journals, 60, 0, *cluster)


def test_a_server_that_hangs_is_not_waited_for_and_then_has_the_batch_once(
    own_server: NatsServer, open_at: Open
) -> None:
    journal, other = open_at(own_server.url, patience_s=0.5), open_at(own_server.url)
    number = journal.append([Entry("a", b"1")], 0)
    with halted(own_server), pytest.raises(StoreError, match=str(own_server.port)):
        journal.append([Entry("a", b"2")], number)

    after = append_at_last(journal, [Entry("a", b"2")], number)
    assert other.read(number) == (False, after, (Entry("a", b"2"),))
