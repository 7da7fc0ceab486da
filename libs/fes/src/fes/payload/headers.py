"""Attributes as headers of a message, and back, exactly.

A text that a header can contain is a header of its own; so are `Priority`, `Reliability` and
`Timeout`, as numbers. From the first attribute on that has no such form, all are in one header as
JSON, which keeps the order. A foreign header is an attribute of type string.
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
from fes.payload.bindings import DATA_TYPE, PREFIX, Binding, canonical, is_context

ATTRIBUTES: Final = "Event-Attributes"
"""Header of the attributes that have no header of their own: JSON, as of an event."""

TYPES: Final = "Event-Types"
"""Header of the hints: JSON object of a parameter's identifier to its type."""

ADDED: Final = "Event-Added"
"""Header of a CloudEvent: what of its context was added to the event; names without `ce-`."""

CONTENT_TYPE: Final = "Content-Type"

_OWN: Final = frozenset(name.lower() for name in (STAMP, ATTRIBUTES, TYPES, ADDED, CONTENT_TYPE))
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
    attributes: tuple[Field, ...],
    hints: Mapping[str, str],
    *,
    as_one: bool = False,
    binding: Binding | None = None,
    made: Mapping[str, str] | None = None,
) -> dict[str, str]:
    """Return the headers of attributes and hints; ASCII, but where a binding has Unicode.

    Args:
        attributes: In order.
        hints: See `plain`.
        as_one: Whether no attribute has a header of its own.
        binding: How CloudEvents in binary mode are written; None where they are not.
        made: What is added to the context; a header of its own names it, so that who reads leaves
            it out again. None where the message is not a CloudEvent.
    """
    context = None if made is None else binding
    headers = _added(attributes, made or {}, context) if context else {}
    rest, closed = len(attributes), as_one
    for at, field in enumerate(attributes):
        if context and is_context(field):
            headers.update(context.write((field,)))
            exact = field.type is Type.STRING and field.id != DATA_TYPE
            rest = rest if exact else min(rest, at)
            continue
        text = None if closed else _text(field)
        if text is None or field.id in headers or _misleads(field.id, binding, context):
            rest, closed = min(rest, at), True
        else:
            headers[field.id] = text
    if rest < len(attributes):
        block = to_plain(Event(ATTRIBUTES, (), attributes[rest:]))["attributes"]
        headers[ATTRIBUTES] = json.dumps(block, allow_nan=False, separators=(",", ":"))
    if hints:
        headers[TYPES] = json.dumps(hints, separators=(",", ":"))
    return headers


def read_attributes(
    headers: Mapping[str, str],
    *,
    binding: Binding | None = None,
    content_type: str = "",
) -> tuple[Field, ...]:
    """Return the attributes that headers contain.

    Args:
        headers: Of the message.
        binding: As of `write_headers`.
        content_type: Of the payload; "" where none is known.

    Raises:
        CodecError: They are those of a CloudEvent that lacks something, or the header of the others
            is not what `write_headers` writes.
    """
    context: Mapping[str, str] = {}
    if binding and binding.is_used(headers):
        context = binding.read(headers, content_type)
    found: dict[str, Field] = {}
    for header, text in headers.items():
        name = binding.name_of(header) if binding and context else None
        if name is not None:
            found[name] = Field(name, Type.STRING, context[name])
        elif header.lower() not in _OWN:
            found[header] = _field(header, text)
    if DATA_TYPE in context:
        found.setdefault(DATA_TYPE, Field(DATA_TYPE, Type.STRING, context[DATA_TYPE]))
    for name in read_added(headers) if context else ():
        found.pop(name, None)
    return _with_block(headers.get(ATTRIBUTES), found)


def _with_block(text: str | None, found: dict[str, Field]) -> tuple[Field, ...]:
    """Return attributes with those of the block, which has the exact type of what is in both."""
    if text is not None:
        block = from_plain({"subject": ATTRIBUTES, "attributes": parse_json(text)})
        for field in block.attributes:
            before = found.pop(field.id, field)
            told_otherwise = canonical(before.value) != canonical(field.value)
            if told_otherwise and field.id != DATA_TYPE:  # that of a payload of ours may differ
                raise CodecError(f"attribute {field.id[:80]!r} occurs twice")
            found[field.id] = field
    return tuple(found.values())


def _added(
    attributes: tuple[Field, ...], made: Mapping[str, str], context: Binding
) -> dict[str, str]:
    """Return the headers of what is added to a context."""
    own = {field.id for field in attributes}
    added = [Field(name, Type.STRING, text) for name, text in made.items() if name not in own]
    names = [field.id for field in added] + ([] if DATA_TYPE in own else [DATA_TYPE])
    return {**context.write(added), **write_added(names)}


def _misleads(name: str, binding: Binding | None, context: Binding | None) -> bool:
    """Return whether a header would be read as part of a context."""
    if context:
        return context.name_of(name) is not None
    return binding is not None and binding.is_used({name: ""})


def write_added(names: Iterable[str]) -> dict[str, str]:
    """Return the header of what was added to a context; none where nothing was."""
    text = " ".join(name.removeprefix(PREFIX) for name in names)
    return {ADDED: text} if text else {}


def read_added(headers: Mapping[str, str]) -> frozenset[str]:
    """Return the attributes that were added to a context, and are not the event's."""
    return frozenset(f"{PREFIX}{name}" for name in headers.get(ADDED, "").split())


def read_hints(headers: Mapping[str, str]) -> dict[str, str]:
    """Return the hints that headers contain.

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
