"""What a constraint requires of identifiers and times of records, so that an index finds them."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from eventservices.cns.domains.logs.selection import IDS, INT_MAX, INT_MIN, TIMES, Span
from eventservices.cns.etcl import Constraint
from eventservices.cns.etcl.tree import And, Comparison, Component, Constant, Expression, Member

_TURNED: Final = {"<": ">", "<=": ">=", ">": "<", ">=": "<=", "==": "=="}


@dataclass(frozen=True, slots=True)
class Bounds:
    """What a constraint requires of the identifier and the time of a record.

    Attributes:
        ids: Of the identifier.
        times: Of the time.
        by_time: Whether it bounds the time, and not the identifier.
        whole: Whether it requires nothing else.
    """

    ids: Span
    times: Span
    by_time: bool
    whole: bool


def bounds_of(constraint: Constraint) -> Bounds:
    """Return what a constraint requires of identifiers and times; only such records can match."""
    spans, bounded, whole = {"id": IDS, "time": TIMES}, set(), True
    for item in _required(constraint.tree):
        found = _bound(item)
        if found is None:
            whole = False
            continue
        column, relation, value = found
        spans[column] = _narrowed(spans[column], relation, value)
        bounded.add(column)
    return Bounds(spans["id"], spans["time"], bounded == {"time"}, whole)


def _required(tree: Expression) -> Iterator[Expression]:
    """Yield what all must be true for a constraint to be."""
    match tree:
        case And(items):
            for item in items:
                yield from _required(item)
        case Constant(value) if value is True:
            return
        case _:
            yield tree


def _bound(item: Expression) -> tuple[str, str, int] | None:
    if not isinstance(item, Comparison) or item.relation not in _TURNED:
        return None
    left, relation, right = item.left, str(item.relation), item.right
    if isinstance(left, Constant):
        left, relation, right = right, _TURNED[relation], left
    if not isinstance(left, Component) or not isinstance(right, Constant):
        return None
    match left:
        case Component(None, (Member(("id" | "time") as name),)):
            value = right.value
            if type(value) is int and INT_MIN <= value <= INT_MAX:
                return name, relation, value
    return None


def _narrowed(span: Span, relation: str, value: int) -> Span:
    least, most = span
    match relation:
        case "<":
            most = min(most, value - 1)
        case "<=":
            most = min(most, value)
        case ">":
            least = max(least, value + 1)
        case ">=":
            least = max(least, value)
        case _:
            least, most = max(least, value), min(most, value)
    return Span(least, most)
