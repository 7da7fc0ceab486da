"""Payloads as parameters, and back: JSON, MessagePack, text, octets, and by a schema."""

import json
from typing import Any, Final, Literal, Protocol

import msgpack

from fes.errors import CodecError
from fes.model import Field, Type
from fes.model.strict import bounded, parse_json, unique
from fes.payload.plain import MAX_VALUES, Hints, Plain

Form = Literal["json", "msgpack", "text", "raw", "avro", "protobuf"]

CONTENT_TYPES: Final[dict[Form, str]] = {
    "json": "application/json",
    "msgpack": "application/vnd.msgpack",
    "text": "text/plain; charset=utf-8",
    "raw": "application/octet-stream",
    "avro": "application/avro",
    "protobuf": "application/protobuf",
}

_FORMS: Final[dict[str, Form]] = {
    "application/json": "json",
    "text/json": "json",
    "application/vnd.msgpack": "msgpack",
    "application/msgpack": "msgpack",
    "application/x-msgpack": "msgpack",
    "application/xml": "text",
    "application/octet-stream": "raw",
    "application/avro": "avro",
    "application/x-avro": "avro",
    "application/vnd.apache.avro": "avro",
    "avro/binary": "avro",
    "application/protobuf": "protobuf",
    "application/x-protobuf": "protobuf",
    "application/vnd.google.protobuf": "protobuf",
}
_TOLD: Final = {Type.LONG: "long", Type.LONGLONG: "longlong", Type.DOUBLE: "double"}


def form_of(content_type: str) -> Form | None:
    """Return the form that a content type names; None where it is none of ours.

    Source:
        RFC 9110, section 8.3; RFC 6839, sections 3.1 (`+json`) and 3.4 (`+xml`).
    """
    kind = content_type.partition(";")[0].strip().lower()
    if kind in _FORMS:
        return _FORMS[kind]
    if kind.endswith("+json"):
        return "json"
    return "text" if kind.startswith("text/") or kind.endswith("+xml") else None


class SchemaCodec(Protocol):
    """Reads and writes payloads by a schema.

    Attributes:
        form: Of its payloads.
        notes: What its schema cannot carry, in words.
    """

    form: Form
    notes: tuple[str, ...]

    def read(self, payload: bytes) -> Any:
        """Return the plain value of a payload.

        Raises:
            CodecError: It does not follow the schema.
        """

    def write(self, value: dict[str, Any]) -> bytes:
        """Return the payload of a plain value.

        Raises:
            CodecError: The schema has no place for it.
        """


class Bodies:
    """Reads and writes payloads.

    Args:
        value: Name of the parameter that a payload of one value is; "" for a JSON or MessagePack
            payload that is an object. Text and octets then are the parameter `value`.
        schema: Of Avro or Protobuf payloads; None where there is none.

    Attributes:
        value: Of text and octets.
    """

    def __init__(self, value: str = "", schema: SchemaCodec | None = None) -> None:
        self.value = value or "value"
        self._schema = schema
        self._bare = bool(value)
        self._json = Plain(binary=False)
        self._msgpack = Plain(binary=True)

    @property
    def nulls(self) -> int:
        """Members that were null, and are absent from the events."""
        return self._json.nulls + self._msgpack.nulls

    def read(self, form: Form, payload: bytes, hints: Hints) -> tuple[Field, ...]:
        """Return the parameters of a payload.

        Raises:
            CodecError: It is not of the form; the message names the place.
        """
        match form:
            case "json":
                return self._members(self._json, load_json(payload), hints)
            case "msgpack":
                return self._members(self._msgpack, _unpacked(payload), hints)
            case "text":
                return (self._text(payload, hints.get(self.value, "")),)
            case "raw":
                return (Field(self.value, Type.OCTETS, payload),)
        return self._msgpack.read(self._of_schema(form).read(payload), hints)

    def write(self, form: Form, fields: tuple[Field, ...]) -> tuple[bytes, dict[str, str]]:
        """Return the payload of parameters, and the hints that it needs.

        Raises:
            CodecError: They have no such payload.
        """
        if form == "text":
            return self._written_text(self._only(form, fields))
        if form == "raw":
            field = self._only(form, fields)
            if field.type is not Type.OCTETS:
                raise CodecError(f"{field.id}: a raw payload is octets, not {field.type.name}")
            return field.value, {}
        if form in ("avro", "protobuf"):
            return self._by_schema(self._of_schema(form), fields)
        plain = self._json if form == "json" else self._msgpack
        values, hints = plain.write(fields)
        value = values[self._only(form, fields).id] if self._bare else values
        if form == "json":
            return dump_json(value), hints
        try:
            return msgpack.packb(value), hints
        except (ValueError, OverflowError) as error:
            raise CodecError(f"not MessagePack: {error}") from error

    def _of_schema(self, form: Form) -> SchemaCodec:
        if self._schema is None or self._schema.form != form:
            raise CodecError(f"a payload of {form} needs a schema, and the rule has none")
        return self._schema

    def _by_schema(
        self, schema: SchemaCodec, fields: tuple[Field, ...]
    ) -> tuple[bytes, dict[str, str]]:
        values, hints = self._msgpack.write(fields)
        for name, hint in hints.items():
            if hint == "event":
                raise CodecError(f"{name[:80]}: an event that is neither an object nor an array")
        return schema.write(values), hints

    def _members(self, plain: Plain, value: Any, hints: Hints) -> tuple[Field, ...]:
        if not self._bare:
            return plain.read(value, hints)
        if value is None:
            raise CodecError("a payload of one value is null")
        return (plain.field(self.value, value, hints.get(self.value, "")),)

    def _only(self, form: Form, fields: tuple[Field, ...]) -> Field:
        if len(fields) != 1 or fields[0].id != self.value:
            names = [field.id[:40] for field in fields[:4]]
            raise CodecError(
                f"a payload of one value ({form}) is the parameter {self.value!r}, found {names}"
            )
        return fields[0]

    def _text(self, payload: bytes, hint: str) -> Field:
        try:
            text = payload.decode("utf-8")
        except UnicodeDecodeError as error:
            raise CodecError(f"not UTF-8: {error}") from error
        if not hint:
            return Field(self.value, Type.STRING, text)
        field = self._json.field(self.value, parse_json(text), hint if hint == "longlong" else "")
        told = "boolean" if field.type is Type.BOOLEAN else _TOLD.get(field.type)
        if told != hint:
            raise CodecError(f"text of type {hint!r:.40} expected, found {text[:40]!r}")
        return field

    def _written_text(self, field: Field) -> tuple[bytes, dict[str, str]]:
        if field.type is Type.STRING:
            return field.value.encode(), {}
        if field.type is Type.BOOLEAN or field.type in _TOLD:
            hint = "boolean" if field.type is Type.BOOLEAN else _TOLD[field.type]
            try:
                return dump_json(field.value), {self.value: hint}
            except ValueError as error:
                raise CodecError(f"{field.id}: text has no {field.value!r}") from error
        raise CodecError(f"{field.id}: text cannot represent a {field.type.name}")


def load_json(payload: bytes) -> Any:
    """Return the value of a JSON payload, strictly.

    Raises:
        CodecError: It is not JSON, or could be treated as two things.
    """
    try:
        return parse_json(payload.decode("utf-8"), MAX_VALUES)
    except UnicodeDecodeError as error:
        raise CodecError(f"not JSON: {error}") from error


def dump_json(value: Any) -> bytes:
    """Return the JSON of a plain value, as short as it gets."""
    text = json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    return text.encode()


def _unpacked(payload: bytes) -> Any:
    try:
        return msgpack.unpackb(
            payload,
            object_pairs_hook=bounded(unique, MAX_VALUES, "objects"),
            strict_map_key=True,
            max_array_len=MAX_VALUES,
            max_map_len=MAX_VALUES,
        )
    except CodecError:
        raise
    except (ValueError, msgpack.UnpackException, TypeError, OverflowError) as error:
        raise CodecError(f"not MessagePack: {error or type(error).__name__}") from error
