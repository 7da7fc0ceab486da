"""The stamp in a NATS message's header block."""

from eventservices.errors import MalformedError
from eventservices.stamp import HEADER, Stamp, unpack

_LINE_END = b"\r\n"
_FIRST = b"NATS/1.0\r\n" + HEADER.encode() + b": "
_NAME = HEADER.encode()


def read_stamp(headers: bytes) -> Stamp | None:
    """Return the stamp in a header block.

    Args:
        headers: The block as it came, from `NATS/1.0` on; empty where the message has none.

    Returns:
        The stamp; None where the message is not stamped.

    Raises:
        MalformedError: The stamp is not well formed.
    """
    if not headers:
        return None
    if headers.startswith(_FIRST):
        packed = headers[len(_FIRST) :].split(_LINE_END, 1)[0].strip()
    else:
        found = _search(headers)
        if found is None:
            return None
        packed = found
    try:
        return unpack(packed.decode("ascii"))
    except UnicodeDecodeError as error:
        raise MalformedError("stamp is not ASCII") from error


def _search(headers: bytes) -> bytes | None:
    for line in headers.split(_LINE_END)[1:]:
        name, _, value = line.partition(b":")
        if name.strip() == _NAME:
            return value.strip()
    return None
