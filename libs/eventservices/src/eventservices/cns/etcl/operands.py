"""What constraints do with values: compare, calculate, look for.

Source:
    The rules of promotion as omniNotify, JacORB and cosNotification's tests agree on them.
"""

import math
import operator
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from eventservices.cns.etcl.access import elements
from eventservices.cns.etcl.errors import EvaluationError
from eventservices.cns.etcl.idl import Char, Label, as_simple, kind_of
from eventservices.cns.etcl.records import unwrap
from eventservices.cns.etcl.tree import EQUALITIES, Bare, Relation, Sign
from eventservices.cns.etcl.words import INT_MAX, INT_MIN

Compare = Callable[[Any, Any], Any]


class Letter(str):
    """A string literal of one character, which is a character too."""

    __slots__ = ()


@dataclass(frozen=True, slots=True)
class Comparer:
    """Compares two operands.

    Attributes:
        holds: Python's own comparison.
        equality: Whether it tests equality, or its opposite, and not order.
    """

    holds: Compare
    equality: bool

    def __call__(self, left: Any, right: Any) -> bool:
        """Return the outcome.

        Raises:
            EvaluationError: The two cannot be compared so.
        """
        kinds = left.__class__, right.__class__
        if not (kinds[0] in _NUMBERS and kinds[1] in _NUMBERS) and not (
            kinds[0] in _TEXTS and kinds[1] in _TEXTS
        ):
            left, right = self._comparable(left, right)
        outcome: bool = self.holds(left, right)
        return outcome

    def _comparable(self, left: Any, right: Any) -> tuple[Any, Any]:
        if _are_characters(left, right):
            return str_of(left), str_of(right)
        if _is_character(left) and right.__class__ in _PLAIN_NUMBERS:
            return ord(str_of(left)), right
        if _is_character(right) and left.__class__ in _PLAIN_NUMBERS:
            return left, ord(str_of(right))
        if self.equality and _are_labels(left, right):
            return left.name, right.name
        raise EvaluationError(f"cannot compare {_called(left)} with {_called(right)}")


_PYTHON: dict[Relation, Compare] = {
    "==": operator.eq,
    "!=": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}
COMPARERS: dict[Relation, Comparer] = {
    relation: Comparer(holds, relation in EQUALITIES) for relation, holds in _PYTHON.items()
}
"""One for each relation."""

_NUMBERS = frozenset((bool, int, float))
_PLAIN_NUMBERS = frozenset((int, float))
_TEXTS = frozenset((str, Letter))
_OPERANDS = _NUMBERS | _TEXTS


def operand(value: Any) -> Any:
    """Return a part of an event as the operators accept it.

    Returns:
        A boolean, int, float or str of exactly that type, a `Label`, a `Char`; anything else as
        it is, which no operator accepts.
    """
    if value.__class__ in _OPERANDS:
        return value
    value = unwrap(value)
    simple = as_simple(value)
    if simple is not None:
        return simple
    for kind in (bool, int, float, str):
        if isinstance(value, kind):
            return kind(value)
    return value


def calculate(left: Any, sign: Sign, right: Any) -> float:
    """Return the result of one operation; that of two integers is an integer, cut towards zero.

    Raises:
        EvaluationError: An operand is not a number, the divisor is zero, or the result does not
            fit.
    """
    if _is_character(left) + _is_character(right) == 1 and bool in (type(left), type(right)):
        raise EvaluationError("cannot calculate with a boolean and a character")
    result: float = _PYTHON_SIGNS[sign](first := number(left), second := number(right))
    if isinstance(result, int):
        fits = INT_MIN <= result <= INT_MAX
    else:
        fits = math.isfinite(result) or not (math.isfinite(first) and math.isfinite(second))
    if not fits:
        raise EvaluationError("overflow")
    return result


def number(value: Any) -> float:
    """Return the number that an operand is; a boolean is 1 or 0, a character its code.

    Raises:
        EvaluationError: It is none, or an integer of more than 64 bits.
    """
    if _is_character(value):
        return ord(str_of(value))
    if isinstance(value, float):
        return value
    if not isinstance(value, int):
        raise EvaluationError(f"{_called(value)} is not a number")
    if not INT_MIN <= value <= INT_MAX:
        raise EvaluationError("an integer has more than 64 bits")
    return int(value)


def is_substring(left: Any, right: Any) -> bool:
    """Return whether one string lies within another.

    Raises:
        EvaluationError: One of them is not a string.
    """
    if left.__class__ not in _TEXTS or right.__class__ not in _TEXTS:
        raise EvaluationError(f"cannot look for {_called(left)} in {_called(right)}")
    return left in right


def is_element(left: Any, sequence: Any) -> bool:
    """Return whether a value is an element of a sequence.

    Raises:
        EvaluationError: There is no sequence, or a value in it cannot be compared.
    """
    equal = COMPARERS["=="]
    return any(equal(left, operand(item)) for item in elements(unwrap(sequence)))


def truth(value: Any) -> bool:
    """Return the truth value that an operand is.

    Raises:
        EvaluationError: It is not a boolean.
    """
    if value.__class__ is not bool:
        raise EvaluationError(f"{_called(value)} is not a boolean")
    return bool(value)


def str_of(character: Char | str) -> str:
    """Return the text of a character."""
    return character.text if isinstance(character, Char) else str(character)


def _is_character(value: Any) -> bool:
    return value.__class__ is Letter or value.__class__ is Char


def _are_characters(left: Any, right: Any) -> bool:
    return _is_character(left) and _is_character(right)


def _are_labels(left: Any, right: Any) -> bool:
    if isinstance(left, Label) and isinstance(right, Label):
        known = left.type_id and right.type_id
        return not known or left.type_id == right.type_id
    pair = isinstance(left, Label | Bare) and isinstance(right, Label | Bare)
    return pair and not (isinstance(left, Bare) and isinstance(right, Bare))


def _called(value: Any) -> str:
    if isinstance(value, Bare):
        return "an identifier"
    if isinstance(value, Label):
        return "an enumeration"
    return "a character" if isinstance(value, Char) else kind_of(value)


def _quotient(first: float, second: float) -> float:
    if second == 0:
        raise EvaluationError("division by zero")
    if isinstance(first, int) and isinstance(second, int):
        quotient = abs(first) // abs(second)
        return quotient if (first < 0) == (second < 0) else -quotient
    return first / second


_PYTHON_SIGNS: dict[Sign, Callable[[Any, Any], Any]] = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "/": _quotient,
}
