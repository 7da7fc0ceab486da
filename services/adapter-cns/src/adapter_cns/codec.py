"""Structured events and the values of an Any, as events and fields of the model, and back.

| type code of CNS | type of the model |
|---|---|
| STRING, LONG, LONGLONG, DOUBLE, BOOLEAN, OCTETS | the same; 5 as a longlong stays one |
| EVENT: a structured event within an Any | event |
| STRUCT, SEQUENCE, NULL | event of the subject `%STRUCT`, `%SEQUENCE`, `%NULL` |

With the subjects that begin with `%`, values without a type in the model come back unchanged.

Source:
    FES thesis, section 6.3.3.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from eventservices.cns import LongLong, StructuredEvent, Value, structured_event
from fes.errors import EventError
from fes.model import Event, Field, Type
from fes.model.event import MAX_DEPTH
from fes.model.types import INT32_MAX, INT32_MIN

from adapter_cns import qos

STRUCT: Final = "%STRUCT"
SEQUENCE: Final = "%SEQUENCE"
NULL: Final = "%NULL"

DOMAIN_NAME: Final = "DomainName"
TYPE_NAME: Final = "TypeName"
EVENT_NAME: Final = "EventName"
BODY: Final = "remainder_of_body"
"""Parameter, the last one, of an event whose remainder of the body is not empty."""

_PLAIN: Final = {
    str: Type.STRING,
    float: Type.DOUBLE,
    bool: Type.BOOLEAN,
    bytes: Type.OCTETS,
}


@dataclass(frozen=True, slots=True)
class Naming:
    """Where an event's subject is in the header of a structured event.

    Attributes:
        domain: Domain of event types; another one is kept in the attribute `DomainName`.
        by_event_name: Whether the subject is the event's name, otherwise the type's. The other name
            is the same, or kept in the attribute `TypeName` or `EventName`.
    """

    domain: str = ""
    by_event_name: bool = False

    @property
    def other(self) -> str:
        """The attribute that keeps the name that is not the subject."""
        return TYPE_NAME if self.by_event_name else EVENT_NAME


PLAIN: Final = Naming()
"""The naming of events within events."""


def subject_of(event: StructuredEvent, naming: Naming) -> str:
    """Return a structured event's subject.

    Raises:
        EventError: It is empty.
    """
    fixed = event.header.fixed_header
    subject = fixed.event_name if naming.by_event_name else fixed.event_type.type_name
    if not subject:
        raise EventError(f"the event's {'' if naming.by_event_name else 'type '}name is empty")
    return subject


def parameters_of(event: StructuredEvent, body: Value, depth: int = 0) -> tuple[Field, ...]:
    """Return the parameters of a structured event: its filterable data, then its body.

    Args:
        event: The event.
        body: Its remainder of the body; None where it is empty, or mapped elsewhere.
        depth: How deep the event is nested already.

    Raises:
        EventError: Values are nested too deep, or the body's name is in the filterable data.
    """
    fields = [
        Field(name, kind, value)
        if (kind := _PLAIN.get(value.__class__)) is not None
        else field_of(name, value, depth)
        for name, value in event.filterable_data.items()
    ]
    if body is not None:
        if BODY in event.filterable_data:
            raise EventError(f"{BODY!r} is in the filterable data beside a body")
        fields.append(field_of(BODY, body, depth))
    return tuple(fields)


def attributes_of(event: StructuredEvent, naming: Naming, depth: int = 0) -> tuple[Field, ...]:
    """Return the attributes of a structured event, from its header.

    Raises:
        EventError: Values are nested too deep.
    """
    header = event.header.variable_header
    fields = [_attribute(name, value, header, depth) for name, value in header.items()]
    fixed = event.header.fixed_header
    domain, type_name = fixed.event_type
    subject, other = type_name, fixed.event_name
    if naming.by_event_name:
        subject, other = other, subject
    if other and other != subject and naming.other not in header:
        fields.append(Field(naming.other, Type.STRING, other))
    if domain != naming.domain and DOMAIN_NAME not in header:
        fields.append(Field(DOMAIN_NAME, Type.STRING, domain))
    return tuple(fields)


def structured_of(
    subject: str,
    parameters: Sequence[Field],
    attributes: Sequence[Field],
    naming: Naming,
    body: bytes | None = None,
) -> StructuredEvent:
    """Return a structured event.

    Args:
        subject: Subject of the event; both names of the header, unless an attribute specifies the
            other.
        parameters: They become the filterable data; a last one called `remainder_of_body` the
            body.
        attributes: They become the variable header.
        naming: Where the subject is in the header.
        body: Octets for the remainder of the body.
    """
    data = {field.id: value_of(field) for field in parameters}
    remainder: Value = body
    if body is None and parameters and parameters[-1].id == BODY and data[BODY] is not None:
        remainder = data.pop(BODY)
    domain, other = naming.domain, subject
    header: dict[str, Value] = {}
    for field in attributes:
        if field.id == naming.other and field.type is Type.STRING and field.value:
            other = field.value
        elif field.id == DOMAIN_NAME and field.type is Type.STRING:
            domain = field.value
        else:
            name, value = _header_field(field, attributes)
            header[name] = value
    type_name, event_name = (other, subject) if naming.by_event_name else (subject, other)
    return structured_event(
        (domain, type_name),
        event_name,
        variable_header=header,
        filterable_data=data,
        body=remainder,
    )


def field_of(name: str, value: Value, depth: int = 0) -> Field:
    """Return a value of an Any as a field.

    Raises:
        EventError: Values are nested too deep.
    """
    kind = _PLAIN.get(value.__class__)
    if kind is not None:
        return Field(name, kind, value)
    if isinstance(value, LongLong):
        return Field(name, Type.LONGLONG, int(value))
    if isinstance(value, int):
        return Field(name, Type.LONG if INT32_MIN <= value <= INT32_MAX else Type.LONGLONG, value)
    return Field(name, Type.EVENT, _nested(value, depth + 1))


def value_of(field: Field) -> Value:
    """Return a field's value in the form of an Any."""
    value: Value = field.value
    if field.type is Type.LONGLONG:
        return LongLong(field.value) if INT32_MIN <= field.value <= INT32_MAX else value
    return _unnested(field.value) if field.type is Type.EVENT else value


def _nested(value: Value, depth: int) -> Event:
    if depth > MAX_DEPTH:
        raise EventError(f"values are nested deeper than {MAX_DEPTH}")
    if isinstance(value, StructuredEvent):
        return Event(
            subject_of(value, PLAIN),
            parameters_of(value, value.remainder_of_body, depth),
            attributes_of(value, PLAIN, depth),
        )
    if isinstance(value, Mapping):
        return Event(STRUCT, tuple(field_of(name, item, depth) for name, item in value.items()))
    if isinstance(value, list | tuple):
        items = (field_of(str(index), item, depth) for index, item in enumerate(value))
        return Event(SEQUENCE, tuple(items))
    if value is None:
        return Event(NULL)
    raise EventError(f"no type of the event model represents a {type(value).__name__}")


def _unnested(event: Event) -> Value:
    if not event.attributes:
        if event.subject == STRUCT:
            return {field.id: value_of(field) for field in event.parameters}
        if event.subject == SEQUENCE and all(
            field.id == str(index) for index, field in enumerate(event.parameters)
        ):
            return [value_of(field) for field in event.parameters]
        if event.subject == NULL and not event.parameters:
            return None
    return structured_of(event.subject, event.parameters, event.attributes, PLAIN)


def _attribute(name: str, value: Value, header: Mapping[str, Value], depth: int) -> Field:
    convert = qos.IN.get(name)
    field = convert(name, value) if convert is not None else None
    if field is None or (field.id != name and field.id in header):
        return field_of(name, value, depth)
    return field


def _header_field(field: Field, attributes: Sequence[Field]) -> tuple[str, Value]:
    convert = qos.OUT.get(field.id)
    named = convert(field) if convert is not None else None
    if named is None or (named[0] != field.id and any(a.id == named[0] for a in attributes)):
        return field.id, value_of(field)
    return named
