"""What is in the messages of a stream.

A batch is one message, or several right behind one another where one would be too large: it counts
once its last message is there. A snapshot is one or several messages, between which others may
stand: it counts once all are there, and represents everything before its first.
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
"""Room for all that is in a message beside them."""

Count = Annotated[int, Meta(ge=0)]


class _Piece(
    msgspec.Struct, frozen=True, array_like=True, forbid_unknown_fields=True, tag_field="kind"
):
    """A piece of something.

    Attributes:
        whose: States what it is a piece of.
        number: Of the batch, among its writer's.
        index: Which piece it is, from 0.
        count: How many there are.
        data: MessagePack, cut.
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
    """What a snapshot holds.

    Attributes:
        entries: The state.
        writers: Number of the newest batch of those who wrote lately, the newest writer last.
    """

    MOST_WRITERS: ClassVar[int] = 64

    entries: dict[str, bytes]
    writers: dict[str, int]


def encode(record: Record) -> bytes:
    """Return a message's payload."""
    return _encoder.encode(record)


def decode(payload: bytes) -> Record:
    """Return what a message contains.

    Raises:
        msgspec.MsgspecError: It is not a record.
    """
    record = _decoded(_records, payload)
    if record.index >= record.count:
        raise msgspec.ValidationError(f"piece {record.index} of {record.count}")
    return record


def encode_batch(batch: tuple[Entry, ...]) -> bytes:
    """Return a batch as MessagePack."""
    return _encoder.encode(batch)


def decode_batch(data: bytes) -> tuple[Entry, ...]:
    """Return a batch; msgspec.MsgspecError where it is none."""
    return _decoded(_batches, data)


def encode_state(entries: Mapping[str, bytes], writers: Mapping[str, int]) -> bytes:
    """Return a snapshot as MessagePack; of the writers, the newest."""
    newest = list(writers.items())[-State.MOST_WRITERS :]
    return _encoder.encode(State(dict(entries), dict(newest)))


def decode_state(data: bytes) -> State:
    """Return a snapshot; msgspec.MsgspecError where it is none."""
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
