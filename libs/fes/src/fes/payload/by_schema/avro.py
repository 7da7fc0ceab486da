"""Avro payloads: one record, by a schema file.

Logical types are what they are made of: a timestamp is an integer, a decimal is octets.

Source:
    Apache Avro 1.12.0 specification: binary encoding, single-object encoding; Confluent Schema
    Registry, wire format.
"""

import io
from typing import Any, Final

import fastavro
from fastavro.schema import fingerprint, parse_schema, to_parsing_canonical_form

from fes.errors import CodecError
from fes.payload.bodies import Form
from fes.payload.by_schema.avro_schema import read_record_schema
from fes.payload.by_schema.schemas import Framing, confluent_head, without_head
from fes.payload.by_schema.shape import Shaper
from fes.payload.losses import Losses
from fes.payload.plain import MAX_VALUES

SINGLE_OBJECT: Final = b"\xc3\x01"

MAX_READS: Final = 4 * MAX_VALUES
"""Most looks at a payload, one or some of each value; more would delay everything else."""

_CONTAINER: Final = b"Obj\x01"


class AvroCodec:
    """Reads and writes records.

    Args:
        schema: The file, JSON.
        framing: What is before a record.
        number: Of the schema in a registry, where `framing` is `confluent`.
        losses: Counts what a record cannot carry.

    Attributes:
        form: `avro`.
        notes: What its schema cannot carry, in words.

    Raises:
        CodecError: It is not the schema of a record, or has no bound; the message states why.
    """

    form: Form = "avro"

    def __init__(self, schema: bytes, framing: Framing, number: int | None, losses: Losses) -> None:
        plain = read_record_schema(schema)
        try:
            self._schema: Any = parse_schema(plain)
            canonical = to_parsing_canonical_form(plain)
        except Exception as error:  # the library has errors of many kinds
            raise CodecError(f"not an Avro schema: {_reason(error)}") from error
        self._head, self._framing = b"", framing
        if framing == "confluent":
            self._head = confluent_head(number or 0)
        elif framing == "single-object":
            self._head = SINGLE_OBJECT + bytes.fromhex(fingerprint(canonical, "CRC-64-AVRO"))
        self._shaper = Shaper(plain, losses)
        rough = ", ".join(each["name"] for each in plain["fields"] if _is_rough(each["type"]))
        self.notes: tuple[str, ...] = (
            (f"rounded to 32 bits: {rough} (precision_lost)",) if rough else ()
        )

    def read(self, payload: bytes) -> Any:
        """Return the plain value of a record.

        Raises:
            CodecError: It does not follow the schema, or something is left behind it.
        """
        if payload.startswith(_CONTAINER):
            raise CodecError("an Avro file with a container, not one record")
        body = without_head(payload, self._head, f"framing {self._framing}")
        stream = _Bounded(body)
        try:
            value = fastavro.schemaless_reader(stream, self._schema, None)
        except CodecError:
            raise
        except Exception as error:  # the library has errors of many kinds
            raise CodecError(f"not of this Avro schema: {_reason(error)}") from error
        if stream.tell() != len(body):
            raise CodecError(f"not of this Avro schema: {len(body) - stream.tell()} bytes are left")
        return value

    def write(self, value: dict[str, Any]) -> bytes:
        """Return the record of a plain value.

        Raises:
            CodecError: The schema has no place for it; the message names the field.
        """
        shaped = self._shaper.record(value)
        stream = io.BytesIO()
        try:
            fastavro.schemaless_writer(stream, self._schema, shaped)
        except Exception as error:  # the library has errors of many kinds
            raise CodecError(f"not of this Avro schema: {_reason(error)}") from error
        return self._head + stream.getvalue()


class _Bounded(io.BytesIO):
    """Ends a reader that would make more values than any payload has."""

    def __init__(self, body: bytes) -> None:
        super().__init__(body)
        self._left = MAX_READS

    def read(self, size: int | None = -1, /) -> bytes:
        """Return the next octets.

        Raises:
            CodecError: Raised when they were read too often.
        """
        self._left -= 1
        if self._left < 0:
            raise CodecError(f"too many values: more than {MAX_READS} parts")
        return super().read(size)


def _is_rough(type_: Any) -> bool:
    each = type_ if isinstance(type_, list) else [type_]
    return "float" in each and "double" not in each


def _reason(error: Exception) -> str:
    return (str(error) or type(error).__name__)[:200]
