"""Numbers in a payload that encode texts."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from fes.errors import MappingError
from fes.mapping.frames.bits import Bits


@dataclass(frozen=True, slots=True)
class Choice:
    """A number for which a text is read; one without a text is read as its decimal form.

    Attributes:
        bits: Where the number is.
        texts: Number to text.
        numbers: Text to number.
    """

    bits: Bits
    texts: Mapping[int, str]
    numbers: Mapping[str, int]

    @property
    def size(self) -> int:
        """Octets that a payload must have."""
        return self.bits.size

    def read(self, octets: bytes) -> str:
        """Return the text."""
        raw = self.bits.read(octets)
        return self.texts.get(raw, str(raw))

    def write(self, octets: bytearray, value: Any) -> bool:
        """Put the number of a text in its place."""
        raw = self.numbers.get(value)
        if raw is None:
            raw = self._decimal(value)
        self.bits.write(octets, raw)
        return False

    def _decimal(self, value: Any) -> int:
        try:
            raw = int(str(value)[:24])
        except ValueError as error:
            raise MappingError(f"{str(value)[:40]!r} is not a named value of the signal") from error
        if not self.bits.low <= raw <= self.bits.high or str(raw) != value:
            raise MappingError(f"{str(value)[:40]!r} is not a named value of the signal")
        return raw
