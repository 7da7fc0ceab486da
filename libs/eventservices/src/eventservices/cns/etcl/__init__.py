"""The filters of the Notification Service, and their language ETCL.

Begin with `Filter` and `MappingFilter`, or with `parse` for a constraint alone. The language is in
`grammar.lark`; its meaning is described in `docs/etcl.md`.
"""

from eventservices.cns.etcl.constraint import Clock, Constraint, parse
from eventservices.cns.etcl.errors import (
    CallbackNotFoundError,
    ConstraintNotFoundError,
    EvaluationError,
    FilterDestroyedError,
    InvalidConstraintError,
    InvalidGrammarError,
    InvalidValueError,
    UnsupportedFilterableDataError,
)
from eventservices.cns.etcl.expressions import (
    GRAMMAR,
    ConstraintExp,
    ConstraintInfo,
    MappingConstraintInfo,
    MappingConstraintPair,
)
from eventservices.cns.etcl.factory import FilterFactory
from eventservices.cns.etcl.filter import Filter
from eventservices.cns.etcl.idl import char_value, enum_value, struct_value, union_value
from eventservices.cns.etcl.mapping import MappingFilter
from eventservices.cns.etcl.parse import prepare
from eventservices.cns.etcl.scan import EtclLimits
from eventservices.cns.etcl.text import component_text, to_text
from eventservices.cns.etcl.utc import ticks_now
from eventservices.cns.etcl.words import identifier, literal, property_component, string_literal

__all__ = [
    "GRAMMAR",
    "CallbackNotFoundError",
    "Clock",
    "Constraint",
    "ConstraintExp",
    "ConstraintInfo",
    "ConstraintNotFoundError",
    "EtclLimits",
    "EvaluationError",
    "Filter",
    "FilterDestroyedError",
    "FilterFactory",
    "InvalidConstraintError",
    "InvalidGrammarError",
    "InvalidValueError",
    "MappingConstraintInfo",
    "MappingConstraintPair",
    "MappingFilter",
    "UnsupportedFilterableDataError",
    "char_value",
    "component_text",
    "enum_value",
    "identifier",
    "literal",
    "parse",
    "prepare",
    "property_component",
    "string_literal",
    "struct_value",
    "ticks_now",
    "to_text",
    "union_value",
]
