"""Logs that python-can reads: Vector's BLF and PEAK's TRC."""

import io
import struct
import zlib
from collections.abc import Iterator
from typing import BinaryIO

import can
from can.io.blf import BLFParseError

from eventservices.canlog.frame import Kind, LogFrame
from eventservices.errors import MalformedError

_BROKEN = (ValueError, LookupError, TypeError, struct.error, zlib.error, BLFParseError)


def read_binary(stream: BinaryIO, kind: str) -> Iterator[LogFrame]:
    """Yield the frames of a log, in the log's order.

    Args:
        stream: Its bytes.
        kind: `blf` or `trc`.

    Raises:
        MalformedError: The log is broken.
    """
    try:
        for message in _reader(stream, kind):
            yield _frame(message)
    # python-can's readers raise the second for kinds of records that they do not know.
    except (*_BROKEN, NotImplementedError) as error:
        raise MalformedError(f"is not a {kind.upper()} log: {error}") from error


def _reader(stream: BinaryIO, kind: str) -> Iterator[can.Message]:
    if kind == "blf":
        return iter(can.BLFReader(stream))
    return iter(can.TRCReader(io.TextIOWrapper(stream, "utf-8", "backslashreplace")))


def _frame(message: can.Message) -> LogFrame:
    remote = message.is_remote_frame
    kind = Kind.ERROR if message.is_error_frame else Kind.REMOTE if remote else Kind.DATA
    return LogFrame(
        time_us=round(message.timestamp * 1e6),
        channel=str(message.channel if message.channel is not None else ""),
        can_id=message.arbitration_id,
        extended=message.is_extended_id,
        data=bytes(message.data[: message.dlc]),
        kind=kind,
        remote_length=message.dlc if remote else 0,
        fd=message.is_fd,
        bit_rate_switch=message.bitrate_switch,
        error_state=message.error_state_indicator,
        direction="R" if message.is_rx else "T",
    )
