"""Subjects: 64-bit numbers that name event channels.

A name of up to 8 bytes is its own number, filled with NUL, as FAMOUSO writes subjects. A longer
one is a digest that begins with 0xFF, which no text in UTF-8 does, so that the two never meet.
"""

from functools import lru_cache
from hashlib import blake2b
from typing import Final

from eventservices.errors import MalformedError
from eventservices.text import check_text

SUBJECT_BYTES: Final = 8
MAX_NAME: Final = 512
"""Longest name of a subject, in characters."""

_DIGEST: Final = b"\xff"


@lru_cache(4096)
def subject_uid(name: str) -> bytes:
    """Return the 8 bytes that represent a subject on the bus.

    Args:
        name: Not empty; any Unicode text.

    Raises:
        MalformedError: It is empty, too long or no Unicode text.
    """
    raw = check_text(name, "subject", MAX_NAME).encode()
    if len(raw) <= SUBJECT_BYTES and b"\0" not in raw:
        return raw.ljust(SUBJECT_BYTES, b"\0")
    return _DIGEST + blake2b(raw, digest_size=SUBJECT_BYTES - 1).digest()


def show_uid(uid: bytes) -> str:
    """Return a subject's number for people: its name where it is one, else hexadecimal."""
    text = uid.rstrip(b"\0").decode("utf-8", "backslashreplace")
    return text if text.isprintable() and uid[:1] != _DIGEST else uid.hex()


def check_uid(uid: bytes) -> bytes:
    """Return `uid` if it has 8 bytes, not all of them 0.

    Raises:
        MalformedError: It has not.
    """
    if len(uid) != SUBJECT_BYTES or not any(uid):
        raise MalformedError(f"a subject or node has 8 bytes, not all 0: {uid.hex()!r}")
    return uid
