"""Keys that are made of several texts: no two lists of texts have the same key.

Every part ends with U+001F, and what could be mistaken for such an end is percent-encoded. So
whatever a client writes into a name stays within its part.
"""

import re
from typing import Final
from urllib.parse import unquote

from fes.errors import KeyFormatError

END: Final = "\x1f"
"""Ends the kind of a key, and each of its parts."""

_TO_ESCAPE = re.compile(r"[\x00-\x1f\x7f%\ud800-\udfff]")


def key_of(kind: str, *parts: str) -> str:
    """Return the key that consists of a kind and some texts.

    Args:
        kind: What the key identifies; without control characters.
        parts: Any texts, also ones that a client wrote.
    """
    return f"{kind}{END}" + "".join([f"{escaped(part)}{END}" for part in parts])


def parts_of(key: str) -> tuple[str, ...]:
    """Return the kind of a key, then its parts.

    Raises:
        KeyFormatError: `key_of` does not make such a key.
    """
    found = tuple(unquote(part, errors="surrogatepass") for part in key.split(END)[:-1])
    if not found or key_of(*found) != key:
        raise KeyFormatError(f"{key[:100]!r} is not a key of this format")
    return found


def escaped(text: str) -> str:
    """Return a text without control characters and lone surrogates; equal only for equal texts."""
    return _TO_ESCAPE.sub(_percent, text)


def _percent(found: re.Match[str]) -> str:
    return "".join(f"%{byte:02X}" for byte in found[0].encode("utf-8", "surrogatepass"))
