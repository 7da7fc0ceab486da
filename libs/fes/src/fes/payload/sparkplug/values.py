"""Values of metrics as parameters, and back.

Source:
    Eclipse Sparkplug 3.0.0, section 6.4.16 (data types): negative integers in two's complement.
"""

from collections.abc import Iterable
from typing import Any, Final

from fes.errors import CodecError, EventError
from fes.model import Event, Field, Type
from fes.model.types import INT64_MAX, check_value
from fes.payload.plain import ARRAY, OBJECT
from fes.payload.sparkplug.arrays import LONG, read_array, spend, write_array

MAX_DEPTH: Final = 8
"""How deep templates may be nested."""

NAMES: Final = [
    "Unknown",
    "Int8",
    "Int16",
    "Int32",
    "Int64",
    "UInt8",
    "UInt16",
    "UInt32",
    "UInt64",
    "Float",
    "Double",
    "Boolean",
    "String",
    "DateTime",
    "Text",
    "UUID",
    "DataSet",
    "Bytes",
    "File",
    "Template",
    "PropertySet",
    "PropertySetList",
    "Int8Array",
    "Int16Array",
    "Int32Array",
    "Int64Array",
    "UInt8Array",
    "UInt16Array",
    "UInt32Array",
    "UInt64Array",
    "FloatArray",
    "DoubleArray",
    "BooleanArray",
    "StringArray",
    "DateTimeArray",
]
NUMBERS: Final = {name: number for number, name in enumerate(NAMES) if number}

_USUAL: Final = {
    Type.STRING: "String",
    Type.LONG: "Int32",
    Type.LONGLONG: "Int64",
    Type.DOUBLE: "Double",
    Type.BOOLEAN: "Boolean",
    Type.OCTETS: "Bytes",
}
_BITS: Final = {"Int8": 8, "Int16": 16, "Int32": 32, "Int64": 64, "UInt8": 8, "UInt16": 16}
_BITS_ALL: Final = {**_BITS, "UInt32": 32, "UInt64": 64, "DateTime": 64}
_TEXTS: Final = ("String", "Text", "UUID")
_OCTETS: Final = ("Bytes", "File")
_PLACES: Final = {
    **dict.fromkeys(_TEXTS, "string_value"),
    **dict.fromkeys(_OCTETS, "bytes_value"),
    "Boolean": "boolean_value",
    "Float": "float_value",
    "Double": "double_value",
    "DataSet": "dataset_value",
    "Template": "template_value",
}
_TYPES: Final = {
    "string_value": Type.STRING,
    "bytes_value": Type.OCTETS,
    "boolean_value": Type.BOOLEAN,
    "float_value": Type.DOUBLE,
    "double_value": Type.DOUBLE,
}
_CELLS: Final = {*_BITS_ALL, *_TEXTS, "Float", "Double", "Boolean"}


def usual(field: Field) -> str:
    """Return the data type that a parameter has unless another is known; "" for none."""
    if field.type is not Type.EVENT:
        return _USUAL[field.type]
    event: Event = field.value
    kinds = {each.type for each in event.parameters}
    if event.subject != ARRAY or event.attributes or len(kinds) != 1:
        return ""
    element = _USUAL.get(kinds.pop(), "")
    return "" if element in ("", "Bytes") else f"{element}Array"


def read_value(name: str, kind: str, metric: Any, left: list[int], depth: int = 1) -> Field:
    """Return the parameter of a metric that is not null.

    Args:
        name: Of the metric.
        kind: Its data type.
        metric: The message.
        left: How many more values may be read, changed.
        depth: Of templates around it.

    Raises:
        CodecError: It has no value of this type.
    """
    try:
        if not name.isascii():
            check_value(Type.STRING, name, "name")
        made = _read(name, kind, metric, left, depth)
        check_value(made.type, made.value, name)
    except EventError as error:
        raise CodecError(f"metric {name[:80]!r}: {error}") from error
    return made


def write_value(metric: Any, field: Field, kind: str) -> None:
    """Write the value of a parameter into a metric, as a data type.

    Raises:
        CodecError: It has no such value.
    """
    value = field.value
    if kind in _BITS_ALL and _is_whole(value):
        bits, signed = _BITS_ALL[kind], kind.startswith("Int")
        low = -(1 << bits - 1) if signed else 0
        if low <= value < 1 << (bits - signed):
            if bits == 64:
                metric.long_value = value % (1 << 64)
            else:
                metric.int_value = value % (1 << 32)
            return
    elif kind in ("Float", "Double") and field.type is Type.DOUBLE:
        _write_real(metric, kind, value)
        return
    elif kind == "Boolean" and field.type is Type.BOOLEAN:
        metric.boolean_value = value
        return
    elif kind in _TEXTS and field.type is Type.STRING:
        metric.string_value = value
        return
    elif kind in _OCTETS and field.type is Type.OCTETS:
        metric.bytes_value = value
        return
    elif kind.endswith("Array") and field.type is Type.EVENT:
        metric.bytes_value = write_array(kind.removesuffix("Array"), value, field.id)
        return
    raise CodecError(f"metric {field.id[:80]!r}: {kind or 'no data type'} has no {value!r:.40}")


def _read(name: str, kind: str, metric: Any, left: list[int], depth: int) -> Field:
    if kind in _BITS_ALL:
        return _whole(name, kind, metric)
    place = _PLACES.get(kind, "bytes_value" if kind.endswith("Array") else "")
    if not place or not metric.HasField(place):
        raise CodecError(f"metric {name[:80]!r} has no value of its type {kind}")
    value = getattr(metric, place)
    if kind == "DataSet":
        return _data_set(name, value, left)
    if kind == "Template":
        return _template(name, value, left, depth)
    if kind.endswith("Array"):
        return read_array(name, kind.removesuffix("Array"), value, left)
    return Field(name, _TYPES[place], value)


def _whole(name: str, kind: str, metric: Any) -> Field:
    # Writers differ in where they put 32 bits without a sign.
    which = next((each for each in ("int_value", "long_value") if metric.HasField(each)), "")
    if not which:
        raise CodecError(f"metric {name[:80]!r} has no value of its type {kind}")
    bits = _BITS_ALL[kind]
    value = getattr(metric, which)
    if kind.startswith("Int"):
        value %= 1 << bits
        value -= (value >> bits - 1) << bits
    if value > INT64_MAX:
        raise CodecError(f"metric {name[:80]!r}: integer {value} does not fit 64 bit")
    return Field(name, Type.LONG if kind in LONG else Type.LONGLONG, value)


def _data_set(name: str, data: Any, left: list[int]) -> Field:
    columns, kinds = list(data.columns), [name_of(each) for each in data.types]
    if len(columns) != len(kinds) or len(set(columns)) != len(columns):
        raise CodecError(f"metric {name[:80]!r}: columns and their types do not agree")
    if not set(kinds) <= _CELLS:
        raise CodecError(f"metric {name[:80]!r}: a cell has a type that cells have not")
    spend(left, len(data.rows) * max(len(columns), 1))
    rows = []
    for at, row in enumerate(data.rows):
        if len(row.elements) != len(columns):
            raise CodecError(f"metric {name[:80]!r}: row {at} has {len(row.elements)} cells")
        cells = zip(columns, kinds, row.elements, strict=True)
        fields = (_read(column, kind, cell, left, MAX_DEPTH) for column, kind, cell in cells)
        rows.append(Field(str(at), Type.EVENT, Event(OBJECT, tuple(fields))))
    return Field(name, Type.EVENT, Event(ARRAY, tuple(rows)))


def _template(name: str, template: Any, left: list[int], depth: int) -> Field:
    if depth >= MAX_DEPTH:
        raise CodecError(f"metric {name[:80]!r}: templates nested deeper than {MAX_DEPTH}")
    spend(left, len(template.metrics))
    fields = [
        read_value(each.name, name_of(each.datatype), each, left, depth + 1)
        for each in template.metrics
        if not each.is_null
    ]
    check_names(fields)
    return Field(name, Type.EVENT, Event(OBJECT, tuple(fields)))


def check_names(fields: Iterable[Field]) -> None:
    """Check that no two metrics have one name.

    Raises:
        CodecError: Two have.
    """
    known: set[str] = set()
    for field in fields:
        if field.id in known:
            raise CodecError(f"metric {field.id[:80]!r} occurs twice")
        known.add(field.id)


def name_of(number: int) -> str:
    """Return the name of a data type."""
    return NAMES[number] if number < len(NAMES) else f"data type {number}"


def _write_real(metric: Any, kind: str, value: float) -> None:
    if kind == "Double":
        metric.double_value = value
    else:
        metric.float_value = value


def _is_whole(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)
