"""Comparisons of native numbers, as what follows for the numbers that a rule scales.

The way out rounds, as doubles and whole numbers do; the bounds that are told are wider than that.
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
"""How much wider a bound is than what was calculated: doubles err a millionth of that."""

TINY: Final = 1e-300
"""What native numbers so small that they vanish may have been, in units of the scale."""


def unscaled(
    field: FieldRule, reference: Reference, relation: Relation, native: float
) -> Condition | None:
    """Return a test that is true of every number that a rule makes a native one that passes.

    Args:
        field: Scales; FES value = native value * scale + offset.
        reference: The number of the federation's event.
        relation: Of the native number and `native`.
        native: What it is compared with.

    Returns:
        None where the rule does not scale, or makes something else than a number of it.
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
