"""Payloads without structure: fields laid out in octets."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from eventservices.canlog.j1939 import RESERVED_OCTET
from msgspec import UNSET

from fes.errors import MappingError
from fes.mapping.counters import Counters
from fes.mapping.fields.carry import Section
from fes.mapping.frames.bits import Bits
from fes.mapping.frames.dbc import Condition, Selector, is_there
from fes.mapping.frames.layout import Layout
from fes.model import Field, Type
from fes.model.types import INT64_MAX

UNDECODED = "Undecoded"
"""Attribute, true, of an event whose payload has a selector value that is not known."""

OCTETS = "octets"
"""Parameter of such an event: its whole payload."""


@dataclass(frozen=True, slots=True)
class Cell:
    """A field laid out in octets.

    Attributes:
        id: FES identifier.
        kind: FES type.
        layout: Its place.
        size: Size of the layout.
        place: Name of the field in errors.
        default: Used where the value is absent; UNSET for none.
        when: When it is present.
        top: Octet that from 0xFB on means that there is no value (SAE J1939); None for none.
    """

    id: str
    kind: Type
    layout: Layout
    size: int
    place: str
    default: Any = UNSET
    when: Condition = ()
    top: Bits | None = None


@dataclass(frozen=True, slots=True)
class Frame:
    """The layout of one kind of payload.

    Attributes:
        parameters: Cells that are FES parameters.
        attributes: Cells that are FES attributes.
        writes: All cells, selectors before what they select.
        length: Octets of a new payload, before a field with an open end is written.
        selectors: Multiplexers.
        where: Name of the rule in errors.
    """

    parameters: tuple[Cell, ...]
    attributes: tuple[Cell, ...]
    writes: tuple[tuple[Cell, bool], ...]
    length: int
    selectors: tuple[Selector, ...]
    where: str

    def read(
        self, cells: tuple[Cell, ...], octets: bytes, counters: Counters
    ) -> tuple[list[Field], bool]:
        """Return the fields whose octets are all there.

        Returns:
            The fields, and whether the payload was too short for one.

        Raises:
            MappingError: The content of a cell is not a value of its type.
        """
        fields = []
        have = len(octets)
        is_short = False
        for cell in cells:
            if cell.when and not is_there(cell.when, octets):
                continue
            if have < cell.size:
                is_short = True
                value = cell.default
            elif cell.top is not None and cell.top.read(octets) >= RESERVED_OCTET:
                counters.undecoded += 1
                value = cell.default
            else:
                value = self._value(cell, octets, counters)
            if value is not UNSET:
                fields.append(Field(cell.id, cell.kind, value))
        return fields, is_short

    def cells(self, section: Section) -> tuple[Cell, ...]:
        """Return the cells of a section."""
        return self.parameters if section == "parameter" else self.attributes

    def cell_ids(self, section: Section) -> frozenset[str]:
        """Return the identifiers of a section's cells."""
        return frozenset(cell.id for cell in self.cells(section))

    def unknown_selector(self, octets: bytes) -> Selector | None:
        """Return the multiplexer whose value is not known; None where all are."""
        for selector in self.selectors:
            there = len(octets) >= selector.bits.size and is_there(selector.when, octets)
            if there and selector.bits.read(octets) not in selector.known:
                return selector
        return None

    def write(
        self, parameters: Mapping[str, Any], attributes: Mapping[str, Any], counters: Counters
    ) -> bytes:
        """Return a payload with the values of an event.

        Args:
            parameters: Value by identifier.
            attributes: Value by identifier.
            counters: Counts saturated numbers.

        Raises:
            MappingError: A value is absent and has no default, or does not fit its place.
        """
        octets = bytearray(self.length)
        for cell, is_parameter in self.writes:
            if not cell.when or is_there(cell.when, octets):
                values = parameters if is_parameter else attributes
                counters.saturated += self._put(cell, octets, values.get(cell.id, cell.default))
        return bytes(octets)

    def _value(self, cell: Cell, octets: bytes, counters: Counters) -> Any:
        try:
            value = cell.layout.read(octets)
        except MappingError as error:
            raise MappingError(f"{self.where}: {cell.place}: {error}") from error
        if cell.kind is Type.LONGLONG and value > INT64_MAX:
            counters.undecoded += 1
            return UNSET
        return value

    def _put(self, cell: Cell, octets: bytearray, value: Any) -> bool:
        if value is UNSET:
            raise MappingError(f"{self.where}: {cell.place}: the event has no such field")
        try:
            return cell.layout.write(octets, value)
        except MappingError as error:
            raise MappingError(f"{self.where}: {cell.place}: {error}") from error


def raw_fields(selector: Selector, octets: bytes) -> tuple[Field, Field]:
    """Return the fields of an event that is kept raw: the selector's value and the payload."""
    value = selector.bits.read(octets)
    kind = Type.LONG if -(2**31) <= value < 2**31 else Type.LONGLONG
    return Field(selector.id, kind, value), Field(OCTETS, Type.OCTETS, octets)
