"""Inverts comparisons through a conversion of numbers; the result never accepts less."""

import math
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction

from fes.errors import MappingError
from fes.mapping.fields.convert import Conversion
from fes.model import Type
from fes.model.types import is_number

EXACT = 2.0**53
STEPS_MAX = 200


@dataclass(frozen=True, slots=True)
class Inverse:
    """The inverse of a monotonic conversion.

    Every native number n is converted in one of two methods: in doubles, which round, or exactly,
    where n, scale and offset are integers. A bound applies to both.

    Attributes:
        conversion: Between numbers.
        rising: Whether a larger native value is not a smaller FES value.
    """

    conversion: Conversion
    rising: bool

    def relation(self, op: str, value: float) -> tuple[str, float] | None:
        """Return the comparison of native values that follows from one of FES values.

        Args:
            op: One of `= <> < <= > >=`.
            value: The value with which the FES value is compared.

        Returns:
            Operator and native value: true for the same values or more. None where there is no such
            bound.
        """
        try:
            guess = self._guess(value)
            if op == "=":
                return (op, guess) if self._is_alone(guess, value) else None
            if op == "<>":
                return (op, guess) if self._ends(guess) == {Fraction(value)} else None
            return self._bound(op, value, guess)
        except (MappingError, OverflowError, ValueError):
            return None

    def _guess(self, value: float) -> float:
        scaling = self.conversion.scaling
        guess = (value - scaling.offset) / scaling.scale
        if not math.isfinite(guess):
            raise MappingError("out of range")
        return float(guess)

    def _bound(self, op: str, value: float, guess: float) -> tuple[str, float] | None:
        from_below = op[0] == ">"
        outward = -math.inf if from_below is self.rising else math.inf
        sign = ">" if from_below is self.rising else "<"
        beyond = self._beyond(op, Fraction(value))
        if op in (">=", "<=") and abs(guess) < EXACT and beyond(math.nextafter(guess, outward)):
            return f"{sign}=", guess
        step = math.ulp(guess)
        for _ in range(STEPS_MAX):
            if beyond(guess):
                return sign, guess
            guess += math.copysign(step, outward)
            step *= 2
        return None

    def _beyond(self, op: str, value: Fraction) -> Callable[[float], bool]:
        """Return a test whether a native value and all further out fail the comparison."""
        tests: dict[str, Callable[[float], bool]] = {
            ">": lambda native: max(self._ends(native)) <= value,
            ">=": lambda native: max(self._ends(native)) < value,
            "<": lambda native: min(self._ends(native)) >= value,
            "<=": lambda native: min(self._ends(native)) > value,
        }
        return tests[op]

    def _is_alone(self, guess: float, value: float) -> bool:
        wanted = Fraction(value)
        below, above = math.nextafter(guess, -math.inf), math.nextafter(guess, math.inf)
        if not self.rising:
            below, above = above, below
        return abs(guess) < EXACT and max(self._ends(below)) < wanted < min(self._ends(above))

    def _ends(self, native: float) -> set[Fraction]:
        """Return the FES values of a native value, in doubles and exactly."""
        scaling = self.conversion.scaling
        exact = Fraction(native) * Fraction(scaling.scale) + Fraction(scaling.offset)
        return {exact, Fraction(self.conversion.inward(Type.DOUBLE, native)[1])}


def inverse_of(conversion: Conversion) -> Inverse | None:
    """Return the inverse of a conversion; None where it is not one between numbers."""
    scaling = conversion.scaling
    small = abs(scaling.scale) < EXACT and abs(scaling.offset) < EXACT
    plain = conversion.kind is None or is_number(conversion.kind)
    if not (conversion.is_numeric and plain and small):
        return None
    return Inverse(conversion, scaling.scale > 0)
