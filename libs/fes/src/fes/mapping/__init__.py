"""Mapping of native events to FES events and back: automatic, by rules, or both."""

from fes.mapping.apply import Mapping
from fes.mapping.compiled import Timed
from fes.mapping.counters import Counters
from fes.mapping.load import bind_rules, load_rules
from fes.mapping.names import NameRule
from fes.mapping.native import Native
from fes.mapping.rules import Rule

__all__ = [
    "Counters",
    "Mapping",
    "NameRule",
    "Native",
    "Rule",
    "Timed",
    "bind_rules",
    "load_rules",
]
