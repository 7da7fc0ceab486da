"""Plausible ranges of measured values, as rules specify them."""

from dataclasses import dataclass
from typing import Any

from fes.mapping.rules.model import Range, Rule
from fes.model import Event

SHOWN = 40
"""Most characters of a value in a reason."""


@dataclass(frozen=True, slots=True)
class Plausible:
    """The range of one field.

    Attributes:
        id: Identifier of the field.
        is_parameter: Whether it is a parameter, not an attribute.
        range: The range of its value.
    """

    id: str
    is_parameter: bool
    range: Range

    def outside(self, event: Event) -> str | None:
        """Return a reason where an event's value is outside the range.

        None where it is not, or absent.
        """
        for field in event.parameters if self.is_parameter else event.attributes:
            if field.id == self.id and not self.range.has(field.value):
                what = "parameter" if self.is_parameter else "attribute"
                return f"{what} {self.id!r}: {_shown(field.value)} is outside {self.range}"
        return None


def plausible_of(rule: Rule) -> tuple[Plausible, ...]:
    """Return the fields of a rule that have a range, parameters first."""
    sections = ((rule.parameters, True), (rule.attributes, False))
    return tuple(
        Plausible(name, is_parameter, field.plausible)
        for fields, is_parameter in sections
        for name, field in fields.items()
        if field.plausible is not None
    )


def _shown(value: Any) -> str:
    return repr(value) if isinstance(value, int | float) else repr(value)[:SHOWN]
