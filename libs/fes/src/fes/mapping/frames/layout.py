"""Layouts: where in a payload a value is, and how it is encoded there."""

import struct
from dataclasses import dataclass
from typing import Any, Protocol

from fes.errors import MappingError
from fes.mapping.fields.quantity import Scaling, Whole, number
from fes.mapping.frames.bits import Bits
from fes.mapping.rules.model import Encoding

PADDING = b"\0 "


class Layout(Protocol):
    """A place in a payload, and the type of its content."""

    @property
    def size(self) -> int:
        """Octets that a payload must have for the value to be there in full."""

    def read(self, octets: bytes) -> Any:
        """Return the value.

        Args:
            octets: At least `size` of them.

        Raises:
            MappingError: The content is not a value of the type.
        """

    def write(self, octets: bytearray, value: Any) -> bool:
        """Put a value in its place, and return whether it was saturated.

        Args:
            octets: At least `size` of them; grows where the layout has an open end.
            value: Of the layout's type.

        Raises:
            MappingError: The value does not fit its place.
        """


@dataclass(frozen=True, slots=True)
class Number:
    """An integer in the payload, which is a number to FES.

    Attributes:
        bits: Where it is.
        scaling: Between the integer and the FES value.
        whole: How a FES value becomes the integer.
        cast: `int` for long and longlong, `float` for double.
        size: Octets that a payload must have.
    """

    bits: Bits
    scaling: Scaling
    whole: Whole
    cast: type[int] | type[float]
    size: int

    def read(self, octets: bytes) -> int | float:
        """Return the value."""
        return self.cast(self.scaling.inward(self.bits.read(octets)))

    def write(self, octets: bytearray, value: Any) -> bool:
        """Put the value in its place."""
        raw, saturated = self.whole.quantise(self.scaling.outward(number(value)))
        self.bits.write(octets, raw)
        return saturated


@dataclass(frozen=True, slots=True)
class Flag:
    """A boolean: false where every bit is 0."""

    bits: Bits
    size: int

    def read(self, octets: bytes) -> bool:
        """Return the value."""
        return self.bits.read(octets) != 0

    def write(self, octets: bytearray, value: Any) -> bool:
        """Put 0 or 1 in its place."""
        if not isinstance(value, bool):
            raise MappingError(f"expected a boolean, found {type(value).__name__}")
        self.bits.write(octets, int(value) & self.bits.high)
        return False


@dataclass(frozen=True, slots=True)
class Real:
    """An IEEE 754 number of 32 or 64 bits."""

    bits: Bits
    scaling: Scaling

    @property
    def size(self) -> int:
        """Octets that a payload must have."""
        return self.bits.size

    def read(self, octets: bytes) -> float:
        """Return the value."""
        mask = (1 << self.bits.length) - 1  # databases call these bits signed
        raw = (self.bits.read(octets) & mask).to_bytes(self.bits.length // 8, "big")
        value: float = struct.unpack(self._form(), raw)[0]
        return float(self.scaling.inward(value))

    def write(self, octets: bytearray, value: Any) -> bool:
        """Put the value in its place, rounded to its precision."""
        try:
            raw = struct.pack(self._form(), self.scaling.outward(number(value)))
        except (OverflowError, struct.error) as error:
            raise MappingError(f"{value!r} exceeds {self.bits.length} bit") from error
        self.bits.write(octets, int.from_bytes(raw, "big"))
        return False

    def _form(self) -> str:
        return {16: ">e", 32: ">f", 64: ">d"}[self.bits.length]


@dataclass(frozen=True, slots=True)
class Text:
    """Text, padded with NUL or spaces; padding at its end is not part of it.

    Attributes:
        first: First octet.
        last: Last octet; None where it is the rest of the payload, without padding.
        encoding: Of the text.
        pad: One octet.
    """

    first: int
    last: int | None
    encoding: Encoding
    pad: bytes

    @property
    def size(self) -> int:
        """Octets that a payload must have."""
        return self.first if self.last is None else self.last + 1

    def read(self, octets: bytes) -> str:
        """Return the text."""
        end = len(octets) if self.last is None else self.last + 1
        try:
            return octets[self.first : end].rstrip(PADDING).decode(self.encoding)
        except UnicodeDecodeError as error:
            raise MappingError(f"{octets[self.first : end]!r} is not {self.encoding}") from error

    def write(self, octets: bytearray, value: Any) -> bool:
        """Put the text in its place, padded; never cut."""
        if not isinstance(value, str):
            raise MappingError(f"expected a string, found {type(value).__name__}")
        try:
            raw = value.encode(self.encoding)
        except UnicodeEncodeError as error:
            raise MappingError(f"{value!r} is not {self.encoding}") from error
        if self.last is None:
            octets[self.first :] = raw
            return False
        room = self.last + 1 - self.first
        if len(raw) > room:
            raise MappingError(f"text of {len(raw)} octets exceeds {room}")
        octets[self.first : self.last + 1] = raw.ljust(room, self.pad)
        return False


@dataclass(frozen=True, slots=True)
class Octets:
    """Octets, unchanged.

    Attributes:
        first: First octet.
        last: Last octet; None where they are the rest of the payload.
    """

    first: int
    last: int | None

    @property
    def size(self) -> int:
        """Octets that a payload must have."""
        return self.first if self.last is None else self.last + 1

    def read(self, octets: bytes) -> bytes:
        """Return the octets."""
        return octets[self.first :] if self.last is None else octets[self.first : self.last + 1]

    def write(self, octets: bytearray, value: Any) -> bool:
        """Put octets in their place; where it has an end, exactly as many as fit."""
        if not isinstance(value, bytes):
            raise MappingError(f"expected octets, found {type(value).__name__}")
        if self.last is None:
            octets[self.first :] = value
            return False
        room = self.last + 1 - self.first
        if len(value) != room:
            raise MappingError(f"{len(value)} octets where the layout has room for {room}")
        octets[self.first : self.last + 1] = value
        return False
