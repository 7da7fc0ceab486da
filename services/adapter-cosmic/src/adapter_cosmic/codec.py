"""Events in the form of COSMIC, and back: octets by rule, others as records, exactly."""

from collections.abc import Mapping
from typing import Any

from eventservices.cosmic import Delivery, Event, Item, Kind, Record
from eventservices.cosmic.record import decode, encode
from eventservices.errors import MalformedError
from fes.errors import AdapterError, CodecError
from fes.mapping import Native
from fes.model import Event as FesEvent
from fes.model import Field, Type, attributes
from fes.model.types import INT32_MAX, INT32_MIN

_BY_CLASS = {str: Type.STRING, float: Type.DOUBLE, bool: Type.BOOLEAN, bytes: Type.OCTETS}


def to_record(subject: str, event: Native | FesEvent) -> Record:
    """Return the record of an event."""
    return Record(subject, _items(event.parameters), _items(event.attributes))


def to_fes(record: Record) -> FesEvent:
    """Return the event of a record."""
    return FesEvent(record.subject, _fields(record.items), _fields(record.context))


def to_native(delivery: Delivery, time_us: int) -> Native:
    """Return a delivery to a node as a native event.

    Args:
        delivery: From a channel, or of a frame's identifier.
        time_us: When it happened, on the federation clock.

    Raises:
        CodecError: Its content does not fit its form.
    """
    if not delivery.subject:
        frame = delivery.frame
        told = _told(delivery.attributes)
        return Native(None, (), told, delivery.content, frame.can_id, frame.extended, time_us)
    if not delivery.typed:
        told = _told(delivery.attributes)
        return Native(delivery.subject, (), told, delivery.content, time_us=time_us)
    record = read_record(delivery)
    return Native(record.subject, _fields(record.items), _fields(record.context), time_us=time_us)


def read_record(delivery: Delivery) -> Record:
    """Return the record that an event contains.

    Raises:
        CodecError: It contains none, or that of another channel.
    """
    try:
        record = decode(delivery.content)
    except MalformedError as error:
        raise CodecError(str(error)) from error
    if record.subject != delivery.subject:
        raise CodecError(f"{record.subject[:100]!r} came on the channel {delivery.subject!r}")
    return record


def to_cosmic(native: Native, expires_us: int | None) -> Event:
    """Return the form of a native event on a channel.

    Args:
        native: An event with a subject.
        expires_us: When it expires, wall clock; None where it does not.

    Raises:
        AdapterError: The bus has no form for it; the message states why.
    """
    if native.subject is None:
        raise AdapterError("an event without subject and CAN identifier has no channel")
    if native.octets is not None:
        if native.parameters:
            raise AdapterError("an event of a channel contains either octets or parameters")
        others = plain(native.attributes)
        return Event(native.subject, native.octets, others, expires_us=expires_us)
    try:
        content = encode(to_record(native.subject, native))
    except MalformedError as error:
        raise AdapterError(str(error)) from error
    return Event(native.subject, content, typed=True, expires_us=expires_us)


def plain(fields: tuple[Field, ...]) -> dict[str, Any]:
    """Return attributes as plain values, for events of octets; nested events are left out."""
    return {field.id: field.value for field in fields if field.type is not Type.EVENT}


def altered(native: Native) -> int:
    """Return how many attributes would come back changed.

    Beside a record none does. Beside octets and frames there are plain values: an event is left
    out, and a `longlong` that fits a `long` comes back as a `long`.
    """
    if native.can_id is None and native.octets is None:
        return 0
    return sum(field.type is not _type_beside(field) for field in native.attributes)


def _type_beside(field: Field) -> Type | None:
    """Return the type that a plain value comes back with; None where it is left out."""
    return None if field.type is Type.EVENT else _type_of(field.value)


def timeout_s(native: Native) -> float | None:
    """Return how long an event is worth sending, seconds; None where it has no `Timeout`."""
    for field in native.attributes:
        if field.id == attributes.TIMEOUT and field.type is Type.DOUBLE:
            return max(0.0, float(field.value))
    return None


def _items(fields: tuple[Field, ...]) -> tuple[Item, ...]:
    return tuple(
        Item(
            field.id,
            Kind(field.type.value),
            to_record(field.value.subject, field.value)
            if field.type is Type.EVENT
            else field.value,
        )
        for field in fields
    )


def _fields(items: tuple[Item, ...]) -> tuple[Field, ...]:
    return tuple(
        Field(
            each.name,
            Type(each.kind.value),
            to_fes(each.value) if each.kind is Kind.RECORD else each.value,
        )
        for each in items
    )


def _told(values: Mapping[str, Any]) -> tuple[Field, ...]:
    return tuple(Field(name, _type_of(value), value) for name, value in values.items())


def _type_of(value: Any) -> Type:
    kind = _BY_CLASS.get(type(value))
    if kind is not None:
        return kind
    return Type.LONG if INT32_MIN <= value <= INT32_MAX else Type.LONGLONG
