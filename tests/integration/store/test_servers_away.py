"""Servers go away and come back; journals say so, and go on."""

import threading
from pathlib import Path

import pytest
from eventservices.ports import free_port
from eventservices.servers import NatsServer, ServerSpec
from fes.errors import StoreError
from fes.testing.eventually import eventually
from fes_gateway.store import Entry
from integration.store.conftest import Open, append_at_last

pytestmark = pytest.mark.broker

DEADLINE_S = 30.0


def test_a_server_that_was_never_there_is_told_by_its_address(open_at: Open) -> None:
    port = free_port()
    journal = open_at(f"nats://me:secret@127.0.0.1:{port}", patience_s=0.5)

    for use in (journal.read, journal.sequence, lambda: journal.append([Entry("a", b"")], 0)):
        with pytest.raises(StoreError, match=f"127.0.0.1:{port}") as told:
            use()
        assert "secret" not in str(told.value)


async def test_while_a_server_restarts_nothing_is_appended_and_then_all_goes_on(
    own_server: NatsServer, open_at: Open
) -> None:
    journal, reader = open_at(own_server.url, patience_s=0.5), open_at(own_server.url)
    woken = threading.Event()
    reader.watch(woken.set)
    number = journal.append([Entry("a", b"1")], 0)

    own_server.kill()
    with pytest.raises(StoreError, match=f"{own_server.port}.*no answer"):
        journal.append([Entry("a", b"2")], number)
    own_server.start()
    after = append_at_last(journal, [Entry("a", b"2")], number)

    assert reader.read(number) == (False, after, (Entry("a", b"2"),))
    woken.clear()  # the watch is renewed, and then told of everything again
    position = after
    for at in range(3):
        position = append_at_last(journal, [Entry("a", b"%d" % at)], position)
        await eventually(woken.is_set, DEADLINE_S)
        woken.clear()


def test_a_journal_may_be_opened_before_its_server_is_there(tmp_path: Path, open_at: Open) -> None:
    server = NatsServer(ServerSpec("late", tmp_path, jetstream=True))
    journal = open_at(server.url, patience_s=0.5)
    with pytest.raises(StoreError):
        journal.read()

    with server:
        assert append_at_last(journal, [Entry("a", b"1")], 0) == 1


def test_a_server_without_streams_is_told(tmp_path: Path, open_at: Open) -> None:
    with NatsServer(ServerSpec("plain", tmp_path)) as server:
        journal = open_at(server.url, patience_s=0.5)
        with pytest.raises(StoreError, match=str(server.port)):
            journal.append([Entry("a", b"1")], 0)


@pytest.mark.timeout(240)
def test_of_three_servers_one_may_be_killed_and_appends_go_on(
    cluster: list[NatsServer], open_at: Open
) -> None:
    urls = [server.url for server in cluster]
    journal = open_at(*urls, copies=3)
    reader = open_at(*urls[::-1], copies=3)
    woken = threading.Event()
    number = append_at_last(journal, [Entry("0", b"0")], 0)
    reader.watch(woken.set)
    batches = [[Entry(f"{at}", b"%d" % at)] for at in range(1, 31)]

    for at, batch in enumerate(batches):
        if at == 10:
            cluster[0].kill()
        if at == 20:
            cluster[0].start()
        number = append_at_last(journal, batch, number)

    expected = (Entry("0", b"0"), *(entry for batch in batches for entry in batch))
    assert reader.read() == (True, number, expected)
    woken.clear()
    append_at_last(journal, [Entry("last", b"")], number)
    assert woken.wait(DEADLINE_S)


def test_a_server_for_journals_writes_before_it_answers(server: NatsServer) -> None:
    configuration = (server.spec.folder / f"{server.spec.name}.conf").read_text()
    assert "sync_interval: always" in configuration
