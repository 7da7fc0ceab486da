"""Mapping of native events to FES events and back: automatic, by rules, or both."""

from fes.mapping.apply import Mapping
from fes.mapping.counters import Counters
from fes.mapping.fields.names import NameRule
from fes.mapping.native import Native
from fes.mapping.rules.compiled import Timed
from fes.mapping.rules.load import bind_rules, load_rules
from fes.mapping.rules.model import Range, Rule
from fes.mapping.rules.parts import EventPart, LeftOut, Made, NativePart

__all__ = [
    "Counters",
    "EventPart",
    "LeftOut",
    "Made",
    "Mapping",
    "NameRule",
    "Native",
    "NativePart",
    "Range",
    "Rule",
    "Timed",
    "bind_rules",
    "load_rules",
]
