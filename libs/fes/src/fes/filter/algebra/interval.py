"""Intervals of numbers or strings, narrowed by comparisons."""

from dataclasses import dataclass
from typing import Any

from fes.filter.language.tree import Relation
from fes.filter.values import compare

_FIRST_SURROGATE, _AFTER_SURROGATES, _LAST = 0xD800, 0xE000, 0x10FFFF


@dataclass(frozen=True, slots=True)
class Interval:
    """The values between two ends, each of them open, closed or missing.

    Attributes:
        low, high: The ends; None where there is none.
        low_closed, high_closed: Whether the end itself is inside.
    """

    low: Any = None
    low_closed: bool = False
    high: Any = None
    high_closed: bool = False

    @property
    def empty(self) -> bool:
        """Whether no value is inside; False in doubt."""
        if self.low is None or self.high is None:
            return False
        relation: Relation = "<=" if self.low_closed and self.high_closed else "<"
        return compare(self.low, relation, self.high) is False

    @property
    def single(self) -> Any:
        """The only value inside; None where there are several."""
        closed = self.low_closed and self.high_closed
        return self.low if closed and compare(self.low, "=", self.high) else None

    def holds(self, value: Any) -> bool:
        """Return whether a value is inside."""
        if self.low is not None and not compare(value, ">=" if self.low_closed else ">", self.low):
            return False
        return self.high is None or bool(
            compare(value, "<=" if self.high_closed else "<", self.high)
        )

    def narrowed(self, relation: Relation, value: Any) -> "Interval":
        """Return the part in which a comparison with `value` is true."""
        if relation in (">", ">="):
            return self._from(value, closed=relation == ">=")
        if relation in ("<", "<="):
            return self._until(value, closed=relation == "<=")
        return self

    def starting_with(self, prefix: str) -> "Interval":
        """Return the part in which strings start with `prefix`."""
        if not prefix:
            return self
        part, last = self.narrowed(">=", prefix), ord(prefix[-1]) + 1
        if last == _FIRST_SURROGATE:
            last = _AFTER_SURROGATES
        return part if last > _LAST else part.narrowed("<", prefix[:-1] + chr(last))

    def hull(self, other: "Interval") -> "Interval":
        """Return the smallest interval around both; an end that one of them lacks is missing."""
        low = _outer((self.low, self.low_closed), (other.low, other.low_closed), "<")
        high = _outer((self.high, self.high_closed), (other.high, other.high_closed), ">")
        return Interval(*low, *high)

    def _from(self, value: Any, *, closed: bool) -> "Interval":
        inside = self.low is None or compare(value, ">" if closed else ">=", self.low)
        return Interval(value, closed, self.high, self.high_closed) if inside else self

    def _until(self, value: Any, *, closed: bool) -> "Interval":
        inside = self.high is None or compare(value, "<" if closed else "<=", self.high)
        return Interval(self.low, self.low_closed, value, closed) if inside else self


def _outer(one: tuple[Any, bool], other: tuple[Any, bool], outward: Relation) -> tuple[Any, bool]:
    """Return the outer of two ends, each a value and whether it is closed."""
    if one[0] is None or other[0] is None:
        return None, False
    if compare(one[0], "=", other[0]):
        return one[0], one[1] or other[1]
    return one if compare(one[0], outward, other[0]) else other
