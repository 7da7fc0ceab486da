"""What an event carries through connected channels: how far it came, when it ends.

It is in a header beside the stamp, so that an event that goes round ends, and that its identity
stays what it was.
"""

from collections.abc import Mapping

import msgspec

HEADER = "Event-Moved"
"""Name of the NATS header: the number of connections, then `;` and the end where there is one."""

_KEY = f"\r\n{HEADER}:".encode()
_LINE_END = b"\r\n"
_LONGEST = 64


class Moved(msgspec.Struct, frozen=True):
    """How an event came to its channel.

    Attributes:
        connections: Connections between channels that it passed; 0 where it was published here.
        ends_us: When its `Timeout` is over, microseconds since 1970 UTC; None where it has none.
        persistent: Whether it was persistent where it came from; not in the header.
    """

    connections: int = 0
    ends_us: int | None = None
    persistent: bool = False


def read_moved(headers: bytes) -> Moved | None:
    """Return what a header block contains of it; None where there is nothing, or nothing of use."""
    start = headers.find(_KEY)
    if start < 0:
        return None
    start += len(_KEY)
    end = headers.find(_LINE_END, start)
    text = headers[start : end if end >= 0 else None][:_LONGEST].decode("ascii", "replace").strip()
    connections, _, ends = text.partition(";")
    if not (connections.isascii() and connections.isdigit()) or len(connections) > 9:
        return None
    known = ends.isascii() and ends.isdigit() and len(ends) < 19
    return Moved(int(connections), int(ends) if known else None)


def header_of_moved(moved: Moved | None) -> Mapping[str, str]:
    """Return the header for it; none where the event was published here."""
    if moved is None:
        return {}
    ends = "" if moved.ends_us is None else f";{moved.ends_us}"
    return {HEADER: f"{moved.connections}{ends}"}
