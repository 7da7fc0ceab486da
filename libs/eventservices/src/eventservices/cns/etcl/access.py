"""One step from a value to a part of it.

Each function raises `EvaluationError` where there is no such part.
"""

from collections.abc import Callable, Iterator, Mapping
from itertools import islice
from typing import Any

from eventservices.cns.etcl.errors import EvaluationError
from eventservices.cns.etcl.idl import TAGS, Char, Label, Union, as_simple, as_union, kind_of
from eventservices.cns.etcl.records import FIELDS, Properties, field, unwrap
from eventservices.cns.etcl.tree import (
    Bare,
    Case,
    Implicit,
    Index,
    Member,
    Named,
    Position,
    Step,
)
from eventservices.cns.etcl.typenames import repository_id, type_id
from eventservices.cns.etcl.utc import Ticks

Walk = Callable[[Any], Any]
_MISSING = object()


def walker(step: Step, *, exact: bool) -> Walk:
    """Return the function that follows one step.

    Args:
        step: From the syntax tree.
        exact: Whether a union's label must be the discriminator itself, as `exist` requires.
    """
    match step:
        case Member(name):
            return lambda value: member(unwrap(value), name)
        case Position(number):
            return lambda value: position(unwrap(value), number)
        case Index(number):
            return lambda value: element(unwrap(value), number)
        case Named(name):
            return lambda value: named(unwrap(value), name)
        case Case(label):
            return lambda value: case(as_union(unwrap(value)), label, exact=exact)
        case Implicit(name):
            implicit = _IMPLICIT[name]
            return lambda value: implicit(unwrap(value))


def member(value: Any, name: str) -> Any:
    """Return a member of a structure, or the active one of a union."""
    if type(value) in FIELDS:
        return field(value, name)
    if isinstance(value, Mapping):
        return _entry(value, name)
    if isinstance(value, Ticks) and name in ("high", "low"):
        return value >> 32 if name == "high" else value & 0xFFFF_FFFF
    return _fail(f"{kind_of(value)} has no member {name}")


def position(value: Any, number: int) -> Any:
    """Return a member of a structure, by its position."""
    members: Iterator[Any]
    if type(value) in FIELDS:
        members = (field(value, name) for name in FIELDS[type(value)])
    elif isinstance(value, Mapping) and "_d" not in value:
        members = (item for name, item in value.items() if name not in TAGS)
    else:
        return _fail(f"{kind_of(value)} has no positions")
    found = next(islice(members, number, None), _MISSING)
    return _fail(f"there is no member {number}") if found is _MISSING else found


def element(value: Any, number: int) -> Any:
    """Return an element of a sequence, by its index."""
    if isinstance(value, Properties):
        return value.at(number)
    items = elements(value)
    return items[number] if number < len(items) else _fail(f"there is no element {number}")


def elements(value: Any) -> "list[Any] | tuple[Any, ...] | bytes":
    """Return the elements of a sequence."""
    if isinstance(value, Properties):
        return [value.at(number) for number in range(len(value.items))]
    if isinstance(value, list | bytes) or (isinstance(value, tuple) and type(value) not in FIELDS):
        return value
    raise EvaluationError(f"{kind_of(value)} is not a sequence")


def named(value: Any, name: str) -> Any:
    """Return the value of that name in a list of names and values."""
    if isinstance(value, Properties):
        return _entry(value.items, name)
    if isinstance(value, Mapping) and "_d" not in value:
        return _entry(value, name)
    for pair in map(unwrap, elements(value)):
        if isinstance(pair, Mapping) and pair.get("name") == name and "value" in pair:
            return pair["value"]
    return _fail(f"there is no {name}")


def case(union: Union, label: int | str | Bare | None, *, exact: bool) -> Any:
    """Return the active member of a union, if a label is one of its own."""
    if label is None:
        chosen = union.default
    elif _same(label, union.discriminator) or union.member == _spelt(label):
        chosen = True
    else:
        chosen = not exact and _selects(union, label)
    return union.value if chosen else _fail("the union has another member")


def is_default(value: Any) -> bool:
    """Return whether a union has its default member."""
    return as_union(unwrap(value)).default


def _length(value: Any) -> int:
    return len(value.items) if isinstance(value, Properties) else len(elements(value))


def _discriminator(value: Any) -> Any:
    return as_union(value).discriminator


def _entry(items: Mapping[str, Any], name: str) -> Any:
    found = items.get(name, _MISSING)
    return _fail(f"there is no {name}") if found is _MISSING or name in TAGS else found


def _spelt(label: int | str | Bare) -> int | str:
    return label.name if isinstance(label, Bare) else label


def _selects(union: Union, label: int | str | Bare) -> bool:
    listed = any(_same(label, other) for other in union.labels)
    if union.default:
        return not listed and _kindred(label, union.discriminator)
    return listed


def _same(label: int | str | Bare, value: Any) -> bool:
    simple = as_simple(value)
    if isinstance(label, Bare):
        return isinstance(simple, Label) and simple.name == label.name
    if isinstance(label, str):
        return isinstance(simple, Char) and simple.text == label
    return simple is None and isinstance(value, int) and value == label


def _kindred(label: int | str | Bare, discriminator: Any) -> bool:
    """Return whether a label is of the discriminator's type, so that it may mean the default."""
    simple = as_simple(discriminator)
    if isinstance(label, Bare):
        return isinstance(simple, Label)
    if isinstance(label, str):
        return isinstance(simple, Char) and len(label) == 1
    return simple is None and isinstance(discriminator, int)


def _fail(reason: str) -> Any:
    raise EvaluationError(reason)


_IMPLICIT: dict[str, Walk] = {
    "_length": _length,
    "_d": _discriminator,
    "_type_id": type_id,
    "_repos_id": repository_id,
}
