"""Headers and keys of Kafka records as attributes, and back."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from eventservices.kafka.record import Record
from eventservices.stamp import HEADER, Stamp, pack, unpack
from fes.adapter.plain.codec import Message
from fes.errors import CodecError
from fes.mapping import Native
from fes.model import Field, Type
from fes.payload.headers import CONTENT_TYPE

KEY: Final = "Key"
"""Attribute that is a record's key: a string, or octets where it is not UTF-8."""

CLIENT: Final = "Event-Adapter"
"""Header that names the adapter that published a record, which does not receive it."""


@dataclass(frozen=True, slots=True)
class Head:
    """The headers and the key beside the value of a record.

    Attributes:
        stamp: None where its producer does not stamp.
        headers: Headers as text.
        attributes: The key, as an attribute.
        client: Adapter that published it; "" where none did.
        repeated: Repeated headers, which are left out.
    """

    stamp: Stamp | None
    headers: dict[str, str]
    attributes: tuple[Field, ...]
    client: str
    repeated: int


def read_head(record: Record) -> Head:
    """Return the headers and the key beside the value of a record.

    Raises:
        CodecError: A header is not text.
        MalformedError: The stamp is not well formed.
    """
    headers: dict[str, str] = {}
    for name, value in record.headers:
        try:
            headers.setdefault(name, (value or b"").decode())
        except UnicodeDecodeError as error:
            raise CodecError(f"header {name[:80]!r} is not UTF-8") from error
    repeated = len(record.headers) - len(headers)
    text, client = headers.pop(HEADER, None), headers.pop(CLIENT, "")
    stamp = None if text is None else unpack(text)
    return Head(stamp, headers, tuple(_key(record.key)), client, repeated)


def write_head(message: Message, stamp: Stamp, client: str) -> list[tuple[str, bytes]]:
    """Return the headers of a record that is published with a stamp."""
    told = {HEADER: pack(stamp), CLIENT: client, **message.packed.headers}
    told[CONTENT_TYPE.lower()] = told.pop(CONTENT_TYPE)  # as the binding of CloudEvents has it
    return [(name, value.encode()) for name, value in told.items()]


def key_of(native: Native, parameter: str) -> bytes | None:
    """Return the key of a native event's record; None where it has none.

    Args:
        native: The event.
        parameter: Parameter whose value is the key, where there is no attribute `Key`; "" for none.
    """
    for field in native.attributes:
        if field.id == KEY and field.type in (Type.STRING, Type.OCTETS):
            return field.value if field.type is Type.OCTETS else str(field.value).encode()
    found = (field.value for field in native.parameters if parameter and field.id == parameter)
    value = next(found, None)
    return None if value is None else str(value).encode()


def without_key(attributes: tuple[Field, ...]) -> tuple[Field, ...]:
    """Return attributes without the key, which a record has a field for."""
    return tuple(field for field in attributes if field.id != KEY)


def _key(key: bytes | None) -> Iterable[Field]:
    if key is not None:
        try:
            yield Field(KEY, Type.STRING, key.decode())
        except UnicodeDecodeError:
            yield Field(KEY, Type.OCTETS, key)
