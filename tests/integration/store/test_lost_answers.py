"""An answer that is lost leaves no doubt: what was appended is there once, and known to be."""

import threading
from concurrent.futures import ThreadPoolExecutor

import pytest
from eventservices.servers import NatsServer
from fes.errors import BehindError, StoreError
from fes_gateway.store import Entry, fold
from integration.store.conftest import Open, append_at_last
from integration.store.losing import Eats, LosingProxy, acknowledges, publishes

pytestmark = pytest.mark.broker

BATCH = (Entry("a", b"1"), Entry("b", b"2"))
LARGE = tuple(Entry(f"{at}", bytes(300_000)) for at in range(8))


@pytest.mark.parametrize("batch", [BATCH, LARGE], ids=["one message", "several"])
@pytest.mark.parametrize(
    ("what", "eats"), [("lose_answer", acknowledges), ("lose_request", publishes)]
)
def test_a_batch_that_is_lost_or_whose_acknowledgement_is_is_appended_once(
    server: NatsServer,
    proxy: LosingProxy,
    open_at: Open,
    batch: tuple[Entry, ...],
    what: str,
    eats: Eats,
) -> None:
    journal, other = open_at(proxy.url), open_at(server.url)
    first = journal.append([Entry("first", b"")], 0)
    setattr(proxy, what, eats)

    number = journal.append(batch, first)

    assert proxy.lost == 1
    assert other.read(first) == (False, number, batch)
    assert journal.append([Entry("next", b"")], number) == number + 1


def test_every_acknowledgement_of_a_large_batch_may_be_lost(
    server: NatsServer, proxy: LosingProxy, open_at: Open
) -> None:
    journal, other = open_at(proxy.url), open_at(server.url)
    first = journal.append([Entry("first", b"")], 0)

    def eat(data: bytes) -> bool:
        if acknowledges(data):
            proxy.lose_answer = eat
            return True
        return False

    proxy.lose_answer = eat
    losing = threading.Timer(3.0, lambda: setattr(proxy, "lose_answer", None))
    losing.start()
    number = journal.append(LARGE, first)
    losing.cancel()

    assert proxy.lost >= 1
    assert other.read(first) == (False, number, LARGE)


def test_a_batch_that_lost_its_place_to_another_is_refused(
    server: NatsServer, proxy: LosingProxy, open_at: Open
) -> None:
    journal, other = open_at(proxy.url), open_at(server.url)
    first = journal.append([Entry("first", b"")], 0)
    proxy.barred.set()
    proxy.lose_request = publishes

    with ThreadPoolExecutor(1) as thread:
        refused = thread.submit(journal.append, BATCH, first)
        number = other.append([Entry("other", b"")], first)
        proxy.barred.clear()
        with pytest.raises(BehindError):
            refused.result()

    assert other.read(first) == (False, number, (Entry("other", b""),))
    assert journal.append(BATCH, journal.read(first).sequence) == number + 1


def test_a_batch_that_a_snapshot_has_replaced_meanwhile_is_known_to_be_in(
    server: NatsServer, proxy: LosingProxy, open_at: Open
) -> None:
    journal, other = open_at(proxy.url), open_at(server.url)
    first = journal.append([Entry("first", b"")], 0)
    stored = threading.Event()

    def bar(data: bytes) -> bool:
        if acknowledges(data):
            proxy.barred.set()
            stored.set()
            return True
        return False

    proxy.lose_answer = bar
    with ThreadPoolExecutor(1) as thread:
        appended = thread.submit(journal.append, BATCH, first)
        assert stored.wait(10)
        other.snapshot()
        number = other.append([Entry("a", None)], other.sequence())
        proxy.barred.clear()
        mine = appended.result()

    assert mine == first + 1
    assert journal.read(mine) == (False, number, (Entry("a", None),))
    assert fold(other.read().entries) == {"first": b"", "b": b"2"}


def test_what_is_in_doubt_is_settled_by_the_same_call_later(
    server: NatsServer, proxy: LosingProxy, open_at: Open
) -> None:
    journal, other = open_at(proxy.url, patience_s=0.5), open_at(server.url)
    first = journal.append([Entry("first", b"")], 0)

    def bar(data: bytes) -> bool:
        if acknowledges(data):
            proxy.barred.set()
            return True
        return False

    proxy.lose_answer = bar
    with pytest.raises(StoreError, match=str(proxy.port)):
        journal.append(BATCH, first)
    proxy.barred.clear()
    number = append_at_last(journal, BATCH, first)

    assert other.read(first) == (False, number, BATCH)
