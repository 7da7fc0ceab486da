"""What somebody else did to a stream is told with its place, or harms nobody."""

import asyncio
import itertools
from collections.abc import Awaitable, Callable
from typing import Any

import nats
import nats.js.api
import pytest
from eventservices.servers import NatsServer
from fes.errors import BehindError, StoreError
from fes_gateway.store import Entry, fold
from fes_gateway.store.jetstream.records import Chunk, Part, cut, decode, encode, encode_batch
from fes_gateway.store.jetstream.stream import Stream
from integration.store.conftest import Open

pytestmark = pytest.mark.broker

MANY = 40


def by_hand(server: NatsServer, act: Callable[[Any], Awaitable[object]]) -> None:
    """Do something to streams as an administrator may."""

    async def run() -> None:
        client = await nats.connect(server.url)
        try:
            await act(client.jetstream())
        finally:
            await client.close()

    asyncio.run(run())


def publish(server: NatsServer, stream: str, payload: bytes) -> None:
    by_hand(server, lambda streams: streams.publish(f"fes.store.{stream}", payload))


@pytest.mark.parametrize("payload", [b"", b"hello", b"\x96\xa7batch-1\xa1w\x01\x05\x01\xc4\x00"])
def test_a_message_of_somebody_else_is_told_by_its_number(
    server: NatsServer, stream: str, open_at: Open, payload: bytes
) -> None:
    journal = open_at(server.url)
    number = journal.append([Entry("a", b"1")], 0)
    publish(server, stream, payload)

    with pytest.raises(BehindError):
        journal.append([Entry("a", b"2")], number)
    for use in (lambda: journal.read(number), journal.read, journal.snapshot):
        with pytest.raises(StoreError, match=f"{server.port}.*{stream}: message 2 "):
            use()


@pytest.mark.parametrize("messages", [3, MANY])
def test_a_message_that_was_removed_is_told_by_its_number(
    server: NatsServer, stream: str, open_at: Open, messages: int
) -> None:
    journal = open_at(server.url)
    number = 0
    for at in range(messages):
        number = journal.append([Entry(f"{at}", b"1")], number)
    by_hand(server, lambda streams: streams.delete_msg(stream, 2))

    with pytest.raises(StoreError, match=f"{stream}: message 2 is not there"):
        journal.read()
    assert journal.read(2).sequence == number


def test_messages_that_were_purged_by_hand_are_missed(
    server: NatsServer, stream: str, open_at: Open
) -> None:
    journal = open_at(server.url)
    number = 0
    for at in range(3):
        number = journal.append([Entry(f"{at}", b"1")], number)

    by_hand(server, lambda streams: streams.purge_stream(stream, seq=2))
    with pytest.raises(StoreError, match="what came before 2 was removed"):
        journal.read()
    by_hand(server, lambda streams: streams.purge_stream(stream))
    with pytest.raises(StoreError, match="all its messages were removed"):
        journal.read()


def test_a_stream_that_is_deleted_is_not_made_again_behind_ones_back(
    server: NatsServer, stream: str, open_at: Open
) -> None:
    journal = open_at(server.url, patience_s=0.3)
    number = journal.append([Entry("a", b"1")], 0)
    by_hand(server, lambda streams: streams.delete_stream(stream))

    for use in (journal.read, lambda: journal.append([Entry("a", b"2")], number)):
        with pytest.raises(StoreError, match=stream):
            use()


@pytest.mark.parametrize(
    ("wrong", "told"),
    [
        ({"subjects": ["other"]}, "subjects"),
        ({"storage": nats.js.api.StorageType.MEMORY}, "storage"),
        ({"max_age": 60}, "forgets"),
        ({"max_msgs": 10}, "forgets"),
    ],
)
def test_a_stream_that_would_not_keep_a_journal_is_refused(
    server: NatsServer, stream: str, open_at: Open, wrong: dict[str, Any], told: str
) -> None:
    config = {"name": stream, "subjects": [f"fes.store.{stream}"], **wrong}
    by_hand(server, lambda streams: streams.add_stream(**config))

    with pytest.raises(StoreError, match=f"{stream} is not a journal: .*{told}"):
        open_at(server.url).read()
    by_hand(server, lambda streams: streams.delete_stream(stream))


def test_half_a_batch_is_never_seen_and_holds_nobody_up(
    server: NatsServer, stream: str, open_at: Open
) -> None:
    journal, other = open_at(server.url), open_at(server.url)
    first = journal.append([Entry("a", b"1")], 0)
    pieces = cut(encode_batch((Entry("half", bytes(30)),)), 4096 + 20)
    publish(server, stream, encode(Part("gone", 1, 0, len(pieces), pieces[0])))

    tail = other.read(first)
    assert tail.entries == ()
    number = other.append([Entry("b", b"2")], tail.sequence)
    publish(server, stream, encode(Part("gone", 1, 1, len(pieces), pieces[1])))

    assert fold(journal.read().entries) == {"a": b"1", "b": b"2"}
    assert journal.read(first).entries == (Entry("b", b"2"),)
    assert journal.read(number).entries == ()
    journal.snapshot()
    assert fold(other.read().entries) == {"a": b"1", "b": b"2"}


def test_who_read_half_a_batch_gets_the_whole_once_it_is_there(
    server: NatsServer, stream: str, open_at: Open
) -> None:
    journal = open_at(server.url)
    first = journal.append([Entry("a", b"1")], 0)
    batch = (Entry("b", bytes(30)),)
    pieces = cut(encode_batch(batch), 4096 + 20)
    payloads = [encode(Part("slow", 1, at, len(pieces), piece)) for at, piece in enumerate(pieces)]
    publish(server, stream, payloads[0])
    begun = journal.read(first)
    for payload in payloads[1:]:
        publish(server, stream, payload)

    assert begun.entries == ()
    assert journal.read(begun.sequence).entries == batch


def test_a_snapshot_that_breaks_off_anywhere_changes_nothing(
    server: NatsServer, open_at: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("fes_gateway.store.jetstream.records.PIECE_BYTES", 40)
    store, purge = Stream.store, Stream.purge
    journal, other = open_at(server.url), open_at(server.url)
    truth = {f"{at}": b"x" * 20 for at in range(10)}
    number = journal.append([Entry(*item) for item in truth.items()], 0)
    left = 0

    async def store_some(self: Stream, payload: bytes, expected: int | None) -> int:
        nonlocal left
        left -= 1
        if left < 0:
            raise StoreError("killed")
        return await store(self, payload, expected)

    async def never(_self: Stream, _before: int) -> None:
        raise StoreError("killed")

    for stored in range(12):
        left = stored
        monkeypatch.setattr(Stream, "store", store_some)
        monkeypatch.setattr(Stream, "purge", never)
        with pytest.raises(StoreError, match="killed"):
            journal.snapshot()
        monkeypatch.setattr(Stream, "store", store)
        monkeypatch.setattr(Stream, "purge", purge)
        assert fold(other.read().entries) == truth
        assert (
            fold([*(Entry(*item) for item in truth.items()), *other.read(number).entries]) == truth
        )
        truth |= {f"after {stored}": b"y"}
        number = other.append([Entry(f"after {stored}", b"y")], other.read(number).sequence)

    journal.snapshot()
    tail = other.read()
    assert fold(tail.entries) == truth
    assert len(tail.entries) == len(truth)


@pytest.mark.parametrize("stored", [0, 1, 2, 100], ids=lambda n: f"{n} chunks")
@pytest.mark.parametrize("is_stored", [False, True], ids=["lost", "unanswered"])
def test_who_appends_alone_goes_on_behind_a_snapshot_of_its_own_that_broke_off(
    server: NatsServer,
    open_at: Open,
    monkeypatch: pytest.MonkeyPatch,
    stored: int,
    *,
    is_stored: bool,
) -> None:
    monkeypatch.setattr("fes_gateway.store.jetstream.records.PIECE_BYTES", 150)
    monkeypatch.setattr("fes_gateway.store.jetstream.journal.SNAPSHOT_EVERY", 10)
    store, purge = Stream.store, Stream.purge
    journal, other = open_at(server.url), open_at(server.url)
    truth = {f"{at}": b"x" * 20 for at in range(12)}
    left = stored

    async def store_some(self: Stream, payload: bytes, expected: int | None) -> int:
        nonlocal left
        if not isinstance(decode(payload), Chunk):
            return await store(self, payload, expected)
        left -= 1
        if left >= 0 or is_stored:
            await store(self, payload, expected)
        if left < 0:
            raise StoreError("no answer")
        return (await self.ends()).last

    async def unanswered(self: Stream, before: int) -> None:
        if is_stored:
            await purge(self, before)
        raise TimeoutError("no answer")

    monkeypatch.setattr(Stream, "store", store_some)
    monkeypatch.setattr(Stream, "purge", unanswered)
    entries = [Entry(*item) for item in truth.items()]
    number = journal.append(entries, 0)
    monkeypatch.setattr(Stream, "store", store)
    monkeypatch.setattr(Stream, "purge", purge)

    for at in range(3):
        number = journal.append([Entry(f"after {at}", b"y")], number)
        truth |= {f"after {at}": b"y"}
    assert journal.read(number).entries == ()
    assert fold(other.read().entries) == truth


def test_who_appends_alone_is_still_behind_what_another_appended_amid_its_snapshot(
    server: NatsServer, open_at: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    journal, other = open_at(server.url), open_at(server.url)
    number = journal.append([Entry("a", b"1")], 0)

    async def unanswered(_self: Stream, _before: int) -> None:
        raise StoreError("no answer")

    monkeypatch.setattr(Stream, "purge", unanswered)
    with pytest.raises(StoreError):
        journal.snapshot()
    monkeypatch.undo()
    other.append([Entry("theirs", b"2")], other.sequence())

    for _ in range(2):
        with pytest.raises(BehindError):
            journal.append([Entry("a", b"3")], number)
    assert fold(other.read().entries) == {"a": b"1", "theirs": b"2"}


def test_what_others_append_while_a_snapshot_is_made_is_kept(
    server: NatsServer, open_at: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("fes_gateway.store.jetstream.records.PIECE_BYTES", 40)
    store = Stream.store
    journal, other = open_at(server.url), open_at(server.url)
    number = journal.append([Entry(f"{at}", b"x" * 20) for at in range(5)], 0)
    others = itertools.count()

    async def store_between(self: Stream, payload: bytes, expected: int | None) -> int:
        if expected is None:
            loop = asyncio.get_running_loop()
            batch = [Entry(f"{next(others)}", None)]
            await loop.run_in_executor(
                None, lambda: other.append(batch, other.read(number).sequence)
            )
        return await store(self, payload, expected)

    monkeypatch.setattr("fes_gateway.store.jetstream.stream.Stream.store", store_between)
    stands_for = journal.snapshot()
    monkeypatch.undo()

    assert stands_for == number
    removed = next(others)
    assert removed > 1
    assert journal.read(number).entries == tuple(Entry(f"{at}", None) for at in range(removed))
    assert fold(other.read().entries) == {f"{at}": b"x" * 20 for at in range(removed, 5)}


def test_two_snapshots_at_a_time_lose_nothing(server: NatsServer, open_at: Open) -> None:
    journals = open_at(server.url), open_at(server.url)
    number = 0
    for at in range(20):
        number = journals[0].append([Entry(f"{at}", bytes(60_000))], number)

    async def both() -> None:
        loop = asyncio.get_running_loop()
        each = [loop.run_in_executor(None, journal.snapshot) for journal in journals]
        await asyncio.gather(*each)

    asyncio.run(both())

    for journal in journals:
        assert fold(journal.read().entries) == {f"{at}": bytes(60_000) for at in range(20)}


def test_a_journal_is_made_shorter_by_itself(
    server: NatsServer, open_at: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("fes_gateway.store.jetstream.journal.SNAPSHOT_EVERY", 10)
    journal = open_at(server.url)
    number = 0
    for at in range(25):
        number = journal.append([Entry("a", b"%d" % at)], number)

    tail = journal.read()
    assert tail.sequence == number
    assert len(tail.entries) == 1 + 5
    assert fold(tail.entries) == {"a": b"24"}
