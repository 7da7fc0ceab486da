"""Map messages in the form in which ActiveMQ passes them on by STOMP, and accepts them.

Where a subscription or a message has the header `transformation: jms-map-xml`, the broker writes
and reads a map message as XML; it needs the library XStream for it.
"""

import re
from typing import Any, Final
from xml.etree import ElementTree as ET
from xml.sax.saxutils import escape

from eventservices.jms.message import MAP_XML, TRANSFORMATION

from fes.errors import CodecError
from fes.model import Field, Type
from fes.model.types import INT32_MAX, INT32_MIN, INT64_MAX, INT64_MIN, is_number

_IS_MAP: Final = re.compile(rb"\s*<map(>|\s*/>)")
# XML has the characters beyond U+FFFF; the broker's reader of UTF-8 makes two of one.
_ILLEGAL: Final = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd]")
_WHOLE: Final = {"byte": Type.LONG, "short": Type.LONG, "int": Type.LONG, "long": Type.LONGLONG}
_REAL: Final = ("float", "double")
_SPECIAL: Final = {"inf": "Infinity", "-inf": "-Infinity", "nan": "NaN"}


def is_map(frame: dict[str, str], body: bytes) -> bool:
    """Return whether a message is a map message in this form."""
    return frame.get(TRANSFORMATION) == MAP_XML and bool(_IS_MAP.match(body))


def read_map(body: bytes) -> tuple[Field, ...]:
    """Return the parameters of a map message, in their order.

    Raises:
        CodecError: It is not well formed, or has a value that no parameter has.
    """
    if b"<!" in body:
        raise CodecError("a map message has no declarations")
    try:
        root = ET.fromstring(body)  # noqa: S314 - without declarations there are no entities
    except ET.ParseError as error:
        raise CodecError(f"map message: {error}") from error
    found: dict[str, Field] = {}
    for entry in root:
        if entry.tag != "entry" or len(entry) != 2 or entry[0].tag != "string":
            raise CodecError("map message: expected entries of a string and a value")
        name = entry[0].text or ""
        if not name or name in found:
            raise CodecError(f"map message: name {name[:80]!r} is empty or repeated")
        field = _field(name, entry[1].tag, entry[1].text or "")
        if field is not None:
            found[name] = field
    return tuple(found.values())


def write_map(parameters: tuple[Field, ...]) -> bytes:
    """Return the body of a map message.

    Raises:
        CodecError: A parameter is octets or an event, or has a character that the broker does not
            read.
    """
    return f"<map>{''.join(map(_entry, parameters))}</map>".encode()


def _entry(field: Field) -> str:
    tag, text = _written(field)
    if _ILLEGAL.search(field.id) or _ILLEGAL.search(text):
        raise CodecError(f"{field.id[:80]!r} has a character that a map message has not")
    return f"<entry><string>{_text(field.id)}</string><{tag}>{_text(text)}</{tag}></entry>"


def _text(text: str) -> str:
    return escape(text, {"\r": "&#13;"})


def _written(field: Field) -> tuple[str, str]:
    value: Any = field.value
    if field.type is Type.STRING:
        return "string", value
    if field.type is Type.BOOLEAN:
        return "boolean", "true" if value else "false"
    if field.type is Type.DOUBLE:
        return "double", _SPECIAL.get(repr(value), repr(value))
    if is_number(field.type):
        return ("int" if field.type is Type.LONG else "long"), str(value)
    raise CodecError(f"{field.id[:80]!r}: a map message has no {field.type.name.lower()}")


def _field(name: str, tag: str, text: str) -> Field | None:
    """Return a value of a map; None where it is null."""
    if tag == "null":
        return None
    if tag in ("string", "char"):
        return Field(name, Type.STRING, text)
    if tag == "boolean" and text in ("true", "false"):
        return Field(name, Type.BOOLEAN, text == "true")
    try:
        if tag in _REAL:
            return Field(name, Type.DOUBLE, float(text))
        if tag in _WHOLE:
            return Field(name, _WHOLE[tag], _bounded(int(text), _WHOLE[tag]))
    except ValueError as error:
        raise CodecError(f"map message: {name[:80]!r} is not a {tag}: {text[:80]!r}") from error
    raise CodecError(f"map message: {name[:80]!r} is of type {tag[:40]!r}, which no parameter has")


def _bounded(value: int, kind: Type) -> int:
    low, high = (INT32_MIN, INT32_MAX) if kind is Type.LONG else (INT64_MIN, INT64_MAX)
    if not low <= value <= high:
        raise ValueError(value)
    return value
