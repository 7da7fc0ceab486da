"""Mapping of native events to FES events and back: automatic, by rules, or both."""

from fes.mapping.apply import Mapping
from fes.mapping.compiled import Timed
from fes.mapping.counters import Counters
from fes.mapping.load import bind_rules, load_rules
from fes.mapping.names import NameRule
from fes.mapping.native import Native
from fes.mapping.parts import EventPart, LeftOut, Made, NativePart
from fes.mapping.rules import Range, Rule

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
