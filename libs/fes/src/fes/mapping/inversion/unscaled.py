"""Comparisons of native numbers as comparisons of the numbers that a rule scales.

The conversion rounds to doubles and integers; the returned bounds are wider than that.
"""

import math
from typing import Final

from msgspec import UNSET

from fes.filter import Condition
from fes.filter.language.tree import Comparison, Constant, Exists, Reference, Relation, all_of
from fes.mapping.fields.convert import conversion_of
from fes.mapping.fields.quantity import INTEGER_RANGES
from fes.mapping.rules.model import FieldRule
from fes.model import Type

RELATIVE: Final = 1e-9
"""By which factor a bound is wider than the calculated one: errors of doubles are a millionth of
it."""

TINY: Final = 1e-300
"""Bound of the numbers that become 0 natively, in units of the scale."""


def unscaled(
    field: FieldRule, reference: Reference, relation: Relation, native: float
) -> Condition | None:
    """Return a test that is true for every number whose native form fulfils a comparison.

    Args:
        field: Rule of the field; FES value = native value * scale + offset.
        reference: The number of the federation's event.
        relation: Between the native number and `native`.
        native: The value with which it is compared.

    Returns:
        None where the rule does not scale, or the native field is not a number.
    """
    conversion = conversion_of(field)
    scaling, kind = conversion.scaling, conversion.native_kind
    is_fixed = field.constant is not UNSET or field.default is not UNSET
    if is_fixed or scaling.is_identity or kind not in (None, Type.DOUBLE, *INTEGER_RANGES):
        return None
    step = 0.0
    if kind in INTEGER_RANGES:
        low, high = INTEGER_RANGES[kind]
        if not low < native < high:
            return Exists(reference)
        step = 1.0
    sizes = abs(native * scaling.scale) + abs(scaling.offset)
    slack = sizes * RELATIVE + abs(scaling.scale) * (step + TINY)
    at = native * scaling.scale + scaling.offset
    return _bounded(reference, relation, (at - slack, at + slack), rising=scaling.scale > 0)


def _bounded(
    reference: Reference, relation: Relation, ends: tuple[float, float], *, rising: bool
) -> Condition:
    low, high = ends
    if relation == "<>" or not (math.isfinite(low) and math.isfinite(high)):
        return Exists(reference)
    at_least = Comparison(reference, ">=", Constant(low))
    at_most = Comparison(reference, "<=", Constant(high))
    if relation == "=":
        return all_of((at_least, at_most))
    return at_least if (relation[0] == ">") == rising else at_most
