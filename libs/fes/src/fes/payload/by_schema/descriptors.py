"""Protobuf messages of a descriptor set or a `.proto` file, and what bounds them.

Source:
    Protocol Buffers, descriptor.proto; Confluent Schema Registry, wire format (the path of the
    message in its file, as zigzag numbers).
"""

from collections.abc import Iterable, Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

from google.protobuf import descriptor_pb2, descriptor_pool
from google.protobuf.descriptor import Descriptor
from google.protobuf.message import DecodeError

from fes.errors import CodecError
from fes.payload.by_schema.schemas import MAX_SCHEMA_DEPTH, MAX_SCHEMA_FIELDS, read_schema_file


def read_messages(path: Path, data: bytes) -> descriptor_pool.DescriptorPool:
    """Return the messages of a descriptor set, or of a `.proto` file, without extensions.

    An extension has no parameter: what a payload has of one is an unknown field.

    Raises:
        CodecError: It is neither, or does not have all that it imports.
        ImportError: It is a `.proto` file, and the compiler is not installed.
    """
    if path.suffix == ".proto":
        data = _compiled(path)
    try:
        files = descriptor_pb2.FileDescriptorSet.FromString(data)
    except DecodeError as error:
        raise CodecError("not a FileDescriptorSet") from error
    pool = descriptor_pool.DescriptorPool()
    try:
        for each in files.file:
            _drop_extensions(each, each.message_type)
            pool.Add(each)
    except TypeError as error:
        reason = str(error).partition("\n")[0]
        raise CodecError(
            f"not a whole FileDescriptorSet (protoc --include_imports): {reason[:200]}"
        ) from error
    return pool


def message_of(pool: descriptor_pool.DescriptorPool, name: str) -> Descriptor:
    """Return a message.

    Raises:
        CodecError: There is none of this name, or it is recursive or too large.
    """
    try:
        descriptor = pool.FindMessageTypeByName(name)
    except KeyError as error:
        raise CodecError(f"there is no message {name[:80]!r}") from error
    _check(descriptor, (), [MAX_SCHEMA_FIELDS])
    return descriptor


def _drop_extensions(
    around: descriptor_pb2.FileDescriptorProto | descriptor_pb2.DescriptorProto,
    inside: Iterable[descriptor_pb2.DescriptorProto],
) -> None:
    around.ClearField("extension")
    for each in inside:
        _drop_extensions(each, each.nested_type)


def _compiled(path: Path) -> bytes:
    from grpc_tools import protoc  # noqa: PLC0415 - the library is an extra

    with TemporaryDirectory() as folder:
        made = Path(folder) / "set"
        status = protoc.main(
            [
                "protoc",
                f"-I{path.parent}",
                f"-I{Path(protoc.__file__).parent / '_proto'}",
                "--include_imports",
                f"--descriptor_set_out={made}",
                str(path),
            ]
        )
        if status != 0:
            raise CodecError("protoc refuses it; its reasons are on the standard error stream")
        return read_schema_file(made)


def _check(descriptor: Descriptor, above: tuple[str, ...], left: list[int]) -> None:
    """Refuse a message that has itself in it, or more fields or levels than have a bound."""
    if descriptor.full_name in above:
        raise CodecError(f"{descriptor.full_name} is recursive")
    if len(above) >= MAX_SCHEMA_DEPTH:
        raise CodecError(f"nested deeper than {MAX_SCHEMA_DEPTH}")
    for field in descriptor.fields:
        left[0] -= 1
        if left[0] < 0:
            raise CodecError(f"more than {MAX_SCHEMA_FIELDS} fields")
        if field.message_type is not None:
            _check(field.message_type, (*above, descriptor.full_name), left)


def path_of(descriptor: Descriptor) -> bytes:
    """Return the path of a message in its file, as Confluent's framing has it."""
    indexes = list(reversed(list(_indexes(descriptor))))
    if indexes == [0]:
        return b"\0"
    return b"".join(map(_zigzag, (len(indexes), *indexes)))


def _indexes(descriptor: Descriptor) -> Iterator[int]:
    inner: Descriptor | None = descriptor
    while inner is not None:
        outer = inner.containing_type
        siblings = outer.nested_types if outer else inner.file.message_types_by_name.values()
        yield [each.full_name for each in siblings].index(inner.full_name)
        inner = outer


def _zigzag(number: int) -> bytes:
    left, made = number << 1, bytearray()
    while left > 0x7F:
        made.append(left & 0x7F | 0x80)
        left >>= 7
    return bytes((*made, left))
