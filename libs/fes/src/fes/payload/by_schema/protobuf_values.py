"""Single values of Protobuf messages: which of ours fits which of theirs."""

from typing import Any, Final

from google.protobuf.descriptor import FieldDescriptor

from fes.errors import CodecError
from fes.payload.losses import Losses
from fes.payload.reals import real

Declared = Any
"""A field's descriptor; the stubs have two classes for the one that there is."""

_WHOLE: Final = (
    FieldDescriptor.CPPTYPE_INT32,
    FieldDescriptor.CPPTYPE_INT64,
    FieldDescriptor.CPPTYPE_UINT32,
    FieldDescriptor.CPPTYPE_UINT64,
)
REAL: Final = (FieldDescriptor.CPPTYPE_FLOAT, FieldDescriptor.CPPTYPE_DOUBLE)


def scalar(field: Declared, value: Any, place: str, losses: Losses) -> Any:
    """Return a value as a message has it, and count what it loses.

    Raises:
        CodecError: It is of another type, or out of range.
    """
    kind = field.cpp_type
    is_whole = isinstance(value, int) and not isinstance(value, bool)
    fits = {
        FieldDescriptor.CPPTYPE_BOOL: isinstance(value, bool),
        FieldDescriptor.CPPTYPE_STRING: isinstance(
            value, bytes if field.type == FieldDescriptor.TYPE_BYTES else str
        ),
        FieldDescriptor.CPPTYPE_ENUM: isinstance(value, str) or is_whole,
    }
    if not fits.get(kind, is_whole or (kind in REAL and isinstance(value, float))):
        raise CodecError(f"{place}: the schema has another type, found {value!r:.40}")
    if kind == FieldDescriptor.CPPTYPE_ENUM:
        return _number_of(field, value, place)
    if kind in REAL:
        return real(value, place, losses, single=kind == FieldDescriptor.CPPTYPE_FLOAT)
    if kind in _WHOLE:
        _check_whole(kind, value, place)
    return value


def text_or_other(field: Declared, value: Any) -> Any:
    """Return the value of a field, which is text where the schema has text.

    Raises:
        CodecError: It is octets that are not UTF-8, which proto2 leaves to the reader.
    """
    if isinstance(value, bytes) and field.type == FieldDescriptor.TYPE_STRING:
        raise CodecError(f"{field.full_name}: not UTF-8")
    return value


def is_map(field: Declared) -> bool:
    """Return whether a field is a map, which is written as messages of key and value."""
    entry = field.message_type
    return bool(field.is_repeated and entry is not None and entry.GetOptions().map_entry)


def key_text(key: object) -> str:
    """Return a key of a map as the name of a parameter."""
    return str(key).lower() if isinstance(key, bool) else str(key)


def read_key(field: Declared, name: str, place: str) -> Any:
    """Return the key of a map that a name of a parameter is.

    Raises:
        CodecError: It is none.
    """
    refused = CodecError(f"{place}: {name[:40]!r} is not a key of this map")
    try:
        match field.cpp_type:
            case FieldDescriptor.CPPTYPE_STRING:
                return name
            case FieldDescriptor.CPPTYPE_BOOL:
                return {"true": True, "false": False}[name]
        key = int(name)
    except (KeyError, ValueError) as error:
        raise refused from error
    if str(key) != name:  # else two names would be one key
        raise refused
    _check_whole(field.cpp_type, key, place)
    return key


def _check_whole(kind: int, value: int, place: str) -> None:
    bits = 32 if kind in (FieldDescriptor.CPPTYPE_INT32, FieldDescriptor.CPPTYPE_UINT32) else 64
    signed = kind in (FieldDescriptor.CPPTYPE_INT32, FieldDescriptor.CPPTYPE_INT64)
    low, high = (-(1 << bits - 1), (1 << bits - 1) - 1) if signed else (0, (1 << bits) - 1)
    if not low <= value <= high:
        raise CodecError(f"{place}: {value} does not fit {'' if signed else 'unsigned '}{bits} bit")


def _number_of(field: Declared, value: str | int, place: str) -> int:
    kind = field.enum_type
    if isinstance(value, int) and (not kind.is_closed or value in kind.values_by_number):
        _check_whole(FieldDescriptor.CPPTYPE_INT32, value, place)
        return value
    known = kind.values_by_name.get(value)
    if known is None:
        raise CodecError(f"{place}: {value!r:.40} is not a value of {kind.full_name}")
    number: int = known.number
    return number


def expect(kind: type, value: Any, place: str) -> Any:
    """Return a value that is of a type.

    Raises:
        CodecError: It is of another.
    """
    if not isinstance(value, kind):
        raise CodecError(f"{place}: the schema has another type, found {value!r:.40}")
    return value
