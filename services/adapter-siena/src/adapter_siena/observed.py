"""Declarations of native SIENA clients, in the neutral form of the federation's mapping."""

import math
from typing import Final

from eventservices.siena import Constraint, Filter, Op, Seen, format_filter
from eventservices.siena.presence import Kind
from fes.adapter.observed import Observed
from fes.errors import MappingError
from fes.filter import Condition
from fes.filter.language.tree import (
    Affix,
    Affixed,
    Attribute,
    Comparison,
    Constant,
    Exists,
    IsTrue,
    Not,
    Parameter,
    Reference,
    Relation,
    Subject,
    Truth,
    all_of,
)
from fes.mapping import Native
from fes.model import Field, type_of

from adapter_siena.codec import SUBJECT
from adapter_siena.names import Names

ROLE: Final = "fes-adapter"
"""Role of adapters' native clients, by which observers recognise what a federation made."""

WITHOUT: Final = (ROLE, "observer")
"""Roles of clients that are not observed.

What any adapter made is not a client's request, and an observer only watches.
"""

_RELATIONS: Final[dict[Op, Relation]] = {
    Op.EQ: "=",
    Op.LT: "<",
    Op.LE: "<=",
    Op.GT: ">",
    Op.GE: ">=",
}
_AFFIXES: Final[dict[Op, Affix]] = {
    Op.PREFIX: "STARTS WITH",
    Op.SUFFIX: "ENDS WITH",
    Op.SUBSTRING: "CONTAINS",
}


def observed(seen: Seen, names: Names) -> Observed:
    """Return what a client declared or withdrew, in the neutral form.

    Args:
        seen: From the native client's observation.
        names: The conversion of names.
    """
    by = f"{seen.kind.name.lower()} of {seen.party} at {seen.connection}: "
    by += f"{format_filter(seen.filter)} {seen.pattern or ''}".rstrip()
    if seen.withdrawn:
        return Observed(by, withdrawn=True)
    if seen.kind is Kind.SUBSCRIPTION:
        return Observed(by, wants=wanted(seen.filter, names))
    return Observed(by, announces=announced(seen.filter, names))


def wanted(what: Filter, names: Names) -> Condition:
    """Return a native filter in the filter language; it accepts at least the same events.

    A nested event, which is JSON text in SIENA, is not compared as text.
    """
    return all_of(tuple(_test(each, names) for each in what.constraints))


def announced(what: Filter, names: Names) -> tuple[Native, ...]:
    """Return examples of an advertisement's events; none where it names no subject.

    Constraints on one attribute are alternatives; a constraint with a value determines the type.
    """
    subjects = [
        each.value
        for each in what.constraints
        if each.name == SUBJECT and each.op is Op.EQ and isinstance(each.value, str)
    ]
    parameters: dict[str, Field] = {}
    attributes: dict[str, Field] = {}
    for each in what.constraints:
        reference = _reference(each.name, names)
        if each.value is None or reference is None or isinstance(reference, Subject):
            continue
        fields = parameters if isinstance(reference, Parameter) else attributes
        field = Field(reference.name, type_of(each.value), each.value)
        fields.setdefault(reference.name, field)
    fixed = tuple(parameters.values()), tuple(attributes.values())
    return tuple(Native(subject, *fixed) for subject in dict.fromkeys(subjects) if subject)


def _test(constraint: Constraint, names: Names) -> Condition:
    reference = _reference(constraint.name, names)
    if reference is None:
        return Truth(value=False)
    op, value = constraint.op, constraint.value
    if op in _AFFIXES and not isinstance(value, str | bytes):
        return Truth(value=False)
    if value is None or isinstance(value, bytes) or not _is_constant(op, value):
        return Exists(reference)
    if op is Op.NE:
        same = Comparison(reference, "=", Constant(value))
        return all_of((Exists(reference), Not(IsTrue(same))))
    if op in _RELATIONS:
        return Comparison(reference, _RELATIONS[op], Constant(value))
    return Affixed(reference, _AFFIXES[op], str(value))


def _is_constant(op: Op, value: str | float) -> bool:
    """Return whether the filter language compares with a value like SIENA."""
    if isinstance(value, bool):
        return op in (Op.EQ, Op.NE)
    return isinstance(value, str) or math.isfinite(value)


def _reference(native: str, names: Names) -> Reference | None:
    """Return the field of an attribute; None where no event of the federation has it."""
    if native == SUBJECT:
        return Subject()
    try:
        place = names.place(native)
    except MappingError:
        return None
    return Attribute(place.name) if place.is_attribute else Parameter(place.name)
