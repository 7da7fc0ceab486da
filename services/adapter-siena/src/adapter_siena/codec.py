"""SIENA notifications as native events of the federation, and back; exact in both directions.

The subject is the attribute `FES_Subject`. A string, double, boolean or octets is the same on both
sides; an integer is a long or, beyond 32 bits, a longlong. `FES_Types` states other types. The
order of fields is the order on the wire, which the native client keeps.

Source:
    FES thesis, section 6.3.4.
"""

from typing import Final

from eventservices.siena import Notification, Value
from eventservices.siena.notification import MAX_ATTRIBUTES
from fes.errors import CodecError, MappingError
from fes.mapping import Native
from fes.model import Event, Field, Type
from fes.model.text import from_json, to_json
from fes.model.types import INT32_MAX, INT32_MIN

from adapter_siena.hints import TYPES, Hints, check_hint, read_hints, write_hint
from adapter_siena.names import Names

SUBJECT: Final = "FES_Subject"
"""Name of the attribute that contains the subject."""

_OWN: Final = frozenset((SUBJECT, TYPES))
_NO_HINTS: Final[Hints] = {}
_PLAIN: Final[dict[type, Type]] = {
    str: Type.STRING,
    float: Type.DOUBLE,
    bool: Type.BOOLEAN,
    bytes: Type.OCTETS,
}


class Codec:
    """Writes and reads notifications.

    Args:
        names: The conversion of names.
        subject_attribute: Attribute with the subject of a notification without `FES_Subject`; ""
            for none.
    """

    def __init__(self, names: Names, subject_attribute: str = "") -> None:
        self._names = names
        self._subject_attribute = subject_attribute

    def to_notification(self, native: Native) -> Notification:
        """Return the notification of a native event.

        Raises:
            MappingError: It has no subject, is octets, or has more fields than SIENA accepts.
        """
        if native.subject is None or native.octets is not None:
            raise MappingError("a SIENA notification has a subject and named values, no octets")
        values: dict[str, Value] = {SUBJECT: native.subject}
        hints: list[str] = []
        for field in native.parameters:
            name = self._names.parameter(field.id)
            values[name] = _value(field, name, hints)
        for field in native.attributes:
            name = self._names.attribute(field.id)
            values[name] = _value(field, name, hints)
        if hints:
            values[TYPES] = " ".join(hints)
        if len(values) > MAX_ATTRIBUTES:
            raise MappingError(f"{len(values)} attributes, more than {MAX_ATTRIBUTES} of SIENA")
        return Notification(values, checked=True)

    def to_native(self, notification: Notification) -> Native:
        """Return the native event of a notification.

        Raises:
            MappingError: It has no subject, a name that does not lead back, or a wrong `FES_Types`.
        """
        values = notification.attributes
        subject = self._subject(notification)
        hints = read_hints(values[TYPES]) if TYPES in values else _NO_HINTS
        place = self._names.place
        parameters: list[Field] = []
        attributes: list[Field] = []
        for name, value in values.items():
            if name in _OWN:
                continue
            is_attribute, identifier = place(name)
            field = _field(identifier, value, hints.get(name), name)
            (attributes if is_attribute else parameters).append(field)
        return Native(subject, tuple(parameters), tuple(attributes))

    def _subject(self, notification: Notification) -> str:
        values = notification.attributes
        subject = values.get(SUBJECT)
        if subject is None and self._subject_attribute:
            subject = values.get(self._subject_attribute)
        if isinstance(subject, str) and subject:
            return subject
        name = SUBJECT if SUBJECT in values else self._subject_attribute or SUBJECT
        raise MappingError(f"no subject: attribute {name!r} is {subject!r:.60}")


def _value(field: Field, name: str, hints: list[str]) -> Value:
    kind, value = field.type, field.value
    if kind is Type.EVENT:
        hints.append(write_hint(name, kind))
        return to_json(value)
    if kind is Type.LONGLONG and INT32_MIN <= value <= INT32_MAX:
        hints.append(write_hint(name, kind))
    native: Value = value
    return native


def _field(identifier: str, value: Value, hint: Type | None, name: str) -> Field:
    if hint is not None:
        kind = check_hint(name, hint, value)
        return Field(identifier, kind, _event(name, value) if kind is Type.EVENT else value)
    known = _PLAIN.get(type(value))
    if known is not None:
        return Field(identifier, known, value)
    is_long = isinstance(value, int) and INT32_MIN <= value <= INT32_MAX
    return Field(identifier, Type.LONG if is_long else Type.LONGLONG, value)


def _event(name: str, value: Value) -> Event:
    try:
        return from_json(str(value))
    except CodecError as error:
        raise MappingError(f"attribute {name!r}: {error}") from error
