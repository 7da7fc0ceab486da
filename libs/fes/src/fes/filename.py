"""Names of gateways, adapters and replicas as names of files, whatever characters they have."""

import hashlib
from typing import Final

LONGEST_BYTES: Final = 180
"""Longest file name made, which leaves room for a prefix, a number and a suffix in 255 bytes."""

_DIGEST: Final = 16
_PLAIN: Final = frozenset(" !()+,-.=@^_~")


def file_name(name: str) -> str:
    """Return a name as one component of a path: different for any two names.

    Letters and digits of any script stay, and so do spaces and `!()+,-.=@^_~`. Other characters,
    and a dot in front, are percent-encoded: what separates paths, what a shell or a glob expands,
    what a URL cuts off. Too long a name is cut, and a digest of the whole follows `%`.

    Args:
        name: Any text.

    Returns:
        At most `LONGEST_BYTES` bytes of UTF-8; `%` for an empty name.
    """
    made = "".join(_plain(char) for char in name) or "%"
    if made.startswith("."):
        made = f"%2E{made[1:]}"
    data = made.encode()
    if len(data) <= LONGEST_BYTES:
        return made
    digest = hashlib.sha256(name.encode("utf-8", "surrogatepass")).hexdigest()[:_DIGEST]
    return data[: LONGEST_BYTES - _DIGEST - 1].decode("utf-8", "ignore") + f"%{digest}"


def _plain(char: str) -> str:
    if char in _PLAIN or (char.isalnum() and char.isprintable()):
        return char
    return "".join(f"%{byte:02X}" for byte in char.encode("utf-8", "surrogatepass"))
