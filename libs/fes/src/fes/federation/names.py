"""Names of event services, gateways, brokers and media, and why one is not valid."""

from collections.abc import Iterable
from difflib import get_close_matches
from typing import Annotated, Final

import msgspec

MAX_LENGTH: Final = 128

Name = Annotated[
    str,
    msgspec.Meta(
        min_length=1,
        max_length=MAX_LENGTH,
        pattern=r"^(?!\.{1,2}$)[^\s,*?\x00-\x1f\x7f](?:[^,*?\x00-\x1f\x7f]*[^\s,*?\x00-\x1f\x7f])?$",
        description="No comma, `*`, `?` or control character, no space around it; not `.` or `..`.",
    ),
]
"""An identifier that can be in a distribution list."""


def fault_of(name: str) -> str | None:
    """Return why `name` cannot be in a distribution list; None where it can.

    Source:
        Design, section 4: a comma separates, `*` and `?` are wildcards, spaces around a name are
        ignored.
    """
    if not name:
        return "a name must not be empty"
    if len(name) > MAX_LENGTH:
        return f"a name has {len(name)} characters, more than {MAX_LENGTH}"
    if name in (".", ".."):
        return f"name {name!r} means a folder when it is part of an address or a file's name"
    if name != name.strip():
        return f"name {name!r} has a space before or after it"
    bad = next((char for char in name if char in ",*?" or ord(char) < 32 or ord(char) == 127), None)
    if bad is not None:
        return f"name {name!r} contains {bad!r}, which means something in a distribution list"
    return None


def hint(word: str, known: Iterable[str]) -> str:
    """Return `; did you mean …?` where `known` contains a word similar to `word`, else nothing."""
    close = get_close_matches(word, list(known), n=1, cutoff=0.6)
    return f"; did you mean {close[0]!r}?" if close else ""
