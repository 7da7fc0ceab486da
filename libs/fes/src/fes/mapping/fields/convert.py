"""Conversion of named values between types and scales."""

import math
from dataclasses import dataclass
from typing import Any

from fes.errors import EventError, MappingError
from fes.mapping.fields.quantity import INTEGER_RANGES, Scaling, Whole, number
from fes.mapping.frames.place import EXACT_DOUBLE, TYPES
from fes.mapping.rules.model import Encoding, FieldRule, Overflow, Rounding
from fes.model import Type, type_of
from fes.model.types import is_number

_BOOLEANS = {"true": True, "false": False}


@dataclass(frozen=True, slots=True)
class Conversion:
    """The conversion between a named native value and a FES value.

    Attributes:
        scaling: Scaling of numbers.
        kind: FES type; None keeps the value's own.
        native_kind: Type on the native side; None keeps the value's own.
        rounding, overflow: How a number becomes an integer.
        encoding: Between string and octets.
    """

    scaling: Scaling
    kind: Type | None
    native_kind: Type | None
    rounding: Rounding
    overflow: Overflow
    encoding: Encoding

    @property
    def is_identity(self) -> bool:
        """Whether values and types stay as they are, in both directions."""
        return self.scaling.is_identity and self.kind is None and self.native_kind is None

    @property
    def is_numeric(self) -> bool:
        """Whether native values must be numbers."""
        return not self.scaling.is_identity or (
            self.native_kind is not None and is_number(self.native_kind)
        )

    def inward(self, kind: Type, value: Any) -> tuple[Type, Any, bool]:
        """Return type and value for FES, and whether it was saturated.

        Raises:
            MappingError: The value has no form in the FES type.
        """
        if self.is_numeric:
            value = self.scaling.inward(number(value))
            kind = _kind_of_number(value, kind)
        return self._cast(kind, value, self.kind)

    def outward(self, kind: Type, value: Any) -> tuple[Type, Any, bool]:
        """Return type and value for the service, and whether it was saturated.

        Raises:
            MappingError: The value has no form in the native type.
        """
        if not self.scaling.is_identity:
            value = self.scaling.outward(number(value))
            kind = _kind_of_number(value, kind)
        return self._cast(kind, value, self.native_kind)

    def _cast(self, kind: Type, value: Any, wanted: Type | None) -> tuple[Type, Any, bool]:
        if wanted is None or wanted is kind:
            return kind, value, False
        if wanted in INTEGER_RANGES:
            value, saturated = self._to_integer(value, wanted)
            return wanted, value, saturated
        if wanted is Type.DOUBLE:
            return wanted, _to_double(value), False
        if wanted is Type.BOOLEAN:
            return wanted, _to_boolean(value), False
        if wanted is Type.STRING:
            return wanted, self._to_text(value), False
        return wanted, self._to_octets(value), False

    def _to_integer(self, value: Any, wanted: Type) -> tuple[int, bool]:
        if isinstance(value, bool):
            return int(value), False
        if isinstance(value, str):
            value = _parse(value, int)
        plain = number(value)
        if not math.isfinite(plain):
            raise MappingError(f"{plain!r} is not an integer")
        low, high = INTEGER_RANGES[wanted]
        return Whole(low, high, self.rounding, self.overflow).quantise(plain)

    def _to_text(self, value: Any) -> str:
        if isinstance(value, bytes):
            return _decoded(value, self.encoding)
        if isinstance(value, bool):
            return "true" if value else "false"
        return repr(number(value))

    def _to_octets(self, value: Any) -> bytes:
        if not isinstance(value, str):
            raise MappingError(f"a {type(value).__name__} does not become octets")
        try:
            return value.encode(self.encoding)
        except UnicodeEncodeError as error:
            raise MappingError(f"{value[:40]!r} is not {self.encoding}") from error


def conversion_of(rule: FieldRule) -> Conversion:
    """Return the conversion that a field rule describes."""
    return Conversion(
        Scaling(rule.scale, rule.offset),
        TYPES[rule.kind] if rule.kind else None,
        TYPES[rule.native_kind] if rule.native_kind else None,
        rule.rounding,
        rule.overflow,
        rule.encoding,
    )


_SPECIAL = ("nan", "inf", "-inf")


def plain_value(value: Any, kind: Type | None) -> tuple[Type, Any]:
    """Return type and value of a constant or default.

    Args:
        value: As in the file.
        kind: Declared type; None for the smallest that contains it.

    Raises:
        MappingError: The value is not of the declared type.
    """
    own = type_of(value)
    plain = Conversion(Scaling(), kind, None, "exact", "refuse", "utf-8")
    found, made, _ = plain.inward(own, value)
    return found, made


def _kind_of_number(value: float, kind: Type) -> Type:
    if not isinstance(value, int):
        return Type.DOUBLE
    try:
        smallest = type_of(value)
    except EventError as error:
        raise MappingError(str(error)) from error
    return kind if kind is Type.LONGLONG else smallest


def _to_double(value: Any) -> float:
    if isinstance(value, str):
        return float(_parse(value, float))
    plain = number(value)
    if isinstance(plain, int) and abs(plain) > EXACT_DOUBLE:
        raise MappingError(f"integer {plain} loses digits as a double")
    return float(plain)


def _to_boolean(value: Any) -> bool:
    if isinstance(value, str) and value in _BOOLEANS:
        return _BOOLEANS[value]
    if isinstance(value, int) and value in (0, 1):
        return bool(value)
    raise MappingError(f"{str(value)[:40]!r} is neither true nor false")


def _parse(text: str, to: type[int] | type[float]) -> Any:
    plain = text[:400] if text.isascii() else ""
    try:
        value = to(plain.replace("_", " "))  # Python alone reads 1_000
    except ValueError as error:
        raise MappingError(f"{text[:40]!r} is not a number") from error
    if isinstance(value, float) and not math.isfinite(value) and text not in _SPECIAL:
        raise MappingError(f"number {text[:40]!r} is out of range")
    return value


def _decoded(octets: bytes, encoding: Encoding) -> str:
    try:
        return octets.decode(encoding)
    except UnicodeDecodeError as error:
        raise MappingError(f"{octets[:40]!r} is not {encoding}") from error
