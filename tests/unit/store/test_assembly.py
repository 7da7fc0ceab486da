"""Batches and snapshots, put together from messages."""

import msgspec
import pytest
from fes_gateway.store import Entry
from fes_gateway.store.jetstream.assembly import Message, batches, newest_snapshot
from fes_gateway.store.jetstream.records import (
    Chunk,
    Part,
    Record,
    cut,
    decode,
    encode,
    encode_batch,
    encode_state,
)
from hypothesis import given
from hypothesis import strategies as st

ROOM = 4096 + 4
"""A server that leaves four bytes for a piece."""


def parts(writer: str, number: int, batch: tuple[Entry, ...], payload: int = ROOM) -> list[Record]:
    pieces = cut(encode_batch(batch), payload)
    return [Part(writer, number, at, len(pieces), piece) for at, piece in enumerate(pieces)]


def chunks(name: str, state: dict[str, bytes]) -> list[Record]:
    pieces = cut(encode_state(state, {"w": 1}), ROOM)
    return [Chunk(name, 0, at, len(pieces), piece) for at, piece in enumerate(pieces)]


def stored(*records: Record, first: int = 1) -> list[Message]:
    return [Message(at, decode(encode(record))) for at, record in enumerate(records, first)]


BATCH = (Entry("a", b"123456789"), Entry("b", None))
OTHER = (Entry("c", b"x"),)


def test_a_batch_counts_once_its_last_message_is_there() -> None:
    messages = stored(*parts("w", 1, BATCH))
    assert len(messages) > 2

    for length in range(1, len(messages)):
        assert batches(messages[:length]) == ([], True)
    (found,), goes_on = batches(messages)
    assert (found.sequence, found.entries, goes_on) == (len(messages), BATCH, False)


@pytest.mark.parametrize("between", [parts("v", 1, OTHER, 9999)[0], chunks("s", {})[0]])
def test_a_batch_that_was_broken_into_counts_for_nothing(between: Record) -> None:
    pieces = parts("w", 1, BATCH)
    for at in range(1, len(pieces)):
        found, goes_on = batches(stored(*pieces[:at], between, *pieces[at:]))
        assert BATCH not in [batch.entries for batch in found]
        assert not goes_on


def test_a_batch_that_lacks_its_beginning_counts_for_nothing() -> None:
    assert batches(stored(*parts("w", 1, BATCH)[1:])) == ([], False)


def test_pieces_of_two_batches_make_none() -> None:
    one, other = parts("w", 1, BATCH), parts("w", 2, BATCH)
    assert batches(stored(one[0], *other[1:])) == ([], False)


def test_a_snapshot_counts_once_all_is_there_whatever_stands_between() -> None:
    pieces = chunks("s", {"a": b"123456789"})
    between = parts("w", 1, BATCH)
    messages = stored(pieces[0], *between, *pieces[1:-1], pieces[1], first=7)

    assert newest_snapshot(messages) is None
    found = newest_snapshot([*messages, Message(99, pieces[-1])])
    assert found is not None
    assert (found.sequence, found.state.entries) == (7, {"a": b"123456789"})
    assert [batch.entries for batch in batches(messages)[0]] == [BATCH]


def test_of_two_snapshots_the_one_that_stands_for_more_counts() -> None:
    early, late = chunks("early", {"a": b"1"}), chunks("late", {"a": b"2"})
    messages = stored(early[0], late[0], *late[1:], *early[1:])

    found = newest_snapshot(messages)
    assert found is not None
    assert found.state.entries == {"a": b"2"}


def test_of_many_writers_a_snapshot_remembers_the_newest() -> None:
    writers = {f"{number}": number for number in range(100)}
    (chunk,) = [Chunk("s", 0, 0, 1, encode_state({}, writers))]

    found = newest_snapshot(stored(chunk))
    assert found is not None
    assert list(found.state.writers) == [f"{number}" for number in range(36, 100)]


@pytest.mark.parametrize(
    "record", [Part("w", 1, 0, 1, b"\xc1"), Part("w", 1, 0, 1, b"\x91\x92\xa1a\x01")]
)
def test_what_is_no_batch_is_told_with_its_number(record: Record) -> None:
    with pytest.raises(msgspec.ValidationError, match="message 7 ends no batch"):
        batches(stored(record, first=7))


def test_what_is_no_snapshot_is_told_with_its_number() -> None:
    with pytest.raises(msgspec.ValidationError, match="message 7 begins no snapshot"):
        newest_snapshot(stored(Chunk("s", 0, 0, 1, b"\x01"), first=7))


@given(st.binary(max_size=40))
def test_whatever_a_message_holds_is_a_record_or_refused(payload: bytes) -> None:
    try:
        record = decode(payload)
    except msgspec.MsgspecError:
        return
    assert decode(encode(record)) == record


@given(st.lists(st.tuples(st.text(max_size=5), st.none() | st.binary(max_size=20)), min_size=1))
def test_a_batch_comes_back_from_any_number_of_messages(pairs: list[tuple[str, bytes]]) -> None:
    batch = tuple(Entry(*pair) for pair in pairs)
    (found,), _ = batches(stored(*parts("w", 1, batch)))
    assert found.entries == batch


def test_pieces_that_do_not_stand_right_behind_one_another_make_no_batch() -> None:
    first, *rest = stored(*parts("w", 1, BATCH))
    moved = [Message(message.sequence + 1, message.record) for message in rest]
    assert batches([first, *moved]) == ([], False)
