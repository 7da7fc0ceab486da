"""Schema files of payloads: what the federation's file specifies of them, and their framing."""

import struct
from pathlib import Path
from typing import Annotated, Final, Literal

import msgspec
from msgspec import Meta

from fes.errors import CodecError
from fes.payload.bodies import Form

MAX_SCHEMA_BYTES: Final = 1024 * 1024
"""Largest schema file."""

MAX_SCHEMA_FIELDS: Final = 4096
"""Most fields of a schema, those of nested records included."""

MAX_SCHEMA_DEPTH: Final = 32
"""How deep the records, arrays and maps of a schema may be nested."""

Framing = Literal["none", "single-object", "confluent"]

_CONFLUENT: Final = struct.Struct(">bI")


class Schema(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A schema that payloads follow.

    Attributes:
        file: Avro: a schema in JSON (`.avsc`). Protobuf: a `FileDescriptorSet` as `protoc
            --include_imports --descriptor_set_out` writes it, or a `.proto` file. Relative to the
            federation's file.
        message: Protobuf: full name of the message.
        framing: What is before a payload: nothing, the two octets and the fingerprint of Avro's
            single-object encoding, or the octet and the number of Confluent's registry.
        id: With `confluent`: number of the schema in the registry.
    """

    file: Annotated[str, Meta(min_length=1, max_length=4096)]
    message: Annotated[str, Meta(max_length=1024)] = ""
    framing: Framing = "none"
    id: Annotated[int, Meta(ge=0, le=0xFFFFFFFF)] | None = None

    def __post_init__(self) -> None:
        """Check what types cannot express."""
        if (self.framing == "confluent") != (self.id is not None):
            raise ValueError("framing confluent needs an id, and no other framing has one")

    def check(self, form: str) -> None:
        """Check what depends on the form of the payload.

        Raises:
            ValueError: A key is missing or too much.
        """
        if form == "protobuf" and not self.message:
            raise ValueError("a schema of protobuf needs the name of its message")
        if form == "protobuf" and self.framing == "single-object":
            raise ValueError("framing single-object is of avro")
        if form == "avro" and self.message:
            raise ValueError("a schema of avro has no message")


def form_of_schema(payload: str, schema: Schema) -> Form:
    """Return the form that a schema is of, also where only the content type will name it."""
    if payload in ("avro", "protobuf"):
        return "avro" if payload == "avro" else "protobuf"
    return "protobuf" if schema.message else "avro"


def read_schema_file(path: Path) -> bytes:
    """Return the bytes of a schema file.

    Raises:
        CodecError: It cannot be read, or is too large.
    """
    try:
        with path.open("rb") as file:
            data = file.read(MAX_SCHEMA_BYTES + 1)
    except OSError as error:
        raise CodecError(f"cannot be read: {error.strerror or error}") from error
    if len(data) > MAX_SCHEMA_BYTES:
        raise CodecError(f"exceeds the limit of {MAX_SCHEMA_BYTES} bytes")
    return data


def confluent_head(number: int) -> bytes:
    """Return what is before a payload whose schema a registry has."""
    return _CONFLUENT.pack(0, number)


def without_head(payload: bytes, head: bytes, what: str) -> bytes:
    """Return a payload without its head.

    Args:
        payload: With the head.
        head: That which it must have.
        what: What the head is, for people.

    Raises:
        CodecError: It has another head, or none; the message shows both.
    """
    if not payload.startswith(head):
        found = payload[: len(head)].hex()
        raise CodecError(f"{what}: expected {head.hex()}, found {found or 'nothing'}")
    return payload[len(head) :]
