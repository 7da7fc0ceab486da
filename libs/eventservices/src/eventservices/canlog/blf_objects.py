"""The objects of a BLF log, found in bytes that may be broken.

Every object begins with `LOBJ` and reports its size. A size is believed only as far as it leads on:
one below its header's, or beyond any, is broken, and the next `LOBJ` is sought, so that each step
advances.
"""

import struct
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Final

SIGNATURE: Final = b"LOBJ"
CONTAINER: Final = 10
"""Type of an object that contains others."""
_BASE: Final = struct.Struct("<4sHHLL")
MAX_OBJECT_BYTES: Final = 32 * 1024 * 1024
"""Largest object that is read; containers have 128 KiB as a rule."""
PADDING: Final = 8
"""Most bytes between two objects that are no fault."""


@dataclass(frozen=True, slots=True)
class BlfObject:
    """One object.

    Attributes:
        number: From 1, broken ones counted too.
        kind: Its type; -1 where that is not known.
        header_bytes: Size of its header.
        version: Of its header.
        body: What follows the first 16 bytes; of a container that is cut off, what is there.
        broken: Why it cannot be read; empty where it can.
    """

    number: int
    kind: int
    header_bytes: int = 0
    version: int = 0
    body: bytes = b""
    broken: str = ""


class Splitter:
    """Splits bytes, which arrive in pieces of any size, into objects."""

    def __init__(self) -> None:
        self._data = bytearray()
        self._at = 0
        self._number = 0

    def feed(self, data: bytes) -> Iterator[BlfObject]:
        """Add bytes, and yield the objects that are whole now."""
        del self._data[: self._at]
        self._at = 0
        self._data += data
        yield from self._objects(ended=False)

    def end(self) -> Iterator[BlfObject]:
        """Yield what is left, now that nothing follows."""
        yield from self._objects(ended=True)

    def _objects(self, *, ended: bool) -> Iterator[BlfObject]:
        while (found := self._next(ended=ended)) is not None:
            yield found

    def _next(self, *, ended: bool) -> BlfObject | None:
        data = self._data
        found = data.find(SIGNATURE, self._at)
        if found < 0:
            return self._rest(ended=ended)
        if found - self._at > PADDING:
            return self._jump(found, "bytes that are no object")
        if len(data) - found < _BASE.size:
            return self._cut(found) if ended else None
        _, header_bytes, version, size, kind = _BASE.unpack_from(data, found)
        if not _BASE.size <= header_bytes <= size or size > MAX_OBJECT_BYTES:
            return self._jump(found + len(SIGNATURE), f"an object of {size} bytes")
        if found + size > len(data):
            return self._cut(found) if ended else None
        body = bytes(data[found + _BASE.size : found + size])
        self._at = found + size
        self._number += 1
        return BlfObject(self._number, kind, header_bytes, version, body)

    def _rest(self, *, ended: bool) -> BlfObject | None:
        """Pass over what has no object, but for the beginning of one at its end."""
        rest = len(self._data) - self._at
        if ended:
            torn = bytes(self._data[self._at :]).strip(b"\0")
            self._at = len(self._data)
            return self._broken("cut off") if torn else None
        if rest > MAX_OBJECT_BYTES:
            return self._jump(len(self._data) - len(SIGNATURE), "bytes that are no object")
        return None

    def _cut(self, found: int) -> BlfObject:
        """Return an object whose end is not there: of a container as much as there is."""
        following = self._data.find(SIGNATURE, found + len(SIGNATURE))
        whole = len(self._data) - found >= _BASE.size
        if whole and _BASE.unpack_from(self._data, found)[4] == CONTAINER:
            while following >= 0 and not self._is_container(following):
                following = self._data.find(SIGNATURE, following + len(SIGNATURE))
        self._at = following if following >= 0 else len(self._data)
        broken = self._broken("cut off")
        if not whole:
            return broken
        _, header_bytes, version, _, kind = _BASE.unpack_from(self._data, found)
        body = bytes(self._data[found + _BASE.size : self._at])
        return replace(broken, kind=kind, header_bytes=header_bytes, version=version, body=body)

    def _is_container(self, at: int) -> bool:
        if len(self._data) - at < _BASE.size:
            return False
        _, header_bytes, _, size, kind = _BASE.unpack_from(self._data, at)
        return bool(kind == CONTAINER and header_bytes == _BASE.size <= size)

    def _jump(self, to: int, reason: str) -> BlfObject:
        following = self._data.find(SIGNATURE, to)
        self._at = following if following >= 0 else max(to, self._at)
        return self._broken(reason)

    def _broken(self, reason: str) -> BlfObject:
        self._number += 1
        return BlfObject(self._number, -1, broken=f"object {self._number}: {reason}")
