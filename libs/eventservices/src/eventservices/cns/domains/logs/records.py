"""Records of a log, and constraints over them."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

from eventservices.cns.codec import decode, encode_any
from eventservices.cns.domains.logs.errors import InvalidAttributeError
from eventservices.cns.etcl import GRAMMAR, Constraint, InvalidGrammarError, parse
from eventservices.cns.etcl.tree import And, Comparison, Component, Constant, Expression, Member
from eventservices.cns.event import AnyEvent
from eventservices.cns.value import Value
from eventservices.errors import MalformedError

OVERHEAD_BYTES: Final = 16
"""What a record counts beside its event and its attributes: identifier and time."""

_TURNED: Final = {"<": ">", "<=": ">=", ">": "<", ">=": "<=", "==": "=="}
_BOUNDED: Final = ("id", "time")


@dataclass(frozen=True, slots=True)
class LogRecord:
    """A record.

    Attributes:
        id: Unique in its log, ascending.
        time: When it was logged, ticks of 100 ns since 1582-10-15.
        info: The event.
        attr_list: Attributes that users set, by name; no part of the event.
    """

    id: int
    time: int
    info: Value
    attr_list: Mapping[str, Value] = field(default_factory=dict)

    @property
    def content(self) -> AnyEvent:
        """The record as constraints see it."""
        return AnyEvent(
            {
                "id": self.id,
                "time": self.time,
                "attr_list": self.attr_list,
                "info": self.info,
            }
        )


def packed(value: Value) -> bytes:
    """Return a value as octets.

    Raises:
        MalformedError: No Any carries it.
    """
    return encode_any(value)


def unpacked(octets: bytes) -> Value:
    """Return the value in octets."""
    event = decode(octets)
    return event.value if isinstance(event, AnyEvent) else event


def checked_attributes(attributes: Mapping[str, Value]) -> bytes:
    """Return attributes of a record as octets; none where there are none.

    Raises:
        InvalidAttributeError: One has no name, or a value that no Any carries.
    """
    if not all(isinstance(name, str) and name for name in attributes):
        raise InvalidAttributeError("an attribute has no name")
    try:
        return packed(dict(attributes)) if attributes else b""
    except MalformedError as error:
        raise InvalidAttributeError(str(error)) from error


def constraint_of(grammar: str, text: str) -> Constraint:
    """Return a constraint over records.

    Raises:
        InvalidGrammarError: The grammar is not `EXTENDED_TCL`.
        InvalidConstraintError: The text is not in the language.
    """
    if grammar != GRAMMAR:
        raise InvalidGrammarError(f"there are no queries in {grammar!r}, only in {GRAMMAR}")
    return parse(text)


def bounds_of(constraint: Constraint) -> list[tuple[str, str, int]]:
    """Return what a constraint requires of id and time alone: column, relation, value.

    Only records that meet all of it can match, so that an index finds them.
    """
    tree = constraint.tree
    items = tree.items if isinstance(tree, And) else (tree,)
    return [found for item in items if (found := _bound(item)) is not None]


def is_covered(constraint: Constraint) -> bool:
    """Return whether a constraint requires nothing but what `bounds_of` returns of it."""
    tree = constraint.tree
    items = tree.items if isinstance(tree, And) else (tree,)
    return len(bounds_of(constraint)) == len(items)


def _bound(item: Expression) -> tuple[str, str, int] | None:
    if not isinstance(item, Comparison) or item.relation not in _TURNED:
        return None
    left, relation, right = item.left, str(item.relation), item.right
    if isinstance(left, Constant):
        left, relation, right = right, _TURNED[relation], left
    if not isinstance(left, Component) or not isinstance(right, Constant):
        return None
    match left:
        case Component(None, (Member(name),)) if name in _BOUNDED:
            value = right.value
            if type(value) is int and -(2**63) <= value < 2**63:
                return name, relation, value
    return None
