"""Makes the layout that a field rule describes, and checks that no digits would be lost."""

from dataclasses import dataclass
from typing import Final

from fes.errors import MappingError
from fes.mapping.fields.quantity import INTEGER_RANGES, Scaling, Whole
from fes.mapping.frames.bits import Bits, bit_bits, byte_bits
from fes.mapping.frames.layout import Flag, Layout, Number, Octets, Real, Text
from fes.mapping.rules.model import FieldRule
from fes.model import Type

TYPES: Final = {kind.name.lower(): kind for kind in Type if kind is not Type.EVENT}

EXACT_DOUBLE: Final = 2**53
"""Integers up to here are exact as doubles."""

SAFE_SCALED: Final = 2**49
"""Raw values (with the offset in raw units) up to here come back from a scaled double.

Two roundings inbound and two outbound move the quotient by less than
4 * 2**-53 * 2**49 = 1/4.
"""


@dataclass(frozen=True, slots=True)
class Placed:
    """A layout and the FES type of its values."""

    kind: Type
    layout: Layout


def place_of(rule: FieldRule) -> Placed:
    """Return the layout of a field with `bytes` or `bits`.

    Raises:
        MappingError: Values would lose digits, or not fit their type.
    """
    kind = TYPES[rule.kind] if rule.kind else _kind_of_bits(rule)
    if kind in (Type.STRING, Type.OCTETS):
        return Placed(kind, _run(rule, kind))
    bits = _bits(rule)
    if kind is Type.BOOLEAN:
        return Placed(kind, Flag(bits, bits.size))
    scaling = Scaling(rule.scale, rule.offset)
    if rule.real:
        return Placed(kind, Real(bits, scaling))
    whole = Whole(bits.low, bits.high, rule.rounding, rule.overflow)
    if kind is Type.DOUBLE:
        _check_digits(bits, scaling)
        return Placed(kind, Number(bits, scaling, whole, float, bits.size))
    check_range(bits, scaling, kind)
    return Placed(kind, Number(bits, scaling, whole, int, bits.size))


def kind_of(bits: Bits, scaling: Scaling) -> Type:
    """Return the smallest type that contains every value of a run of bits.

    Returns:
        Double where the scale has a fraction; longlong also where it is too small (64 bit
        unsigned).
    """
    if not scaling.is_whole:
        return Type.DOUBLE
    ends = (scaling.inward(bits.low), scaling.inward(bits.high))
    low, high = INTEGER_RANGES[Type.LONG]
    return Type.LONG if low <= min(ends) and max(ends) <= high else Type.LONGLONG


def _kind_of_bits(rule: FieldRule) -> Type:
    return kind_of(_bits(rule), Scaling(rule.scale, rule.offset))


def _run(rule: FieldRule, kind: Type) -> Layout:
    if rule.byte_range is None:
        raise MappingError(f"type {kind.name.lower()} needs bytes, not bits")
    first, last = rule.byte_range
    if kind is Type.OCTETS:
        return Octets(first, last)
    return Text(first, last, rule.encoding, b" " if rule.pad == "space" else b"\0")


def _bits(rule: FieldRule) -> Bits:
    if rule.bit_range is not None:
        start, length = rule.bit_range
        return bit_bits(start, length, rule.endian, signed=rule.signed)
    if rule.byte_range is None or rule.byte_range[1] is None:
        raise MappingError("expected bytes or bits")
    return byte_bits(rule.byte_range[0], rule.byte_range[1], rule.endian, signed=rule.signed)


def _check_digits(bits: Bits, scaling: Scaling) -> None:
    largest = max(-bits.low, bits.high)
    if scaling.is_identity:
        if largest > EXACT_DOUBLE:
            raise MappingError(f"{bits.length} bits lose digits as a double; use longlong")
    elif largest + abs(scaling.offset / scaling.scale) > SAFE_SCALED:
        raise MappingError(f"{bits.length} bits with this scale and offset lose digits")


def check_range(bits: Bits, scaling: Scaling, kind: Type) -> None:
    """Raise an error where a run of bits has values that its type cannot contain.

    Raises:
        MappingError: The message states the range, or that the scale has a fraction.
    """
    name = kind.name.lower()
    if not scaling.is_whole:
        raise MappingError(f"type {name} needs a whole scale and offset; use double")
    ends = (scaling.inward(bits.low), scaling.inward(bits.high))
    low, high = INTEGER_RANGES[kind]
    if min(ends) < low or max(ends) > high:
        raise MappingError(f"values from {min(ends)} to {max(ends)} do not fit type {name}")
