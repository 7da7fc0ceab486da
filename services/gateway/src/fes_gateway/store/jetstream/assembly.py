"""Assembles the messages of a stream into batches and snapshots."""

from collections.abc import Iterable
from typing import NamedTuple

import msgspec

from fes_gateway.store.jetstream.records import (
    Chunk,
    Part,
    Record,
    State,
    decode_batch,
    decode_state,
)
from fes_gateway.store.journal import Entry


class Message(NamedTuple):
    """A message of a stream: its number there, and its content."""

    sequence: int
    record: Record


class Batch(NamedTuple):
    """A complete batch.

    Attributes:
        sequence: Number of its last message.
        writer: The appender that wrote it.
        number: Number among the writer's batches.
        entries: In order.
    """

    sequence: int
    writer: str
    number: int
    entries: tuple[Entry, ...]


class Snapshot(NamedTuple):
    """A complete snapshot: the state before the message `sequence`."""

    sequence: int
    state: State


class Group:
    """Assembles batches, whose pieces directly follow one another.

    Where a message of another is between pieces, their writer abandoned them, and they do not
    count.
    """

    def __init__(self) -> None:
        self._parts: list[Part] = []
        self._last = 0

    @property
    def open(self) -> bool:
        """Whether a batch has begun and not ended."""
        return bool(self._parts)

    def take(self, message: Message) -> Batch | None:
        """Return the batch that a message completes, if it does.

        Raises:
            msgspec.MsgspecError: It is not a batch.
        """
        sequence, part = message
        follows = sequence == self._last + 1
        self._last = sequence
        if not isinstance(part, Part) or (part.index and not (follows and self._fits(part))):
            self._parts = []
            return None
        self._parts = [*self._parts, part] if part.index else [part]
        if len(self._parts) < part.count:
            return None
        data = b"".join(each.data for each in self._parts)
        self._parts = []
        try:
            entries = decode_batch(data)
        except msgspec.MsgspecError as error:
            raise msgspec.ValidationError(f"message {sequence} ends no batch: {error}") from error
        return Batch(sequence, part.whose, part.number, entries)

    def _fits(self, part: Part) -> bool:
        if not self._parts:
            return False
        first = self._parts[0]
        same = (part.whose, part.number, part.count) == (first.whose, first.number, first.count)
        return same and part.index == len(self._parts)


def batches(messages: Iterable[Message]) -> tuple[list[Batch], bool]:
    """Return the complete batches among messages, and whether another has begun at the end."""
    group = Group()
    found = [batch for batch in map(group.take, messages) if batch is not None]
    return found, group.open


def newest_snapshot(messages: Iterable[Message]) -> Snapshot | None:
    """Return the newest complete snapshot; None where there is none.

    Raises:
        msgspec.MsgspecError: It is not a snapshot.
    """
    pieces: dict[str, dict[int, Message]] = {}
    for message in messages:
        if isinstance(message.record, Chunk):  # a piece may be there twice
            of = pieces.setdefault(message.record.whose, {})
            of.setdefault(message.record.index, message)
    complete = [found for found in pieces.values() if _is_complete(found)]
    if not complete:
        return None
    best = max(complete, key=lambda found: found[0].sequence)
    data = b"".join(best[index].record.data for index in range(len(best)))
    try:
        return Snapshot(best[0].sequence, decode_state(data))
    except msgspec.MsgspecError as error:
        first = best[0].sequence
        raise msgspec.ValidationError(f"message {first} begins no snapshot: {error}") from error


def _is_complete(found: dict[int, Message]) -> bool:
    counts = {message.record.count for message in found.values()}
    return counts == {len(found)} and sorted(found) == list(range(len(found)))
