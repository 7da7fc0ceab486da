"""Filters as they travel: a tree with its state, which is applied at the source's bus.

A filter reads the event's parameters, the user of the sink, and the type of its device. Conditions
are true, false or unknown, as in SQL-92: a comparison with an absent value, or with one of another
type, is unknown, and only *true* delivers.

Source:
    Smart-building thesis, sections 4.4.5 and 5.5.
"""

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, Final, Literal

import msgspec

from eventservices.bus.errors import FilterError

Scalar = str | int | float | bool | bytes
Kind = Literal["parameter", "attribute", "user", "device"]
Relation = Literal["=", "<>", "<", "<=", ">", ">="]

MOST_NODES: Final = 1000
MOST_VALUES: Final = 20_000
MOST_DEPTH: Final = 32
MOST_BYTES: Final = 512 * 1024


class Field(msgspec.Struct, frozen=True, array_like=True, tag=True):
    """What a condition reads.

    Attributes:
        name: Of the parameter or attribute; "" otherwise.
        kind: Whose name it is; `user` and `device` are those of the sink.
    """

    name: str
    kind: Kind = "parameter"


class Compare(msgspec.Struct, frozen=True, array_like=True, tag=True):
    """A value compared with a constant, a `Scalar`."""

    field: Field
    relation: Relation
    value: Any


class Among(msgspec.Struct, frozen=True, array_like=True, tag=True):
    """A value that is one of several, each a `Scalar`; the list is the filter's state."""

    field: Field
    values: tuple[Any, ...]


class Affix(msgspec.Struct, frozen=True, array_like=True, tag=True):
    """A string that starts with, ends with or contains another."""

    field: Field
    place: Literal["starts", "ends", "contains"]
    text: str


class Has(msgspec.Struct, frozen=True, array_like=True, tag=True):
    """A parameter or attribute that the event has."""

    field: Field


class Code(msgspec.Struct, frozen=True, array_like=True, tag=True):
    """A plug-in, by name and content; its state is what it was made with.

    Attributes:
        name: In the repository.
        sha256: Of its file, hexadecimal.
        state: Handed to it beside each event; each value a `Scalar`.
    """

    name: str
    sha256: str
    state: dict[str, Any]


class Always(msgspec.Struct, frozen=True, array_like=True, tag=True):
    """True or false, whatever the event."""

    value: bool


class Not(msgspec.Struct, frozen=True, array_like=True, tag=True):
    """A condition inverted; unknown stays unknown."""

    item: "Filter"


class IsTrue(msgspec.Struct, frozen=True, array_like=True, tag=True):
    """A condition that is true; false where it is false or unknown."""

    item: "Filter"


class All(msgspec.Struct, frozen=True, array_like=True, tag=True):
    """Conditions all of which must be true."""

    items: tuple["Filter", ...]


class Some(msgspec.Struct, frozen=True, array_like=True, tag=True):
    """Conditions one of which must be true."""

    items: tuple["Filter", ...]


Filter = Compare | Among | Affix | Has | Code | Always | Not | IsTrue | All | Some


class Subject(msgspec.Struct, frozen=True):
    """What a filter is applied to.

    Attributes:
        values: The event's parameters.
        attributes: Its attributes.
        user: Of the sink.
        device: Type of the sink's device.
    """

    values: Mapping[str, Any]
    attributes: Mapping[str, Any]
    user: str
    device: str


Truth = bool | None
Compiled = Callable[[Subject], Truth]
RunCode = Callable[[Code, Subject], Truth]
"""Runs a plug-in; None where it failed."""


def no_code(code: Code, subject: Subject) -> Truth:
    """Run no plug-in: they are off."""
    del code, subject
    return None


def check_filter(filter_: Filter) -> Filter:
    """Return a filter if it is within bounds.

    Raises:
        FilterError: It has too many nodes or values, is nested too deeply, or has a constant that
            is not a `Scalar`.
    """
    nodes = values = 0
    rest: list[tuple[Filter, int]] = [(filter_, 1)]
    while rest:
        each, depth = rest.pop()
        if depth > MOST_DEPTH:
            raise FilterError(f"filter is nested deeper than {MOST_DEPTH}")
        rest += [(item, depth + 1) for item in _parts(each)]
        constants = _constants(each)
        nodes, values = nodes + 1, values + len(constants)
        if nodes > MOST_NODES or values > MOST_VALUES:
            raise FilterError(f"filter has over {MOST_NODES} conditions or {MOST_VALUES} values")
        bad = next((each for each in constants if _family(each) is None), None)
        if bad is not None or None in constants:
            raise FilterError(f"filter has a constant of type {type(bad).__name__}")
    if len(msgspec.msgpack.encode(filter_)) > MOST_BYTES:
        raise FilterError(f"filter has more than {MOST_BYTES} bytes")
    return filter_


def _parts(filter_: Filter) -> tuple[Filter, ...]:
    if isinstance(filter_, All | Some):
        return filter_.items
    return (filter_.item,) if isinstance(filter_, Not | IsTrue) else ()


def _constants(filter_: Filter) -> tuple[Any, ...]:
    match filter_:
        case Compare(_, _, value):
            return (value,)
        case Among(_, values):
            return values
        case Code(_, _, state):
            return tuple(state.values())
        case _:
            return ()


def uses_code(filter_: Filter) -> bool:
    """Return whether a filter has a plug-in."""
    return isinstance(filter_, Code) or any(map(uses_code, _parts(filter_)))


def both(one: Filter | None, other: Filter | None) -> Filter | None:
    """Return a filter that accepts what both accept; None accepts everything."""
    if one is None or other is None:
        return one if other is None else other
    return All((one, other))


def compile_filter(filter_: Filter | None, run_code: RunCode = no_code) -> Compiled:
    """Return a function that applies a filter; None accepts everything."""
    match filter_:
        case None | Always():
            return _constantly(truth=filter_ is None or filter_.value)
        case Not(item):
            return _not(compile_filter(item, run_code))
        case IsTrue(item):
            test = compile_filter(item, run_code)
            return lambda subject: test(subject) is True
        case All(items):
            return _join([compile_filter(item, run_code) for item in items], ends=False)
        case Some(items):
            return _join([compile_filter(item, run_code) for item in items], ends=True)
        case _:
            return _compile_leaf(filter_, run_code)


def _compile_leaf(leaf: Compare | Among | Affix | Has | Code, run_code: RunCode) -> Compiled:
    if isinstance(leaf, Code):
        return partial(run_code, leaf)
    read = _reader(leaf.field)
    match leaf:
        case Compare(_, relation, value):
            return _compare(read, relation, value)
        case Among(_, values):
            return _among(read, values)
        case Affix(_, place, text):
            return _affix(read, place, text)
        case Has():
            return lambda subject: read(subject) is not None


def _constantly(*, truth: bool) -> Compiled:
    def apply(subject: Subject) -> Truth:
        del subject
        return truth

    return apply


def _reader(field: Field) -> Callable[[Subject], Any]:
    name = field.name
    match field.kind:
        case "parameter":
            return lambda subject: subject.values.get(name)
        case "attribute":
            return lambda subject: subject.attributes.get(name)
        case "user":
            return lambda subject: subject.user
        case "device":
            return lambda subject: subject.device


def _family(value: object) -> type | None:
    if isinstance(value, bool):
        return bool
    if isinstance(value, int | float):
        return float
    return type(value) if isinstance(value, str | bytes) else None


_RELATIONS: Final[dict[str, Callable[[Any, Any], bool]]] = {
    "=": lambda a, b: a == b,
    "<>": lambda a, b: a != b,
    "<": lambda a, b: a < b,
    "<=": lambda a, b: a <= b,
    ">": lambda a, b: a > b,
    ">=": lambda a, b: a >= b,
}


def _compare(read: Callable[[Subject], Any], relation: Relation, value: Scalar) -> Compiled:
    test = _RELATIONS[relation]
    family = _family(value)
    ordered = relation in ("<", "<=", ">", ">=")

    def apply(subject: Subject) -> Truth:
        found = read(subject)
        if _family(found) is not family or (ordered and family is bool):
            return None
        return test(found, value)

    return apply


def _among(read: Callable[[Subject], Any], values: tuple[Any, ...]) -> Compiled:
    # 1, 1.0 and True are equal to Python, so that the family is part of the key.
    keys = frozenset((_family(value), value) for value in values)
    families = frozenset(family for family, _ in keys)

    def apply(subject: Subject) -> Truth:
        found = read(subject)
        family = _family(found)
        return (family, found) in keys if family in families else None

    return apply


def _affix(read: Callable[[Subject], Any], place: str, text: str) -> Compiled:
    def apply(subject: Subject) -> Truth:
        found = read(subject)
        if not isinstance(found, str):
            return None
        if place == "contains":
            return text in found
        return found.startswith(text) if place == "starts" else found.endswith(text)

    return apply


def _not(item: Compiled) -> Compiled:
    def apply(subject: Subject) -> Truth:
        found = item(subject)
        return None if found is None else not found

    return apply


def _join(items: list[Compiled], *, ends: bool) -> Compiled:
    def apply(subject: Subject) -> Truth:
        found: Truth = not ends
        for item in items:
            truth = item(subject)
            if truth is ends:
                return ends
            found = None if truth is None else found
        return found

    return apply
