"""Schema files, loaded with the library that reads them, which is optional."""

from collections.abc import Iterable
from pathlib import Path

from fes.errors import CodecError, FederationError
from fes.payload.bodies import Form, SchemaCodec
from fes.payload.by_schema.schemas import Schema, form_of_schema, read_schema_file
from fes.payload.losses import Losses


def load_schema(schema: Schema, form: Form, base: Path, losses: Losses) -> SchemaCodec:
    """Return what reads and writes payloads by a schema.

    Args:
        schema: As the federation's file specifies it.
        form: `avro` or `protobuf`.
        base: Folder that its path starts from.
        losses: Counts what payloads cannot carry.

    Raises:
        FederationError: The file cannot be read, has another content, is recursive or too large, or
            the package that reads it is not installed; the message states which.
    """
    path = base / schema.file
    try:
        if form == "avro":
            from fes.payload.by_schema.avro import AvroCodec  # noqa: PLC0415 - the library is an extra

            return AvroCodec(read_schema_file(path), schema.framing, schema.id, losses)
        from fes.payload.by_schema.descriptors import read_messages  # noqa: PLC0415 - the library is an extra
        from fes.payload.by_schema.protobuf import ProtobufCodec  # noqa: PLC0415 - the library is an extra

        found = read_messages(path, read_schema_file(path))
        return ProtobufCodec(found, schema.message, schema.id, losses)
    except ImportError as error:
        needed = {"fastavro": "avro", "google": "protobuf", "grpc_tools": "proto"}
        name = (error.name or "").partition(".")[0]
        extra = needed.get(name, form)
        raise FederationError(needs_package(form, extra)) from error
    except CodecError as error:
        raise FederationError(f"schema {schema.file}: {error}") from error


def load_schemas(
    payloads: Iterable[tuple[str, Schema | None]], base: Path, losses: Losses
) -> dict[int, SchemaCodec]:
    """Return what reads and writes payloads by each schema of several, by its place.

    Raises:
        FederationError: As `load_schema`.
    """
    found: dict[int, SchemaCodec] = {}
    known: dict[tuple[Schema, Form], SchemaCodec] = {}
    for at, (payload, schema) in enumerate(payloads):
        if schema is not None:
            key = (schema, form_of_schema(payload, schema))
            if key not in known:
                known[key] = load_schema(*key, base, losses)
            found[at] = known[key]
    return found


def needs_package(form: str, extra: str) -> str:
    """Return the reason where the package for a payload is missing."""
    return f"payload {form} needs a package that is not installed: pip install 'fes[{extra}]'"
