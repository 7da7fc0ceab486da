"""Builds the syntax tree from what the grammar recognised.

The grammar has one rule for values and conditions; they are distinguished here.
"""

import math
from collections.abc import Callable
from typing import Final, cast

from lark import Token, Tree

from fes.errors import FilterError
from fes.filter.language.explain import quoted
from fes.filter.language.scan import place_at
from fes.filter.language.tree import (
    Affix,
    Affixed,
    Among,
    Arithmetic,
    Attribute,
    Comparison,
    Condition,
    Constant,
    Exists,
    IsTrue,
    Like,
    Negative,
    Not,
    Operand,
    Parameter,
    Reference,
    Relation,
    Sign,
    Subject,
    Truth,
    Within,
    all_of,
    any_of,
)
from fes.filter.values import ORDERINGS
from fes.model.types import INT64_MAX, INT64_MIN

Node = Tree[Token] | Token

_NAMES: Final = frozenset(("SUBJECT", "NAME", "QUOTED", "ATTRIBUTE"))
_VALUES: Final = frozenset(("arithmetic", "negative", "positive"))


class Builder:
    """Builds the syntax tree of one filter.

    Args:
        text: The filter, for the places in errors.
        selector: Whether `subject` is a parameter like any other, and strings are not ordered.
    """

    def __init__(self, text: str, *, selector: bool = False) -> None:
        self._text = text
        self._selector = selector

    def whole(self, node: Node) -> Condition:
        """Return the tree of a filter; one bare word is a test of the subject.

        Raises:
            FilterError: A value is where a condition is needed, or the reverse.
        """
        if isinstance(node, Token) and node.type in ("SUBJECT", "NAME", "QUOTED"):
            name = _unquote(node) if node.type == "QUOTED" else str(node)
            return Comparison(Subject(), "=", Constant(name))
        return self.condition(node)

    def condition(self, node: Node) -> Condition:
        """Return a condition; a name alone tests whether a boolean is true."""
        if isinstance(node, Token):
            if node.type in _NAMES:
                return Comparison(self.reference(node), "=", Constant(value=True))
            if node.type in ("TRUE", "FALSE"):
                return Truth(value=node.type == "TRUE")
        elif node.data not in _VALUES:
            return self._conditions[str(node.data)](self, node.children)
        raise self._error(node, f"expected a comparison, found {quoted(self._source(node))}")

    def operand(self, node: Node) -> Operand:
        """Return a value; a number's sign is part of it."""
        if isinstance(node, Token):
            return self.reference(node) if node.type in _NAMES else self.constant(node)
        if node.data == "arithmetic":
            left, sign, right = node.children
            return Arithmetic(self._number(left), cast("Sign", str(sign)), self._number(right))
        if node.data not in _VALUES:
            raise self._error(node, f"expected a value, found {quoted(self._source(node))}")
        inner = node.children[-1]
        if isinstance(inner, Token) and inner.type == "NUMBER":
            return self.constant(node)
        return Negative(self._number(inner)) if node.data == "negative" else self._number(inner)

    def constant(self, node: Node) -> Constant:
        """Return a constant, of 64 bit where it is an integer and finite where it is a double."""
        if isinstance(node, Tree):
            sign = -1 if node.data == "negative" else 1
            return Constant(self._numeral(cast("Token", node.children[-1]), sign))
        if node.type == "NUMBER":
            return Constant(self._numeral(node, 1))
        return Constant(_unquote(node) if node.type == "STRING" else node.type == "TRUE")

    def reference(self, node: Node) -> Reference:
        """Return what a name refers to."""
        if not isinstance(node, Token) or node.type not in _NAMES:
            raise self._error(node, f"expected a name, found {quoted(self._source(node))}")
        if node.type == "SUBJECT" and not self._selector:
            return Subject()
        if node.type == "ATTRIBUTE":
            name = node[1:]
            return Attribute(_unquote(name) if name.startswith('"') else name)
        return Parameter(_unquote(node) if node.type == "QUOTED" else str(node))

    def _both(self, nodes: list[Node]) -> Condition:
        return all_of(tuple(self.condition(node) for node in nodes))

    def _either(self, nodes: list[Node]) -> Condition:
        return any_of(tuple(self.condition(node) for node in nodes))

    def _negation(self, nodes: list[Node]) -> Condition:
        return Not(self.condition(nodes[0]))

    def _comparison(self, nodes: list[Node]) -> Condition:
        left, relation, right = nodes
        for side in (left, right):
            truth = isinstance(side, Token) and side.type in ("TRUE", "FALSE")
            if truth and relation in ORDERINGS:
                raise self._error(relation, f'expected "=" or "<>" beside {side}, found {relation}')
            if relation in ORDERINGS:
                self._check_order(side)
        return Comparison(self.operand(left), cast("Relation", str(relation)), self.operand(right))

    def _tested(self, nodes: list[Node]) -> Condition:
        operand, predicate = self.operand(nodes[0]), cast("Tree[Token]", nodes[1])
        parts = predicate.children
        match str(predicate.data):
            case "between":
                for part in parts:
                    self._check_order(part)
                low, high = (self.operand(part) for part in parts)
                return all_of((Comparison(operand, ">=", low), Comparison(operand, "<=", high)))
            case "among":
                return Among(operand, tuple(self.constant(part) for part in parts))
            case "like":
                return self._like(operand, cast("list[Token]", parts))
        affix, text = parts
        word = " ".join(str(affix).upper().split())
        return Affixed(operand, cast("Affix", word), _unquote(str(text)))

    def _check_order(self, side: Node) -> None:
        if self._selector and isinstance(side, Token) and side.type == "STRING":
            reason = f"expected a number, found {side}: a selector orders no strings"
            raise self._error(side, reason)

    def _not_tested(self, nodes: list[Node]) -> Condition:
        return Not(self._tested(nodes))

    def _absent(self, nodes: list[Node]) -> Condition:
        return Not(Exists(self.reference(nodes[0])))

    def _present(self, nodes: list[Node]) -> Condition:
        return Exists(self.reference(nodes[0]))

    def _is_true(self, nodes: list[Node]) -> Condition:
        return IsTrue(self.condition(nodes[0]))

    def _is_not_true(self, nodes: list[Node]) -> Condition:
        return Not(IsTrue(self.condition(nodes[0])))

    def _is_false(self, nodes: list[Node]) -> Condition:
        return IsTrue(Not(self.condition(nodes[0])))

    def _is_not_false(self, nodes: list[Node]) -> Condition:
        return Not(IsTrue(Not(self.condition(nodes[0]))))

    def _within(self, nodes: list[Node]) -> Condition:
        _, lat, lon, metres = nodes
        return Within(
            self._measure(lat, "a latitude from -90 to 90", -90.0, 90.0),
            self._measure(lon, "a longitude from -180 to 180", -180.0, 180.0),
            self._measure(metres, "a number of metres from 0", 0.0, math.inf),
        )

    def _measure(self, node: Node, what: str, low: float, high: float) -> float:
        operand = self.operand(node)
        value = operand.value if isinstance(operand, Constant) else None
        if isinstance(value, str | bool) or value is None or not low <= value <= high:
            raise self._error(node, f"expected {what}, found {quoted(self._source(node))}")
        return float(value) + 0.0  # no negative zero

    def _like(self, operand: Operand, parts: list[Token]) -> Condition:
        pattern = _unquote(parts[0])
        escape = _unquote(parts[1]) if len(parts) > 1 else ""
        if len(parts) > 1 and len(escape) != 1:
            raise self._error(parts[1], f"expected one character after ESCAPE, found {parts[1]}")
        if escape and not _escapes_well(pattern, escape):
            reason = f'expected "%", "_" or the escape itself after {quoted(escape)} in a pattern'
            raise self._error(parts[0], reason)
        return Like(operand, pattern, escape)

    def _number(self, node: Node) -> Operand:
        operand = self.operand(node)
        if isinstance(operand, Constant) and isinstance(operand.value, str | bool):
            raise self._error(node, f"expected a number, found {quoted(self._source(node))}")
        return operand

    def _numeral(self, token: Token, sign: int) -> int | float:
        number: int | float
        if token.isdecimal():
            number = sign * int(token) if len(token) <= 400 else INT64_MAX + 1
            good = INT64_MIN <= number <= INT64_MAX
        else:
            number = sign * float(token)
            good = math.isfinite(number)
        if not good:
            raise self._error(token, f"number {quoted(str(token))} does not fit 64 bit")
        return number

    def _source(self, node: Node) -> str:
        start, end = _span(node)
        return self._text[start:end]

    def _error(self, node: Node, reason: str) -> FilterError:
        return FilterError(reason, self._text, place_at(self._text, _span(node)[0]))

    _conditions: Final[dict[str, Callable[["Builder", list[Node]], Condition]]] = {
        "both": _both,
        "either": _either,
        "negation": _negation,
        "comparison": _comparison,
        "tested": _tested,
        "not_tested": _not_tested,
        "absent": _absent,
        "present": _present,
        "is_true": _is_true,
        "is_not_true": _is_not_true,
        "is_false": _is_false,
        "is_not_false": _is_not_false,
        "within": _within,
    }


def _span(node: Node) -> tuple[int, int]:
    if isinstance(node, Token):
        return node.start_pos or 0, node.end_pos or 0
    return node.meta.start_pos, node.meta.end_pos


def _unquote(text: str) -> str:
    quote = text[0]
    return text[1:-1].replace(quote * 2, quote)


def _escapes_well(pattern: str, escape: str) -> bool:
    chars = iter(pattern)
    return all(char != escape or next(chars, "") in ("%", "_", escape) for char in chars)
