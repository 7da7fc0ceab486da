"""The records in the messages of a stream.

A batch is one message, or several that directly follow one another where one would be too large: it
counts once its last message is there. A snapshot is one or several messages, between which there
may be others: it counts once all are there, and replaces everything before its first.
"""

from collections.abc import Mapping
from typing import Annotated, ClassVar, TypeVar

import msgspec
from msgspec import Meta

from fes_gateway.store.journal import Entry

T = TypeVar("T")

PIECE_BYTES = 512 * 1024
"""Most bytes of a batch or a snapshot in one message."""

FRAME_BYTES = 4096
"""Room for the rest of a message."""

Count = Annotated[int, Meta(ge=0)]


class _Piece(
    msgspec.Struct, frozen=True, array_like=True, forbid_unknown_fields=True, tag_field="kind"
):
    """A piece of something.

    Attributes:
        whose: Identifies the whole of which it is a piece.
        number: Number of the batch, among its writer's.
        index: Index of the piece, from 0.
        count: Number of pieces.
        data: A piece of the MessagePack.
    """

    whose: str
    number: Count
    index: Count
    count: Annotated[int, Meta(ge=1)]
    data: bytes


class Part(_Piece, frozen=True, tag="batch-1"):
    """A piece of a batch; `whose` names its writer."""


class Chunk(_Piece, frozen=True, tag="snapshot-1"):
    """A piece of a snapshot; `whose` names it."""


Record = Part | Chunk


class State(msgspec.Struct, frozen=True, array_like=True, forbid_unknown_fields=True):
    """The content of a snapshot.

    Attributes:
        entries: The state.
        writers: Number of the newest batch of each recent writer, the newest writer last.
    """

    MOST_WRITERS: ClassVar[int] = 64

    entries: dict[str, bytes]
    writers: dict[str, int]


def encode(record: Record) -> bytes:
    """Return a message's payload."""
    return _encoder.encode(record)


def decode(payload: bytes) -> Record:
    """Return the record in a message's payload.

    Raises:
        msgspec.MsgspecError: The payload is not a record.
    """
    record = _decoded(_records, payload)
    if record.index >= record.count:
        raise msgspec.ValidationError(f"piece {record.index} of {record.count}")
    return record


def encode_batch(batch: tuple[Entry, ...]) -> bytes:
    """Return a batch as MessagePack."""
    return _encoder.encode(batch)


def decode_batch(data: bytes) -> tuple[Entry, ...]:
    """Return a batch; raise msgspec.MsgspecError where the data are not one."""
    return _decoded(_batches, data)


def encode_state(entries: Mapping[str, bytes], writers: Mapping[str, int]) -> bytes:
    """Return a snapshot as MessagePack, with the newest of the writers."""
    newest = list(writers.items())[-State.MOST_WRITERS :]
    return _encoder.encode(State(dict(entries), dict(newest)))


def decode_state(data: bytes) -> State:
    """Return a snapshot; raise msgspec.MsgspecError where the data are not one."""
    return _decoded(_states, data)


def cut(data: bytes, max_payload: int) -> list[bytes]:
    """Return data in pieces that fit into messages.

    Args:
        data: Any.
        max_payload: Largest message that the server accepts, in bytes.
    """
    size = max(1, min(PIECE_BYTES, max_payload - FRAME_BYTES))
    return [data[at : at + size] for at in range(0, len(data), size)]


def _decoded(decoder: "msgspec.msgpack.Decoder[T]", data: bytes) -> T:
    try:
        return decoder.decode(data)
    except (UnicodeDecodeError, RecursionError) as error:
        raise msgspec.ValidationError(str(error)) from error


_encoder = msgspec.msgpack.Encoder()
_records: msgspec.msgpack.Decoder[Record] = msgspec.msgpack.Decoder(Record)
_batches = msgspec.msgpack.Decoder(tuple[Entry, ...])
_states = msgspec.msgpack.Decoder(State)
