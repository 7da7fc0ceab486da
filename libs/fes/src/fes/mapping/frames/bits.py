"""Runs of bits in a payload."""

from dataclasses import dataclass

from fes.mapping.rules.model import Endian


@dataclass(frozen=True, slots=True)
class Bits:
    """A run of bits that is read as an integer.

    Attributes:
        first, last: The octets that it touches.
        shift: Bits below it, once these octets are read as one integer.
        length: Bits.
        endian: Order of these octets.
        signed: Whether it is in two's complement.
    """

    first: int
    last: int
    shift: int
    length: int
    endian: Endian
    signed: bool = False

    @property
    def size(self) -> int:
        """Octets that a payload must have for all bits to be there."""
        return self.last + 1

    @property
    def low(self) -> int:
        """Smallest integer that fits."""
        return -(1 << (self.length - 1)) if self.signed else 0

    @property
    def high(self) -> int:
        """Largest integer that fits."""
        return (1 << (self.length - self.signed)) - 1

    def read(self, octets: bytes | bytearray) -> int:
        """Return the integer."""
        raw = int.from_bytes(octets[self.first : self.last + 1], self.endian) >> self.shift
        raw &= (1 << self.length) - 1
        if self.signed and raw >> (self.length - 1):
            raw -= 1 << self.length
        return raw

    def write(self, octets: bytearray, raw: int) -> None:
        """Put an integer from `low` to `high` in its place; bits around it stay."""
        mask = (1 << self.length) - 1
        here = slice(self.first, self.last + 1)
        around = int.from_bytes(octets[here], self.endian) & ~(mask << self.shift)
        whole = around | (raw & mask) << self.shift
        octets[here] = whole.to_bytes(self.last + 1 - self.first, self.endian)


def byte_bits(first: int, last: int, endian: Endian, *, signed: bool) -> Bits:
    """Return the bits of whole octets, both ends included."""
    return Bits(first, last, 0, 8 * (last + 1 - first), endian, signed)


def bit_bits(start: int, length: int, endian: Endian, *, signed: bool) -> Bits:
    """Return a run of bits numbered as in DBC files.

    Args:
        start: Bit `n % 8` (0 the least significant) of octet `n // 8`; the run's least significant
            bit where little endian, its most significant one where big endian.
        length: Bits.
        endian: In which direction the run grows.
        signed: Whether it is in two's complement.
    """
    if endian == "little":
        last = (start + length - 1) // 8
        return Bits(start // 8, last, start % 8, length, endian, signed)
    begin = 8 * (start // 8) + 7 - start % 8
    last = (begin + length - 1) // 8
    return Bits(begin // 8, last, 8 * (last + 1) - begin - length, length, endian, signed)
