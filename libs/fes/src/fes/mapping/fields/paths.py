"""Compiles the moves of a rule's named fields, inbound and outbound."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from msgspec import UNSET

from fes.errors import EventError, MappingError
from fes.mapping.fields.carry import Carry, Convert, Move, Section
from fes.mapping.fields.convert import conversion_of, plain_value
from fes.mapping.frames.place import TYPES
from fes.mapping.rules.model import FieldRule, Plain, Rule
from fes.model import Field

Rename = Callable[[str], str]


@dataclass(frozen=True, slots=True)
class Leg:
    """The move of one named field in one direction.

    Attributes:
        from_section, from_id: In the source event.
        to_section, to_id: In the destination event.
        convert: Type and value at the destination.
        constant: The destination's field, where the rule sets it.
        default: The destination's field, where the source event has none.
        place: Name of the field in errors.
    """

    from_section: Section
    from_id: str
    to_section: Section
    to_id: str
    convert: Convert
    constant: Field | None
    default: Field | None
    place: str


def named_fields(rule: Rule) -> Iterator[tuple[Section, str, FieldRule]]:
    """Yield section, FES identifier and rule of the fields that have no place in octets."""
    for name, field in rule.parameters.items():
        if not field.is_laid_out:
            yield "parameter", name, field
    for name, field in rule.attributes.items():
        if not field.is_laid_out:
            yield "attribute", name, field


def native_end(
    section: Section, name: str, field: FieldRule, outward: Rename
) -> tuple[Section, str]:
    """Return section and identifier of a named field on the native side."""
    if field.source is not None:
        return "parameter", field.source
    if field.source_attribute is not None:
        return "attribute", field.source_attribute
    return section, outward(name)


def legs_in(rule: Rule, outward: Rename, where: str) -> tuple[Leg, ...]:
    """Return the inbound moves.

    Raises:
        MappingError: A constant or default is not of its type.
    """
    legs = []
    for section, name, field in named_fields(rule):
        place = f"{section} {name!r}"
        from_section, from_id = native_end(section, name, field, outward)
        convert = conversion_of(field).inward
        constant, default = _fixed(name, field, f"{where}: {place}")
        legs.append(Leg(from_section, from_id, section, name, convert, constant, default, place))
    return tuple(legs)


def legs_out(rule: Rule, outward: Rename, where: str) -> tuple[Leg, ...]:
    """Return the outbound moves.

    Raises:
        MappingError: A constant or default is not of its type, or two fields go to one.
    """
    legs = []
    for section, name, field in named_fields(rule):
        place = f"{section} {name!r}"
        to_section, to_id = native_end(section, name, field, outward)
        convert = conversion_of(field).outward
        constant, default = _fixed(to_id, field, f"{where}: {place}")
        if default is not None:
            default = _converted(default, convert, f"{where}: {place}")
        legs.append(Leg(section, name, to_section, to_id, convert, constant, default, place))
    _check_targets(legs, where)
    return tuple(legs)


def carry_of(legs: Iterable[Leg], section: Section, base: Carry) -> Carry:
    """Return what makes one section of the destination event.

    Args:
        legs: All moves of one direction.
        section: Which section.
        base: The rest of the result; moves add to its `taken` and `consumed`.
    """
    moves: defaultdict[str, tuple[Move, ...]] = defaultdict(tuple)
    crossing: defaultdict[str, tuple[Move, ...]] = defaultdict(tuple)
    here = [leg for leg in legs if leg.to_section == section]
    for leg in here:
        if leg.constant is None:
            ways = moves if leg.from_section == section else crossing
            ways[leg.from_id] += (Move(leg.to_id, leg.convert, leg.place),)
    gone = {leg.from_id for leg in legs if leg.from_section == section and leg not in here}
    return Carry(
        dict(moves),
        dict(crossing),
        tuple(leg.constant for leg in here if leg.constant),
        tuple(leg.default for leg in here if leg.default),
        base.taken | {leg.to_id for leg in here},
        base.consumed | gone,
        base.passes_rest,
        base.rename,
        base.where,
    )


def _fixed(name: str, field: FieldRule, where: str) -> tuple[Field | None, Field | None]:
    constant = None if field.constant is UNSET else _field(name, field, field.constant, where)
    default = None if field.default is UNSET else _field(name, field, field.default, where)
    return constant, default


def _field(name: str, field: FieldRule, value: Plain, where: str) -> Field:
    try:
        return Field(name, *plain_value(value, TYPES[field.kind] if field.kind else None))
    except (EventError, MappingError) as error:
        raise MappingError(f"{where}: {error}") from error


def _converted(field: Field, convert: Convert, where: str) -> Field:
    try:
        kind, value, _ = convert(field.type, field.value)
    except MappingError as error:
        raise MappingError(f"{where}: {error}") from error
    return Field(field.id, kind, value)


def _check_targets(legs: Iterable[Leg], where: str) -> None:
    seen: dict[tuple[Section, str], Leg] = {}
    for leg in legs:
        first = seen.setdefault((leg.to_section, leg.to_id), leg)
        if first is not leg:
            raise MappingError(
                f"{where}: {first.place} and {leg.place} both go to native {leg.to_section} "
                f"{leg.to_id!r}; use direction: in"
            )
