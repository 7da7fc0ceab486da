"""Protobuf payloads: one message, by a descriptor set or a `.proto` file.

Source:
    Protocol Buffers, encoding, field presence.
"""

from collections.abc import Mapping
from typing import Any

from google.protobuf import descriptor_pool, message_factory
from google.protobuf.message import DecodeError, EncodeError, Message

from fes.errors import CodecError
from fes.payload.bodies import Form
from fes.payload.by_schema.descriptors import message_of, path_of
from fes.payload.by_schema.protobuf_size import check_fields
from fes.payload.by_schema.protobuf_values import (
    REAL,
    Declared,
    expect,
    is_map,
    key_text,
    read_key,
    scalar,
    text_or_other,
)
from fes.payload.by_schema.schemas import confluent_head, without_head
from fes.payload.losses import Losses
from fes.payload.plain import MAX_VALUES


class ProtobufCodec:
    """Reads and writes messages of one type.

    Args:
        pool: Has the message and all that it needs.
        name: Full name of the message.
        number: Of the schema in a registry; None where messages have no head.
        losses: Counts what a message cannot carry.

    Attributes:
        form: `protobuf`.
        notes: What its schema cannot carry, in words.

    Raises:
        CodecError: There is no such message, or it is recursive or too large.
    """

    form: Form = "protobuf"

    def __init__(
        self,
        pool: descriptor_pool.DescriptorPool,
        name: str,
        number: int | None,
        losses: Losses,
    ) -> None:
        self._kind = descriptor = message_of(pool, name)
        self._class = message_factory.GetMessageClass(descriptor)
        self._losses = losses
        self._always: dict[str, list[Declared]] = {}
        rough = ", ".join(each.name for each in descriptor.fields if each.cpp_type == REAL[0])
        self.notes = (
            *((f"rounded to 32 bits: {rough} (precision_lost)",) if rough else ()),
            "a field without presence arrives as its default where it is absent",
        )
        self._head = b"" if number is None else confluent_head(number) + path_of(descriptor)

    def read(self, payload: bytes) -> Any:
        """Return the plain value of a message.

        Raises:
            CodecError: It does not follow the schema, or has too many values.
        """
        body = without_head(payload, self._head, "framing confluent")
        check_fields(self._kind, body)
        message: Any = self._class()
        try:
            message.ParseFromString(body)
        except DecodeError as error:
            raise CodecError(f"not of this Protobuf message: {error}") from error
        if not message.IsInitialized():
            missing = ", ".join(message.FindInitializationErrors()[:4])
            raise CodecError(f"not of this Protobuf message: {missing[:200]} missing")
        size = message.ByteSize()
        message.DiscardUnknownFields()
        self._losses.fields_lost += message.ByteSize() != size
        return self._plain(message, [MAX_VALUES])

    def write(self, value: dict[str, Any]) -> bytes:
        """Return the message of a plain value.

        Raises:
            CodecError: The schema has no place for it; the message names the field.
        """
        message = self._class()
        self._fill(message, value, "")
        try:
            return self._head + message.SerializeToString(deterministic=True)
        except EncodeError as error:
            raise CodecError(f"not of this Protobuf message: {error}") from error

    def _plain(self, message: Message, left: list[int]) -> dict[str, Any]:
        made: dict[str, Any] = {}
        for field, value in self._present(message):
            _spend(left, len(value) if field.is_repeated else 1)
            several = self._several if field.is_repeated else self._one
            made[field.name] = several(field, value, left)
        return made

    def _present(self, message: Message) -> list[tuple[Declared, Any]]:
        """Return the fields that are there, in the order of the schema, and their values."""
        kind = message.DESCRIPTOR
        if kind.full_name not in self._always:
            self._always[kind.full_name] = [
                each for each in kind.fields if not (each.has_presence or each.is_repeated)
            ]
        found: dict[int, tuple[Declared, Any]] = {
            field.index: (field, field.default_value) for field in self._always[kind.full_name]
        }
        for field, value in message.ListFields():
            found[field.index] = field, value
        return [found[at] for at in sorted(found)]

    def _several(self, field: Declared, values: Any, left: list[int]) -> Any:
        if not is_map(field):
            return [self._one(field, each, left) for each in values]
        key, of = (field.message_type.fields_by_name[name] for name in ("key", "value"))
        made = {
            key_text(text_or_other(key, name)): self._one(of, values[name], left) for name in values
        }
        return dict(sorted(made.items()))

    def _one(self, field: Declared, value: Any, left: list[int]) -> Any:
        if field.message_type is not None:
            return self._plain(value, left)
        if field.enum_type is not None:
            known = field.enum_type.values_by_number.get(value)
            return value if known is None else known.name
        return text_or_other(field, value)

    def _fill(self, message: Message, values: Mapping[str, Any], prefix: str) -> None:
        fields = message.DESCRIPTOR.fields_by_name
        for name, value in values.items():
            field, place = fields.get(name), f"{prefix}{name}"
            if field is None:
                self._losses.fields_lost += 1
            elif value is not None:
                self._set(message, field, value, place)

    def _set(self, message: Message, field: Declared, value: Any, place: str) -> None:
        oneof = field.containing_oneof
        other = message.WhichOneof(oneof.name) if oneof is not None else None
        if other is not None:
            raise CodecError(f"{place}: the schema has either this field or {other}")
        if is_map(field):
            self._set_map(getattr(message, field.name), field, expect(dict, value, place), place)
        elif field.is_repeated:
            target = getattr(message, field.name)
            for each in expect(list, value, place):
                if field.message_type is not None:
                    self._fill(target.add(), expect(dict, each, place), f"{place}.")
                else:
                    target.append(scalar(field, each, place, self._losses))
        elif field.message_type is not None:
            inner = getattr(message, field.name)
            inner.SetInParent()
            self._fill(inner, expect(dict, value, place), f"{place}.")
        else:
            setattr(message, field.name, scalar(field, value, place, self._losses))

    def _set_map(self, target: Any, field: Declared, values: Mapping[str, Any], place: str) -> None:
        entry = field.message_type.fields_by_name
        for name, value in values.items():
            key = read_key(entry["key"], name, place)
            if entry["value"].message_type is not None:
                self._fill(target[key], expect(dict, value, place), f"{place}.")
            else:
                target[key] = scalar(entry["value"], value, place, self._losses)


def _spend(left: list[int], values: int) -> None:
    left[0] -= values
    if left[0] < 0:
        raise CodecError(f"more than {MAX_VALUES} values")
