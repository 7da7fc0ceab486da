"""Protobuf payloads: one message, by a descriptor set or a `.proto` file.

Source:
    Protocol Buffers, encoding, field presence.
"""

import math
from collections.abc import Mapping
from typing import Any

from google.protobuf import descriptor_pool, message_factory
from google.protobuf.message import DecodeError, EncodeError, Message
from google.protobuf.unknown_fields import UnknownFieldSet

from fes.errors import CodecError
from fes.payload.bodies import Form
from fes.payload.by_schema.descriptors import message_of, path_of
from fes.payload.by_schema.protobuf_values import (
    REAL,
    Declared,
    expect,
    is_map,
    key_text,
    read_key,
    scalar,
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
        descriptor = message_of(pool, name)
        self._class = message_factory.GetMessageClass(descriptor)
        self._losses = losses
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
        message = self._class()
        try:
            message.ParseFromString(body)
        except DecodeError as error:
            raise CodecError(f"not of this Protobuf message: {error}") from error
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
        self._losses.fields_lost += len(UnknownFieldSet(message))
        made: dict[str, Any] = {}
        for field in message.DESCRIPTOR.fields:
            value = getattr(message, field.name)
            if field.is_repeated:
                if not value:
                    continue
                _spend(left, len(value))
                made[field.name] = self._several(field, value, left)
            elif not field.has_presence or message.HasField(field.name):
                _spend(left, 1)
                made[field.name] = self._one(field, value, left)
        return made

    def _several(self, field: Declared, values: Any, left: list[int]) -> Any:
        if not is_map(field):
            return [self._one(field, each, left) for each in values]
        of = field.message_type.fields_by_name["value"]
        made = {key_text(name): self._one(of, values[name], left) for name in values}
        return dict(sorted(made.items()))

    def _one(self, field: Declared, value: Any, left: list[int]) -> Any:
        if field.message_type is not None:
            return self._plain(value, left)
        if field.enum_type is not None:
            known = field.enum_type.values_by_number.get(value)
            return value if known is None else known.name
        return value

    def _fill(self, message: Message, values: Mapping[str, Any], prefix: str) -> None:
        fields = message.DESCRIPTOR.fields_by_name
        for name, value in values.items():
            field, place = fields.get(name), f"{prefix}{name}"
            if field is None:
                self._losses.fields_lost += 1
            elif value is not None:
                self._set(message, field, value, place)

    def _set(self, message: Message, field: Declared, value: Any, place: str) -> None:
        if is_map(field):
            self._set_map(getattr(message, field.name), field, expect(dict, value, place), place)
        elif field.is_repeated:
            target = getattr(message, field.name)
            for each in expect(list, value, place):
                if field.message_type is not None:
                    self._fill(target.add(), expect(dict, each, place), f"{place}.")
                else:
                    target.append(self._scalar(field, each, place))
        elif field.message_type is not None:
            inner = getattr(message, field.name)
            inner.SetInParent()
            self._fill(inner, expect(dict, value, place), f"{place}.")
        else:
            setattr(message, field.name, self._scalar(field, value, place))

    def _set_map(self, target: Any, field: Declared, values: Mapping[str, Any], place: str) -> None:
        entry = field.message_type.fields_by_name
        for name, value in values.items():
            key = read_key(entry["key"], name, place)
            if entry["value"].message_type is not None:
                self._fill(target[key], expect(dict, value, place), f"{place}.")
            else:
                target[key] = self._scalar(entry["value"], value, place)

    def _scalar(self, field: Declared, value: Any, place: str) -> Any:
        made = scalar(field, value, place)
        if field.cpp_type in REAL:
            self._losses.types_changed += isinstance(value, int)
            self._losses.precision_lost += made != value and not math.isnan(made)
        return made


def _spend(left: list[int], values: int) -> None:
    left[0] -= values
    if left[0] < 0:
        raise CodecError(f"more than {MAX_VALUES} values")
