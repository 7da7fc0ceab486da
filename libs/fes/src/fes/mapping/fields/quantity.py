"""Conversion of numbers between a native scale and the FES scale."""

import math
from dataclasses import dataclass

from fes.errors import MappingError
from fes.mapping.rules.model import Overflow, Rounding
from fes.model import Type
from fes.model.types import INT32_MAX, INT32_MIN, INT64_MAX, INT64_MIN

WHOLE_DOUBLES = 2.0**52
"""From here on every double is a whole number."""

INTEGER_RANGES = {Type.LONG: (INT32_MIN, INT32_MAX), Type.LONGLONG: (INT64_MIN, INT64_MAX)}


@dataclass(frozen=True, slots=True)
class Scaling:
    """A linear scale: FES value = native value * scale + offset.

    Attributes:
        scale: Not 0.
        offset: In units of the FES value.
    """

    scale: int | float = 1
    offset: int | float = 0

    @property
    def is_identity(self) -> bool:
        """Whether values stay unchanged."""
        return self.scale == 1 and self.offset == 0

    @property
    def is_whole(self) -> bool:
        """Whether whole numbers stay whole inbound."""
        return isinstance(self.scale, int) and isinstance(self.offset, int)

    def then(self, other: "Scaling") -> "Scaling":
        """Return the scaling that applies this one, then `other`, inbound."""
        if other.is_identity:
            return self
        return Scaling(self.scale * other.scale, self.offset * other.scale + other.offset)

    def inward(self, value: float) -> int | float:
        """Return the FES value; an integer where value, scale and offset are."""
        return value if self.is_identity else value * self.scale + self.offset

    def outward(self, value: float) -> int | float:
        """Return the native value; an integer where it is one exactly and all others are."""
        if self.is_identity:
            return value
        if isinstance(value, int) and self.is_whole:
            quotient, rest = divmod(value - self.offset, self.scale)
            if not rest:
                return quotient
        return (value - self.offset) / self.scale


@dataclass(frozen=True, slots=True)
class Whole:
    """How numbers become integers within a range.

    Attributes:
        low, high: The range, both included.
        rounding: `half_up` is floor(x + 0.5), `down` is floor(x), `exact` refuses a fraction.
        overflow: Whether a number out of range is moved to its end, or refused.
    """

    low: int
    high: int
    rounding: Rounding = "half_up"
    overflow: Overflow = "saturate"

    def quantise(self, value: float) -> tuple[int, bool]:
        """Return the whole number for `value`, and whether it was saturated.

        Raises:
            MappingError: `value` is not a number, or `rounding` or `overflow` refuse it.
        """
        if isinstance(value, float) and not math.isfinite(value):
            return self._without_end(value)
        whole = value if isinstance(value, int) else self._round(value)
        if self.low <= whole <= self.high:
            return whole, False
        if self.overflow == "refuse":
            raise MappingError(f"{value!r} is not within {self.low}..{self.high}")
        return (self.low if whole < self.low else self.high), True

    def _without_end(self, value: float) -> tuple[int, bool]:
        if math.isnan(value) or self.overflow == "refuse":
            raise MappingError(f"{value!r} is not within {self.low}..{self.high}")
        return (self.high if value > 0 else self.low), True

    def _round(self, value: float) -> int:
        if abs(value) >= WHOLE_DOUBLES:
            return int(value)
        if self.rounding == "half_up":
            return math.floor(value + 0.5)
        whole = math.floor(value)
        if self.rounding == "exact" and whole != value:
            raise MappingError(f"{value!r} is not a whole number on the native side")
        return whole


def number(value: object) -> int | float:
    """Return a value that is a number.

    Raises:
        MappingError: It is something else, or a boolean.
    """
    if isinstance(value, int | float) and not isinstance(value, bool):
        return value
    raise MappingError(f"expected a number, found {type(value).__name__}")
