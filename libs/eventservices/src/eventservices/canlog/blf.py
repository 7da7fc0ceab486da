"""Vector's BLF logs.

Of our own, because python-can's reader repeats an object of size 0 for ever, and passes over what
is cut off or is outside a container without a word.

Source:
    The layouts of python-can's `can/io/blf.py`, which follow Vector BLF by T. Lorenz.
"""

import struct
import zlib
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from typing import BinaryIO, Final, NamedTuple

from eventservices.canlog.blf_objects import CONTAINER, BlfObject, Splitter
from eventservices.canlog.frame import MAX_EXTENDED_ID, MAX_STANDARD_ID, Kind, LogFrame
from eventservices.canlog.watch import Watch
from eventservices.errors import MalformedError

MAX_CONTAINER_BYTES: Final = 32 * 1024 * 1024
"""Most that a container may unpack to."""
CHUNK_BYTES: Final = 64 * 1024

_FILE: Final = struct.Struct("<4sL8BQQLL8H8H")
MAX_FILE_HEADER_BYTES: Final = 4096
_V1: Final = struct.Struct("<LHHQ")
_V2: Final = struct.Struct("<LBxHQ8x")
_CONTAINER: Final = struct.Struct("<H6xL4x")
_CAN: Final = struct.Struct("<HBBL8s")
_CAN_FD: Final = struct.Struct("<HBBLLBBB5x64s")
_CAN_FD_64: Final = struct.Struct("<BBBBLLLLLLLHBBL")
_ERROR_EXT: Final = struct.Struct("<HHLBBBxLLH2x8s")
_CHANNEL: Final = struct.Struct("<H")

NO_COMPRESSION: Final = 0
ZLIB: Final = 2
TEN_MICROSECONDS: Final = 1
OBJECT_HEADER_BYTES: Final = 32
PIECE_BYTES: Final = 1024
_EXTENDED_ID: Final = 0x8000_0000
_REMOTE: Final = 0x80
_FD_LENGTHS: Final = (*range(9), 12, 16, 20, 24, 32, 48, 64)
_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)


def read_blf(stream: BinaryIO, watch: Watch) -> Iterator[LogFrame]:
    """Yield the frames of a log, in the log's order.

    Args:
        stream: Its bytes.
        watch: Is notified of objects that are broken or cut off, of those that the header promises
            and that are not there, and of others than frames (`other_object`).

    Raises:
        MalformedError: It is not a BLF log.
    """
    promised, start_us = _header(stream)
    found = 0
    for item in _objects(stream, watch):
        found += 1
        if item.broken:
            watch.broken(0, item.broken)
            continue
        try:
            frame = _frame(item, start_us)
        except (ValueError, struct.error) as error:
            watch.broken(0, f"object {item.number}: {error}")
            continue
        if frame is None:
            watch.noticed("other_object", 0)
        else:
            yield frame
    if found < promised:
        watch.missing(promised - found, f"{found} objects, and the header promises {promised}")


def _header(stream: BinaryIO) -> tuple[int, int]:
    """Return how many objects the header promises, and when the log began (0: not stated)."""
    data = stream.read(_FILE.size)
    if len(data) < _FILE.size or data[:4] != b"LOGG":
        raise MalformedError("is not a BLF log: it does not begin with LOGG")
    header = _FILE.unpack(data)
    size = header[1]
    if not _FILE.size <= size <= MAX_FILE_HEADER_BYTES:
        raise MalformedError(f"is not a BLF log: its header has {size} bytes")
    stream.read(size - _FILE.size)
    return header[12], _system_time_us(header[14:22])


def _system_time_us(parts: tuple[int, ...]) -> int:
    year, month, _, day, hour, minute, second, milli = parts
    try:
        moment = datetime(year, month, day, hour, minute, second, milli * 1000, UTC)
    except (ValueError, OverflowError):
        return 0
    return (moment - _EPOCH) // timedelta(microseconds=1)


def _objects(stream: BinaryIO, watch: Watch) -> Iterator[BlfObject]:
    """Yield the objects in containers and outside them, those that are broken among them."""
    top, inner = Splitter(), Splitter()
    while data := stream.read(CHUNK_BYTES):
        for item in top.feed(data):
            yield from _unpacked(item, inner, watch)
    for item in top.end():
        yield from _unpacked(item, inner, watch)
    yield from inner.end()


def _unpacked(item: BlfObject, inner: Splitter, watch: Watch) -> Iterator[BlfObject]:
    if item.kind != CONTAINER:
        if item.broken:
            watch.broken(0, item.broken)
        else:
            yield item
        return
    reason = item.broken
    for piece in _contents(item):
        if isinstance(piece, str):
            reason = reason or f"container {item.number}: {piece}"
        else:
            yield from inner.feed(piece)
    if reason:
        watch.broken(0, reason)
        yield from inner.end()


def _contents(item: BlfObject) -> Iterator[bytes | str]:
    """Yield the contents of a container, and why it does not go on."""
    body = item.body[max(item.header_bytes - 16, 0) :]
    if len(body) < _CONTAINER.size:
        yield "it is too short"
        return
    method, _ = _CONTAINER.unpack_from(body)
    packed = body[_CONTAINER.size :]
    if method == NO_COMPRESSION:
        yield packed
    elif method == ZLIB:
        yield from _inflated(packed)
    else:
        yield f"compression {method} is not known"


def _inflated(packed: bytes) -> Iterator[bytes | str]:
    unpacker = zlib.decompressobj()
    total = 0
    # In small pieces: what comes before a broken place is not lost with it.
    for at in range(0, len(packed), PIECE_BYTES):
        piece = packed[at : at + PIECE_BYTES]
        while piece and not unpacker.eof:
            try:
                data = unpacker.decompress(piece, CHUNK_BYTES)
            except zlib.error as error:
                yield str(error)
                return
            total += len(data)
            if total > MAX_CONTAINER_BYTES:
                yield f"it unpacks to more than {MAX_CONTAINER_BYTES} bytes"
                return
            yield data
            piece = unpacker.unconsumed_tail
    yield unpacker.flush()
    if not unpacker.eof:
        yield "its compressed data is cut off"


def _frame(item: BlfObject, start_us: int) -> LogFrame | None:
    kind = item.kind
    if kind not in _READERS:
        return None
    rest = item.header_bytes - 16
    if item.version == 1:
        flags, _, _, stamp = _V1.unpack_from(item.body)
    elif item.version == 2:
        flags, _, _, stamp = _V2.unpack_from(item.body)
    else:
        raise ValueError(f"header version {item.version} is not known")
    offset_us = stamp * 10 if flags == TEN_MICROSECONDS else stamp // 1000
    return _READERS[kind](item.body[rest:], start_us + offset_us, len(item.body) - rest)


def _classic(body: bytes, time_us: int, room: int) -> LogFrame:
    del room
    channel, flags, length, can_id, data = _CAN.unpack_from(body)
    remote = bool(flags & _REMOTE)
    return LogFrame(
        time_us,
        str(channel - 1),
        *_identified(can_id),
        b"" if remote else data[: min(length, 8)],
        Kind.REMOTE if remote else Kind.DATA,
        min(length, 8) if remote else 0,
        direction="T" if flags & 1 else "R",
    )


def _fd(body: bytes, time_us: int, room: int) -> LogFrame:
    del room
    parts = _CAN_FD.unpack_from(body)
    channel, flags, code, can_id, fd_flags, valid, data = *parts[:4], parts[6], parts[7], parts[8]
    return _flexible(
        _Fd(channel, can_id, code, valid, bool(flags & 1), bool(flags & _REMOTE)),
        (bool(fd_flags & 1), bool(fd_flags & 2), bool(fd_flags & 4)),
        data,
        time_us,
    )


def _fd64(body: bytes, time_us: int, room: int) -> LogFrame:
    parts = _CAN_FD_64.unpack_from(body)
    channel, code, valid, can_id, flags = parts[0], parts[1], parts[2], parts[4], parts[6]
    direction, beyond = parts[12], parts[13]
    # More bytes may be called valid than there are: the rest counts as 0, as Vector's tools do.
    end = beyond - (OBJECT_HEADER_BYTES if beyond else 0)
    data = body[_CAN_FD_64.size : end if beyond and end <= room else room]
    return _flexible(
        _Fd(channel, can_id, code, valid, bool(direction), bool(flags & 0x10)),
        (bool(flags & 0x1000), bool(flags & 0x2000), bool(flags & 0x4000)),
        data.ljust(valid, b"\0"),
        time_us,
    )


class _Fd(NamedTuple):
    channel: int
    can_id: int
    code: int
    valid: int
    sent: bool
    remote: bool


def _flexible(one: _Fd, flags: tuple[bool, bool, bool], data: bytes, time_us: int) -> LogFrame:
    fd, switch, error = flags
    length = _FD_LENGTHS[min(one.code, len(_FD_LENGTHS) - 1)] if fd else min(one.code, 8)
    remote = one.remote and not fd
    return LogFrame(
        time_us,
        str(one.channel - 1),
        *_identified(one.can_id),
        b"" if remote else data[: min(one.valid, length)],
        Kind.REMOTE if remote else Kind.DATA,
        length if remote else 0,
        fd,
        switch,
        error,
        direction="T" if one.sent else "R",
    )


def _error_ext(body: bytes, time_us: int, room: int) -> LogFrame:
    del room
    parts = _ERROR_EXT.unpack_from(body)
    channel, length, can_id, data = parts[0], parts[5], parts[7], parts[9]
    return LogFrame(
        time_us,
        str(channel - 1),
        can_id & MAX_EXTENDED_ID,
        bool(can_id & _EXTENDED_ID),
        data[: min(length, 8)],
        Kind.ERROR,
    )


def _error(body: bytes, time_us: int, room: int) -> LogFrame:
    del room
    (channel,) = _CHANNEL.unpack_from(body)
    return LogFrame(time_us, str(channel - 1), 0, extended=False, kind=Kind.ERROR)


def _error64(body: bytes, time_us: int, room: int) -> LogFrame:
    del room
    return LogFrame(time_us, str(body[0] - 1), 0, extended=False, kind=Kind.ERROR)


def _identified(can_id: int) -> tuple[int, bool]:
    number = can_id & MAX_EXTENDED_ID
    return number, bool(can_id & _EXTENDED_ID) or number > MAX_STANDARD_ID


_READERS: Final[dict[int, Callable[[bytes, int, int], LogFrame]]] = {
    1: _classic,
    2: _error,
    73: _error_ext,
    86: _classic,
    100: _fd,
    101: _fd64,
    104: _error64,
}
"""By the type of the object."""
