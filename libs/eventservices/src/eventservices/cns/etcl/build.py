"""From what the grammar recognises to the syntax tree, bottom up, while the parser runs."""

import math
from typing import Any, Final, cast

from lark import Token, Transformer, v_args

from eventservices.cns.etcl.tree import (
    And,
    Arithmetic,
    Bare,
    Case,
    Comparison,
    Component,
    Constant,
    Default,
    Exists,
    Expression,
    Implicit,
    ImplicitName,
    In,
    Index,
    Member,
    Named,
    Not,
    Or,
    Position,
    Relation,
    Sign,
    Step,
    Substring,
)
from eventservices.cns.etcl.words import INT_MAX, INT_MIN, unquoted

_UINT32_MAX: Final = 2**32 - 1
_DIGITS: Final = 20  # of 2**64 - 1; more must be leading zeros


class NumberError(Exception):
    """Raised when a number does not fit; parse.py turns it into an error with its place.

    Args:
        reason: What does not fit where.
        offset: Where, in characters.
    """

    def __init__(self, reason: str, offset: int) -> None:
        super().__init__(reason)
        self.reason = reason
        self.offset = offset


@v_args(inline=True)
class Builder(Transformer[Token, Expression]):
    """Has a method for each rule of `grammar.lark`."""

    def either(self, *items: Expression) -> Expression:
        """Return a disjunction."""
        return Or(items)

    def both(self, *items: Expression) -> Expression:
        """Return a conjunction."""
        return And(items)

    def compared(self, left: Expression, relation: Token, right: Expression) -> Expression:
        """Return a comparison."""
        return Comparison(left, cast("Relation", str(relation)), right)

    def member(self, left: Expression, place: Component) -> Expression:
        """Return a test of membership."""
        return In(left, place)

    def likened(self, left: Expression, right: Expression) -> Expression:
        """Return a test for a substring."""
        return Substring(left, right)

    def added(self, first: Expression, *rest: Any) -> Expression:
        """Return a sum; or a product, which is built alike."""
        signs = (cast("Sign", str(sign)) for sign in rest[::2])
        return Arithmetic(first, tuple(zip(signs, rest[1::2], strict=True)))

    multiplied = added

    def negation(self, item: Expression) -> Expression:
        """Return a truth value inverted."""
        return Not(item)

    def existence(self, place: Component) -> Expression:
        """Return a test for existence."""
        return Exists(place)

    def default(self, component: Component) -> Expression:
        """Return a test for the default member."""
        return Default(component)

    def bare(self, word: Token) -> Expression:
        """Return an identifier without `$`."""
        return Bare(_name(word))

    def variable(self, word: Token) -> Component:
        """Return the run-time variable that an identifier names after `in` and `exist`."""
        return Component(_name(word))

    def integer(self, *parts: Token) -> Expression:
        """Return an integer literal."""
        return Constant(_integer(parts, INT_MIN, INT_MAX))

    def real(self, *parts: Token) -> Expression:
        """Return a floating-point literal."""
        number = float("".join(parts))
        if not math.isfinite(number):
            raise _unfit(parts[-1])
        return Constant(number)

    def text(self, word: Token) -> Expression:
        """Return a string literal."""
        return Constant(unquoted(word))

    def true(self, _: Token) -> Expression:
        """Return TRUE."""
        return Constant(value=True)

    def false(self, _: Token) -> Expression:
        """Return FALSE."""
        return Constant(value=False)

    def component(self, *parts: Token | Step) -> Component:
        """Return a component; a token among the parts is its run-time variable."""
        steps = cast("tuple[Step, ...]", tuple(p for p in parts if not isinstance(p, Token)))
        variable = parts[0] if parts else None
        return Component(_name(variable) if isinstance(variable, Token) else None, steps)

    def by_member(self, word: Token) -> Step:
        """Return `.name`."""
        return Member(_name(word))

    def by_position(self, word: Token) -> Step:
        """Return `.2`."""
        return Position(_integer((word,), 0, _UINT32_MAX))

    def by_index(self, word: Token) -> Step:
        """Return `[2]`."""
        return Index(_integer((word,), 0, _UINT32_MAX))

    def by_name(self, word: Token) -> Step:
        """Return `(name)`."""
        return Named(_name(word))

    def by_text(self, word: Token) -> Step:
        """Return `('name')`."""
        return Named(unquoted(word))

    def by_label(self, label: int | str | Bare | None = None) -> Step:
        """Return `.(label)`."""
        return Case(label)

    def ending(self, word: Token) -> Step:
        """Return `._length` and the like."""
        return Implicit(cast("ImplicitName", str(word)))

    def label_number(self, *parts: Token) -> int:
        """Return a label that is a number."""
        return _integer(parts, INT_MIN, INT_MAX)

    def label_text(self, word: Token) -> str:
        """Return a label that is a string."""
        return unquoted(word)

    def label_name(self, word: Token) -> Bare:
        """Return a label that is an identifier."""
        return Bare(_name(word))

    def sign(self, word: Token) -> Token:
        """Return the sign of a number."""
        return word


def _name(word: Token) -> str:
    return word.removeprefix("\\")


def _integer(parts: tuple[Token, ...], least: int, most: int) -> int:
    digits = parts[-1].lstrip("0") or "0"
    sign = -1 if parts[0] == "-" else 1
    number = sign * int(digits) if len(digits) <= _DIGITS else most + 1
    if not least <= number <= most:
        raise _unfit(parts[-1])
    return number


def _unfit(token: Token) -> NumberError:
    shown = token if len(token) <= _DIGITS else f"{token[:_DIGITS]}…"
    return NumberError(f'number "{shown}" is too large', token.start_pos or 0)
