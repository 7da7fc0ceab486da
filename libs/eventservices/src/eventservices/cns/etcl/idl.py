"""Unions, enumerations, characters and named structures, for which Python has no value of its own.

Each is a plain mapping with a tag, so that it travels in an Any like any other structure:

| value | mapping |
|---|---|
| enumeration | `{"_enum": "STUDENT"}` |
| character | `{"_char": "H"}` |
| union | `{"_d": 2, "name": "text"}` |
| union whose member has more labels | `{"_d": 2, "_labels": [0], "name": "text"}` |
| union with its default member | `{"_d": 100, "_default": [1, 2], "rest": 5}`: all others' labels |
| named structure | `{"_type_id": "Person", "_repos_id": "IDL:Person:1.0", "age": 29}` |

No identifier of IDL begins with an underscore, so the tags collide with no member. They have no
position and no name in a component. A member of a Python enumeration counts as one too.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Any

from eventservices.cns.etcl.errors import EvaluationError
from eventservices.cns.value import Value

TAGS = frozenset(("_d", "_labels", "_default", "_enum", "_char", "_type_id", "_repos_id"))
"""Names in a mapping that are no members."""


@dataclass(frozen=True, slots=True)
class Label:
    """The value of an enumeration.

    Attributes:
        name: Its label.
        type_id: The enumeration; empty where it is not known.
    """

    name: str
    type_id: str = ""


@dataclass(frozen=True, slots=True)
class Char:
    """A character that is not a string."""

    text: str


@dataclass(frozen=True, slots=True)
class Union:
    """A union as components see it.

    Attributes:
        discriminator: As the caller specified it.
        labels: What selects the active member besides; of a default member, what does not.
        default: Whether the active member is the default one.
        member: Name of the active member.
        value: Its value.
    """

    discriminator: Any
    labels: tuple[Any, ...]
    default: bool
    member: str
    value: Any


def enum_value(label: str, type_id: str = "") -> Value:
    """Return a value of an enumeration, for an event."""
    return {"_enum": label} | ({"_type_id": type_id} if type_id else {})


def char_value(char: str) -> Value:
    """Return a character, for an event."""
    return {"_char": char}


def struct_value(type_id: str, members: Mapping[str, Value], repos_id: str = "") -> Value:
    """Return a structure that knows its type, for an event.

    Args:
        type_id: Unscoped name of its type, e.g. `Person`.
        members: In the order of the type.
        repos_id: Repository id; by default made of the name.
    """
    return {"_type_id": type_id, "_repos_id": repos_id or f"IDL:{type_id}:1.0", **members}


def union_value(
    discriminator: Value,
    member: str,
    value: Value,
    *,
    labels: Sequence[Value] = (),
    others: Sequence[Value] | None = None,
) -> Value:
    """Return a union, for an event.

    Args:
        discriminator: Integer, boolean, character or enumeration.
        member: Name of the active member.
        value: Its value.
        labels: Further labels of the active member.
        others: Labels of all other members, if the active one is the default; else None.
    """
    union: dict[str, Value] = {"_d": discriminator}
    if others is not None:
        union["_default"] = list(others)
    elif labels:
        union["_labels"] = list(labels)
    return {**union, member: value}


def as_simple(value: Any) -> Label | Char | None:
    """Return the enumeration's label or the character that a value is, or None."""
    if isinstance(value, Enum):
        return Label(value.name, type(value).__name__)
    if isinstance(value, Mapping):
        label, char, type_id = value.get("_enum"), value.get("_char"), value.get("_type_id")
        if isinstance(label, str):
            return Label(label, type_id if isinstance(type_id, str) else "")
        if isinstance(char, str) and len(char) == 1:
            return Char(char)
    return None


def as_union(value: Any) -> Union:
    """Return the union that a value is.

    Raises:
        EvaluationError: It is none.
    """
    if not isinstance(value, Mapping) or "_d" not in value:
        raise EvaluationError(f"{kind_of(value)} is not a union")
    members = [item for item in value.items() if item[0] not in TAGS]
    if len(members) != 1:
        raise EvaluationError("a union has one active member")
    default = "_default" in value
    labels = value.get("_default" if default else "_labels")
    listed = tuple(labels) if isinstance(labels, list | tuple) else ()
    return Union(value["_d"], listed, default, *members[0])


def kind_of(value: Any) -> str:
    """Return what a value is called in a message."""
    simple = as_simple(value)
    if simple is not None:
        return "an enumeration" if isinstance(simple, Label) else "a character"
    for types, name in _KINDS:
        if isinstance(value, types):
            return name
    return f"a {type(value).__name__}"


_KINDS: tuple[tuple[Any, str], ...] = (
    (bool, "a boolean"),
    ((int, float), "a number"),
    (str, "a string"),
    (Mapping, "a structure"),
    ((list, tuple, bytes), "a sequence"),
    (type(None), "an empty Any"),
)
