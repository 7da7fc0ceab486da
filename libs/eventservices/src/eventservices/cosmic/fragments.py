"""Fragments: how an event of any length crosses a bus of 8 bytes a frame.

Each fragment begins with a header of n bytes: n - 1 bits 1, a bit 0, a bit for an extension header,
a bit for the first fragment, then the fragment's number in what is left. Numbers count down to 0,
so the first states how many follow. The extension header `ATTRIBUTES_FOLLOW` indicates that the
event begins with its attributes; nodes that do not know it let the event be.

Source:
    FAMOUSO abstract fragmentation protocol, `Headers.h`, `NoFECFragmenter.h`.
"""

from collections import OrderedDict
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final, NamedTuple

from eventservices.cosmic.frame import FRAME_BYTES, Source
from eventservices.errors import MalformedError, TooLargeError

HEADER_BYTES: Final = 3
"""Longest header that is written or understood: up to 2**19 fragments."""

EXTENSION_MORE: Final = 0x40
EXTENSION_EVENT_NUMBER: Final = 0x00
EXTENSION_EVENT_NUMBER_BYTES: Final = 5
ATTRIBUTES_FOLLOW: Final = 0x1F
_EXTENSION_TYPE: Final = 0xBF

UNFINISHED: Final = 1024
"""Most events of different sources that are put together at once; the oldest is abandoned."""


class Header(NamedTuple):
    """What a fragment's header specifies.

    Attributes:
        length: Bytes of all headers.
        number: Fragments that follow.
        first: Whether the event begins here.
        with_attributes: Whether the event begins with its attributes.
    """

    length: int
    number: int
    first: bool
    with_attributes: bool


def header_length(number: int) -> int:
    """Return the bytes of the shortest basic header that has a number.

    Raises:
        TooLargeError: None does.
    """
    for length in range(1, HEADER_BYTES + 1):
        if number < _numbers(length):
            return length
    raise TooLargeError(number, _numbers(HEADER_BYTES) - 1)


def split(event: bytes, *, with_attributes: bool = False) -> Iterator[bytes]:
    """Yield the data of the frames that carry an event.

    Args:
        event: Its bytes; none make one fragment.
        with_attributes: Whether it begins with its attributes.

    Raises:
        TooLargeError: It needs more fragments than can be counted.
    """
    number = _count(len(event) + with_attributes) - 1
    position, first = 0, True
    while number >= 0:
        marked = with_attributes and first
        header = _header(number, first=first, extended=marked)
        if marked:
            header += bytes((ATTRIBUTES_FOLLOW,))
        room = FRAME_BYTES - len(header)
        yield header + event[position : position + room]
        position, first, number = position + room, False, number - 1


def read_header(data: bytes) -> Header:
    """Return what a fragment's header specifies.

    Raises:
        MalformedError: It is cut off, too long, or has an extension that is not known.
    """
    if not data:
        raise MalformedError("a fragment without a header")
    length = 1
    while length <= HEADER_BYTES and data[0] & 0x80 >> length - 1:
        length += 1
    if length > HEADER_BYTES or len(data) < length:
        raise MalformedError(f"a fragment's header is cut off or too long: {data.hex()}")
    flags = data[0] >> 6 - length
    low = data[0] & (1 << 6 - length) - 1
    number = int.from_bytes(bytes((low,)) + data[1:length], "big")
    whole, attributes = _extensions(data, length) if flags & 2 else (length, False)
    return Header(whole, number, bool(flags & 1), attributes)


def _extensions(data: bytes, at: int) -> tuple[int, bool]:
    """Return where the extension headers end, and whether one states that attributes follow."""
    attributes, more = False, True
    while more:
        if len(data) <= at:
            raise MalformedError("a fragment's extension header is cut off")
        kind, more = data[at] & _EXTENSION_TYPE, bool(data[at] & EXTENSION_MORE)
        if kind == EXTENSION_EVENT_NUMBER:
            at += EXTENSION_EVENT_NUMBER_BYTES
        elif kind == ATTRIBUTES_FOLLOW:
            attributes, at = True, at + 1
        else:
            raise MalformedError(f"unknown extension header {kind:#04x}")
    if len(data) < at:
        raise MalformedError("a fragment's extension header is cut off")
    return at, attributes


def _numbers(length: int) -> int:
    """Return how many numbers a header of a length can distinguish."""
    return 1 << 6 - length + 8 * (length - 1)


def _count(size: int) -> int:
    """Return how many fragments carry so many bytes."""
    left, count = size, 0
    for length in range(1, HEADER_BYTES + 1):
        room = FRAME_BYTES - length
        more = _numbers(length) - count
        if left <= more * room:
            return max(1, count - (-left // room))
        left -= more * room
        count += more
    raise TooLargeError(size, size - left)


def _header(number: int, *, first: bool, extended: bool) -> bytes:
    length = header_length(number)
    raw = bytearray(number.to_bytes(length, "big"))
    flags = 0xF8 | extended << 1 | first
    raw[0] |= flags << 6 - length & 0xFF
    return bytes(raw)


@dataclass(slots=True)
class _Unfinished:
    left: int
    with_attributes: bool
    parts: bytearray = field(default_factory=bytearray)


class Whole(NamedTuple):
    """An event put together.

    Attributes:
        data: Its bytes.
        with_attributes: Whether it begins with its attributes.
    """

    data: bytes
    with_attributes: bool


class Assembler:
    """Puts events together from fragments, one at a time for each source.

    Args:
        most_bytes: Largest event; a larger one is abandoned.

    Attributes:
        dropped: Events abandoned: a fragment was lost, or the next began too early.
        strays: Fragments of events whose beginning was not received.
    """

    def __init__(self, most_bytes: int) -> None:
        self.dropped = 0
        self.strays = 0
        self._most_bytes = most_bytes
        self._unfinished: OrderedDict[Source, _Unfinished] = OrderedDict()

    def take(self, source: Source, data: bytes) -> Whole | None:
        """Accept a fragment; return the event that it completes.

        Raises:
            MalformedError: It has no good header; what it belonged to is abandoned.
        """
        try:
            header = read_header(data)
        except MalformedError:
            self._give_up(source)
            raise
        if header.first:
            self._give_up(source)
            self._begin(source, header)
        event = self._unfinished.get(source)
        if event is None:
            self.strays += 1
            return None
        return self._add(source, event, header, data)

    def _begin(self, source: Source, header: Header) -> None:
        if len(self._unfinished) >= UNFINISHED:
            self._give_up(next(iter(self._unfinished)))
        self._unfinished[source] = _Unfinished(header.number, header.with_attributes)

    def _add(self, source: Source, event: _Unfinished, header: Header, data: bytes) -> Whole | None:
        event.parts += data[header.length :]
        if header.number != event.left or len(event.parts) > self._most_bytes:
            self._give_up(source)
            return None
        if event.left == 0:
            del self._unfinished[source]
            return Whole(bytes(event.parts), event.with_attributes)
        event.left -= 1
        return None

    def _give_up(self, source: Source) -> None:
        if self._unfinished.pop(source, None) is not None:
            self.dropped += 1
