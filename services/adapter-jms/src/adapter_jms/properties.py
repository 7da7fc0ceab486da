"""Parameters that travel as JMS properties."""

import math
from collections.abc import Iterator, Mapping
from typing import Any, Final

from eventservices.jms.properties import PropertyType, read_property
from fes.adapter.plain.fields import lacking
from fes.errors import CodecError
from fes.model import Field, Type

_TYPES: Final[dict[PropertyType, Type]] = {
    "boolean": Type.BOOLEAN,
    "byte": Type.LONG,
    "short": Type.LONG,
    "int": Type.LONG,
    "long": Type.LONGLONG,
    "float": Type.DOUBLE,
    "double": Type.DOUBLE,
    "string": Type.STRING,
}


def read_properties(
    declared: Mapping[str, PropertyType], frame: Mapping[str, str]
) -> Iterator[Field]:
    """Yield the parameters that properties are.

    Raises:
        MalformedError: One is not of its type.
    """
    for name, kind in declared.items():
        text = frame.get(name)
        if text is not None:
            yield Field(name, _TYPES[kind], read_property(name, kind, text))


def with_properties(found: tuple[Field, ...], properties: tuple[Field, ...]) -> tuple[Field, ...]:
    """Return parameters with those that are properties; a payload may repeat them.

    Raises:
        CodecError: The payload has another value.
    """
    known = {field.id: field for field in found}
    for field in properties:
        other = known.get(field.id)
        if other is not None and not _are_same(other.value, field.value):
            raise CodecError(f"{field.id!r} is another in the payload than in the property")
    return (*lacking(properties, found), *found)


def _are_same(one: Any, other: Any) -> bool:
    both_nan = all(isinstance(each, float) and math.isnan(each) for each in (one, other))
    return both_nan or (isinstance(one, str) == isinstance(other, str) and one == other)
