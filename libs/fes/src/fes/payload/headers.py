"""Attributes as headers of a message, and back, exactly.

A text that a header takes is a header of its own; so are `Priority`, `Reliability` and `Timeout`,
as numbers. From the first attribute on that has no such form, all are in one header as JSON, which
keeps the order. A foreign header is an attribute of type string.
"""

import json
import re
from collections.abc import Iterable, Mapping
from typing import Any, Final

from eventservices.stamp import HEADER as STAMP

from fes.errors import CodecError
from fes.model import Event, Field, Type
from fes.model.attributes import PRIORITY, RELIABILITY, TIMEOUT
from fes.model.strict import parse_json
from fes.model.text import from_plain, to_plain
from fes.model.types import INT32_MAX, INT32_MIN

ATTRIBUTES: Final = "Event-Attributes"
"""Header of the attributes that have no header of their own: JSON, as of an event."""

TYPES: Final = "Event-Types"
"""Header of the hints: JSON object of a parameter's identifier to its type."""

CONTENT_TYPE: Final = "Content-Type"

_OWN: Final = frozenset(name.lower() for name in (STAMP, ATTRIBUTES, TYPES, CONTENT_TYPE))
_SERVERS: Final = "nats-"
_NAME: Final = re.compile(r"[!#$%&'*+\-.^_`|~0-9A-Za-z]+")
_VALUE: Final = re.compile(r"(?:[!-~](?:[ -~]*[!-~])?)?")
_WHOLE: Final = re.compile(r"-?(0|[1-9][0-9]{0,9})")
_NUMBER: Final = re.compile(r"[0-9]{1,15}(\.[0-9]{1,17})?")
_WHOLES: Final = (PRIORITY, RELIABILITY)


def read_block(block: bytes) -> tuple[dict[str, str], int]:
    """Return the headers of a NATS header block, and how many were repetitions and left out.

    Source:
        NATS ADR-4: a version line, then `name: value` lines; names are case sensitive.
    """
    found: dict[str, str] = {}
    repeated = 0
    for line in block.split(b"\r\n")[1:]:
        name, colon, value = line.partition(b":")
        if not colon:
            continue
        key = name.decode("utf-8", "replace")
        if key in found:
            repeated += 1
        else:
            found[key] = value.strip().decode("utf-8", "replace")
    return found, repeated


def write_headers(
    attributes: tuple[Field, ...], hints: Mapping[str, str], *, as_one: bool = False
) -> dict[str, str]:
    """Return the headers of attributes and hints; ASCII.

    Args:
        attributes: In order.
        hints: See `plain`.
        as_one: Whether no attribute has a header of its own.
    """
    headers: dict[str, str] = {}
    for at, field in enumerate(attributes):
        text = None if as_one else _text(field)
        if text is None or field.id in headers:
            rest = to_plain(Event(ATTRIBUTES, (), attributes[at:]))["attributes"]
            headers[ATTRIBUTES] = json.dumps(rest, allow_nan=False, separators=(",", ":"))
            break
        headers[field.id] = text
    if hints:
        headers[TYPES] = json.dumps(hints, separators=(",", ":"))
    return headers


def read_attributes(headers: Mapping[str, str]) -> tuple[Field, ...]:
    """Return the attributes that headers tell.

    Raises:
        CodecError: The header of the others is not what `write_headers` writes.
    """
    found = {name: _field(name, text) for name, text in headers.items() if name.lower() not in _OWN}
    if ATTRIBUTES in headers:
        plain = parse_json(headers[ATTRIBUTES])
        for field in from_plain({"subject": ATTRIBUTES, "attributes": plain}).attributes:
            if field.id in found:
                raise CodecError(f"attribute {field.id[:80]!r} stands twice")
            found[field.id] = field
    return tuple(found.values())


def read_hints(headers: Mapping[str, str]) -> dict[str, str]:
    """Return the hints that headers tell.

    Raises:
        CodecError: They are no JSON object of strings.
    """
    text = headers.get(TYPES)
    if text is None:
        return {}
    hints: Any = parse_json(text)
    if not isinstance(hints, dict) or not _are_strings(hints.values()):
        raise CodecError(f"{TYPES}: expected an object of strings")
    return hints


def _are_strings(values: Iterable[object]) -> bool:
    return all(isinstance(value, str) for value in values)


def _text(field: Field) -> str | None:
    """Return the header's text that leads back to an attribute; None where there is none."""
    name = field.id.lower()
    if not _NAME.fullmatch(field.id) or name in _OWN or name.startswith(_SERVERS):
        return None
    if field.type not in (Type.STRING, Type.LONG, Type.DOUBLE):
        return None
    text = field.value if field.type is Type.STRING else repr(field.value)
    return text if _VALUE.fullmatch(text) and _same(_field(field.id, text), field) else None


def _same(one: Field, other: Field) -> bool:
    return one.type is other.type and one.value == other.value


def _field(name: str, text: str) -> Field:
    if name in _WHOLES and _WHOLE.fullmatch(text) and INT32_MIN <= int(text) <= INT32_MAX:
        return Field(name, Type.LONG, int(text))
    if name == TIMEOUT and _NUMBER.fullmatch(text):
        return Field(name, Type.DOUBLE, float(text))
    return Field(name, Type.STRING, text)
