"""The names of values' types: `_type_id` and `_repos_id`."""

from collections.abc import Mapping
from enum import Enum
from typing import Any

from eventservices.cns.etcl.errors import EvaluationError
from eventservices.cns.etcl.idl import kind_of
from eventservices.cns.etcl.records import own_repository_id, own_type
from eventservices.cns.value import INT32, LongLong


def type_id(value: Any) -> str:
    """Return the unscoped IDL name of a value's type, e.g. `Person` or `long`.

    Raises:
        EvaluationError: The type has no name: a sequence, or a structure that does not contain it.
    """
    own = own_type(value)
    if own is not None:
        return own
    if isinstance(value, Enum):
        return type(value).__name__
    if isinstance(value, Mapping):
        return _told(value, "_type_id") or _last_part(_told(value, "_repos_id")) or _char(value)
    return _basic(value)


def repository_id(value: Any) -> str:
    """Return the repository id of a value's type, e.g. `IDL:Person:1.0`.

    Raises:
        EvaluationError: The type has none, as the basic types have none.
    """
    own = own_repository_id(value)
    if own is not None:
        return own
    if not isinstance(value, Mapping | Enum):
        raise EvaluationError(f"{kind_of(value)} has no repository id")
    told = _told(value, "_repos_id") if isinstance(value, Mapping) else ""
    return told or f"IDL:{type_id(value)}:1.0"


def _told(value: Mapping[Any, Any], tag: str) -> str:
    found = value.get(tag)
    return found if isinstance(found, str) else ""


def _last_part(repos_id: str) -> str:
    return repos_id.removeprefix("IDL:").rpartition(":")[0].rpartition("/")[2]


def _char(value: Mapping[Any, Any]) -> str:
    if "_char" in value:
        return "char"
    raise EvaluationError("the structure does not contain its type")


def _basic(value: Any) -> str:
    if isinstance(value, bool):
        return "boolean"
    if isinstance(value, int):
        small = not isinstance(value, LongLong) and -INT32 <= value < INT32
        return "long" if small else "long long"
    for kind, name in ((float, "double"), (str, "string"), (type(None), "null")):
        if isinstance(value, kind):
            return name
    raise EvaluationError(f"{kind_of(value)} has no type name")
