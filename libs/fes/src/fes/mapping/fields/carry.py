"""Named fields in transit between a native event and a FES event; the same in both directions."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from fes.errors import MappingError
from fes.mapping.counters import Counters
from fes.model import Field, Type

Section = Literal["parameter", "attribute"]

Convert = Callable[[Type, Any], tuple[Type, Any, bool]]


@dataclass(frozen=True, slots=True)
class Move:
    """The move of one named field to the destination.

    Attributes:
        target: Its identifier at the destination.
        convert: Its type and value there.
        place: Name of the field in errors.
    """

    target: str
    convert: Convert
    place: str


@dataclass(frozen=True, slots=True)
class Carry:
    """Makes the parameters, or the attributes, of one event from those of the other.

    Attributes:
        moves: By identifier in the same section of the source event.
        crossing: By identifier in the other section of the source event.
        constants: Set whatever the source event has.
        defaults: Set where the source event has no such field.
        taken: Identifiers at the destination that the rule makes.
        consumed: Identifiers in the same section of the source event that are moved elsewhere.
        passes_rest: Whether other fields pass.
        rename: Applies the name rule to these; None where it changes nothing.
        where: Name of the rule in errors.
    """

    moves: Mapping[str, tuple[Move, ...]]
    crossing: Mapping[str, tuple[Move, ...]]
    constants: tuple[Field, ...]
    defaults: tuple[Field, ...]
    taken: frozenset[str]
    consumed: frozenset[str]
    passes_rest: bool
    rename: Callable[[str], str] | None
    where: str

    def run(
        self,
        same: tuple[Field, ...],
        other: tuple[Field, ...],
        counters: Counters,
    ) -> list[Field]:
        """Return the destination's fields; moved and passing ones in the source's order.

        Args:
            same: The source's fields of this section.
            other: The source's fields of the other section.
            counters: Counts saturated numbers and fields that are left out.

        Raises:
            MappingError: A value cannot be converted, or a name has no form at the destination.
        """
        fields: list[Field] = []
        for field in same:
            moves = self.moves.get(field.id)
            if moves:
                fields += [self._moved(move, field, counters) for move in moves]
            elif field.id not in self.consumed:
                self._pass(field, fields, counters)
        for field in other if self.crossing else ():
            moves = self.crossing.get(field.id, ())
            fields += [self._moved(move, field, counters) for move in moves]
        fields += self.constants
        if self.defaults:
            present = {field.id for field in fields}
            fields += [field for field in self.defaults if field.id not in present]
        if self.rename:
            self._check_unique(fields)
        return fields

    @property
    def is_idle(self) -> bool:
        """Whether it makes no field, whatever the source event contains."""
        return not (self.moves or self.crossing or self.constants or self.defaults) and not (
            self.passes_rest
        )

    def _moved(self, move: Move, field: Field, counters: Counters) -> Field:
        try:
            kind, value, saturated = move.convert(field.type, field.value)
        except MappingError as error:
            raise MappingError(f"{self.where}: {move.place}: {error}") from error
        counters.saturated += saturated
        return Field(move.target, kind, value)

    def _pass(self, field: Field, fields: list[Field], counters: Counters) -> None:
        name = self.rename(field.id) if self.rename and self.passes_rest else field.id
        if not self.passes_rest or name in self.taken:
            counters.left_out += 1
        else:
            fields.append(field if name == field.id else Field(name, field.type, field.value))

    def _check_unique(self, fields: list[Field]) -> None:
        names = [field.id for field in fields]
        if len(set(names)) < len(names):
            twice = next(name for name in names if names.count(name) > 1)
            raise MappingError(f"{self.where}: two fields would be named {twice!r}")
