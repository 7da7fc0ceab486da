"""What filters are made of: pairs of event types and a constraint, and their ids.

Each is a tuple too, so a plain one is accepted where one of these is required.
"""

from collections.abc import Iterable
from typing import NamedTuple, TypeAlias

from eventservices.cns.event_type import EventType
from eventservices.cns.value import Value

GRAMMAR = "EXTENDED_TCL"
"""The name of the language."""

Expression: TypeAlias = tuple[Iterable[EventType | tuple[str, str]], str]
"""What a `ConstraintExp` is as a plain tuple."""


class ConstraintExp(NamedTuple):
    """A constraint for events of some types.

    Attributes:
        event_types: The types, with wildcards; none means all.
        constraint_expr: What such an event must satisfy, in ETCL; blank requires nothing more.
    """

    event_types: Iterable[EventType | tuple[str, str]] = ()
    constraint_expr: str = ""


class ConstraintInfo(NamedTuple):
    """A constraint that a filter has.

    Attributes:
        constraint_expression: The constraint.
        constraint_id: Its id within the filter; never used twice.
    """

    constraint_expression: ConstraintExp
    constraint_id: int


class MappingConstraintPair(NamedTuple):
    """A constraint, and what is true of an event that it is true for.

    Attributes:
        constraint_expression: The constraint.
        result_to_set: The value.
    """

    constraint_expression: ConstraintExp
    result_to_set: Value


class MappingConstraintInfo(NamedTuple):
    """A constraint that a mapping filter has.

    Attributes:
        constraint_expression: The constraint.
        constraint_id: Its id within the filter; never used twice.
        value: The value that it returns.
    """

    constraint_expression: ConstraintExp
    constraint_id: int
    value: Value
