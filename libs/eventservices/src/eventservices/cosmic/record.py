"""Typed content: named and typed values, for channels whose events are more than octets.

COSMIC's events are octets, and what they mean is agreed between people. Where 8 bytes are no limit,
a channel may carry a record instead, which contains names and types itself: a MessagePack array
`[subject, [[name, type, value], …], [[name, type, value], …]]` of parameters and of context.
"""

from enum import IntEnum
from typing import Any, Final, NamedTuple

import msgspec

from eventservices.errors import MalformedError

MAX_DEPTH: Final = 32
"""Most records within one another."""

INT32: Final = range(-(2**31), 2**31)
INT64: Final = range(-(2**63), 2**63)


class Kind(IntEnum):
    """Type of a value, by the number that represents it on the bus."""

    STRING = 1
    LONG = 2
    DOUBLE = 3
    RECORD = 4
    LONGLONG = 5
    BOOLEAN = 6
    OCTETS = 7


class Item(NamedTuple):
    """One named and typed value; of `Kind.RECORD`, a `Record`."""

    name: str
    kind: Kind
    value: Any


class Record(NamedTuple):
    """Typed content.

    Attributes:
        subject: Name of the event's subject, whole: the bus knows but 8 bytes of it.
        items: The event's values, in the producer's order; no two of one name.
        context: What else is notified of it.
    """

    subject: str
    items: tuple[Item, ...] = ()
    context: tuple[Item, ...] = ()


_CLASSES: Final[dict[Kind, type]] = {
    Kind.STRING: str,
    Kind.LONG: int,
    Kind.DOUBLE: float,
    Kind.LONGLONG: int,
    Kind.BOOLEAN: bool,
    Kind.OCTETS: bytes,
}
_KINDS: Final = {
    str: Kind.STRING,
    float: Kind.DOUBLE,
    bool: Kind.BOOLEAN,
    bytes: Kind.OCTETS,
    Record: Kind.RECORD,
}


def record(subject: str, /, **values: object) -> Record:
    """Return a record of values, each of the smallest type that fits it.

    Raises:
        MalformedError: A value is of no type that there is.
    """
    return Record(subject, tuple(item(name, value) for name, value in values.items()))


def item(name: str, value: object) -> Item:
    """Return a value with its name and the smallest type that fits it.

    Raises:
        MalformedError: It is of no type that there is.
    """
    kind = _KINDS.get(type(value))
    if kind is None and type(value) is int and value in INT64:
        kind = Kind.LONG if value in INT32 else Kind.LONGLONG
    if kind is None:
        raise MalformedError(f"{name[:100]!r}: no type can represent {value!r:.100}")
    return Item(name, kind, value)


def encode(content: Record) -> bytes:
    """Return the octets of a record.

    Raises:
        MalformedError: A value is not of its type, or a text is not Unicode text.
    """
    try:
        return msgspec.msgpack.encode(_plain(content, 0))
    except (UnicodeEncodeError, OverflowError) as error:
        raise MalformedError(f"record {content.subject[:100]!r}: {error}") from error


def decode(data: bytes) -> Record:
    """Return the record that octets contain.

    Raises:
        MalformedError: They contain none; the message states what is wrong.
    """
    try:
        return _record(msgspec.msgpack.decode(data), 0)
    except (msgspec.MsgspecError, ValueError, TypeError, RecursionError) as error:
        raise MalformedError(f"no record: {error}") from error


def _plain(content: Record, depth: int) -> list[object]:
    if depth > MAX_DEPTH:
        raise MalformedError(f"records are nested deeper than {MAX_DEPTH}")
    items = [_plain_item(each, depth) for each in content.items]
    return [content.subject, items, [_plain_item(each, depth) for each in content.context]]


def _plain_item(each: Item, depth: int) -> list[object]:
    _check(each)
    value = _plain(each.value, depth + 1) if each.kind is Kind.RECORD else each.value
    return [each.name, int(each.kind), value]


def _record(plain: Any, depth: int) -> Record:
    if depth > MAX_DEPTH:
        raise MalformedError(f"records are nested deeper than {MAX_DEPTH}")
    subject, items, context = plain
    if not isinstance(subject, str) or not subject:
        raise MalformedError("a record's subject is a text")
    return Record(subject, _items(items, depth), _items(context, depth))


def _items(plain: Any, depth: int) -> tuple[Item, ...]:
    items = tuple(_item(*each, depth=depth) for each in plain)
    if len({each.name for each in items}) != len(items):
        raise MalformedError("two values have one name")
    return items


def _item(name: Any, number: Any, value: Any, *, depth: int) -> Item:
    kind = Kind(number)
    found = Item(name, kind, _record(value, depth + 1) if kind is Kind.RECORD else value)
    _check(found)
    return found


def _check(each: Item) -> None:
    """Raise where a value is not of its type."""
    if each.kind is Kind.RECORD:
        fits = isinstance(each.value, Record)
    else:
        fits = type(each.value) is _CLASSES[each.kind]
    if fits and each.kind in (Kind.LONG, Kind.LONGLONG):
        fits = each.value in (INT32 if each.kind is Kind.LONG else INT64)
    if not fits or not isinstance(each.name, str):
        raise MalformedError(f"{each.name!r:.100}: {each.value!r:.100} is not a {each.kind.name}")
