"""The stamp in a NATS message's header block."""

from eventservices.errors import MalformedError
from eventservices.stamp import HEADER, Stamp, pack, unpack

_LINE_END = b"\r\n"
_KEY = f"\r\n{HEADER}:".encode()


def stamped(headers: bytes) -> bool:
    """Return whether a header block has a stamp, well formed or not."""
    return _KEY in headers


def read_stamp(headers: bytes) -> Stamp | None:
    """Return the stamp in a header block.

    Args:
        headers: The block as it came, from `NATS/1.0` on; empty where the message has none.

    Returns:
        The stamp; None where the message is not stamped.

    Raises:
        MalformedError: The stamp is not well formed.
    """
    start = headers.find(_KEY)
    if start < 0:
        return None
    start += len(_KEY)
    end = headers.find(_LINE_END, start)
    try:
        text = headers[start : end if end >= 0 else None].decode("ascii")
    except UnicodeDecodeError as error:
        raise MalformedError("stamp is not ASCII") from error
    return unpack(text.strip())


def header_of(stamp: Stamp) -> dict[str, str]:
    """Return the headers that carry a stamp."""
    return {HEADER: pack(stamp)}
