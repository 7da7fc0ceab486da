"""What can be known of a constraint's types without an event.

A constraint that can never be true because of its types is refused when it is added to a filter.
"""

from typing import Final, Literal

from eventservices.cns.etcl.errors import InvalidConstraintError
from eventservices.cns.etcl.text import to_text
from eventservices.cns.etcl.tree import (
    EQUALITIES,
    And,
    Arithmetic,
    Bare,
    Comparison,
    Component,
    Constant,
    Default,
    Exists,
    Expression,
    In,
    Not,
    Or,
    Relation,
    Substring,
)

Kind = Literal["boolean", "number", "string", "character", "identifier", "anything"]

_COMPARABLE: Final[dict[Kind, frozenset[Kind]]] = {
    "boolean": frozenset(("boolean", "number")),
    "number": frozenset(("boolean", "number", "character")),
    "string": frozenset(("string", "character")),
    "character": frozenset(("string", "character", "number")),
    "identifier": frozenset(),
    "anything": frozenset(),
}
_ARTICLE: Final = {"identifier": "an identifier", "anything": "anything"}


def check(tree: Expression) -> None:
    """Raise an error where a constraint can never be true because of its types.

    Raises:
        InvalidConstraintError: The message names the operation.
    """
    kind = kind_of(tree)
    if kind not in ("boolean", "anything"):
        text = to_text(tree)
        raise InvalidConstraintError(f"expected a condition, found {_called(kind)}: {text}", text)


def kind_of(tree: Expression) -> Kind:
    """Return what kind of value an expression has.

    Raises:
        InvalidConstraintError: An operation in it can have no value at all.
    """
    match tree:
        case Constant(value):
            return _of_constant(value)
        case Bare():
            return "identifier"
        case Component():
            return "anything"
        case Arithmetic():
            return _of_arithmetic(tree)
        case _:
            _check_test(tree)
            return "boolean"


def _check_test(tree: Exists | Default | Not | And | Or | Comparison | Substring | In) -> None:
    match tree:
        case And(items) | Or(items):
            _require(tree, items, ("boolean",))
        case Not(item):
            _require(tree, (item,), ("boolean",))
        case Substring(left, right):
            _require(tree, (left, right), ("string", "character"))
        case In(left, _):
            kind_of(left)
        case Comparison(left, relation, right):
            first, second = kind_of(left), kind_of(right)
            if not _are_comparable(first, relation, second):
                reason = f"cannot compare {_called(first)} with {_called(second)}"
                raise _error(reason, tree)
        case Exists() | Default():
            pass


def _of_arithmetic(tree: Arithmetic) -> Kind:
    items = (tree.first, *(item for _, item in tree.rest))
    kinds = _require(tree, items, ("number", "boolean", "character"))
    if set(kinds[:2]) == {"boolean", "character"}:
        raise _error("cannot calculate with a boolean and a character", tree)
    return "number"


def _require(
    tree: Expression, items: tuple[Expression, ...], allowed: tuple[Kind, ...]
) -> list[Kind]:
    kinds = [kind_of(item) for item in items]
    for kind in kinds:
        if kind not in (*allowed, "anything"):
            raise _error(f"expected a {allowed[0]}, found {_called(kind)}", tree)
    return kinds


def _are_comparable(first: Kind, relation: Relation, second: Kind) -> bool:
    if "identifier" in (first, second) and relation not in EQUALITIES:
        return False
    return "anything" in (first, second) or second in _COMPARABLE[first]


def _of_constant(value: object) -> Kind:
    if isinstance(value, bool):
        return "boolean"
    if isinstance(value, str):
        return "character" if len(value) == 1 else "string"
    return "number"


def _called(kind: Kind) -> str:
    return _ARTICLE.get(kind, f"a {kind}")


def _error(reason: str, tree: Expression) -> InvalidConstraintError:
    text = to_text(tree)
    return InvalidConstraintError(f"{reason}: {text}", text)
