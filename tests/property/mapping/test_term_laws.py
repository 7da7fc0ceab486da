"""A native term lets pass whatever the term itself would."""

import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

from fes.errors import MappingError
from fes.filter.translation.vocabulary import Term
from fes.mapping import Mapping, Native, Rule, load_rules
from fes.model import Event
from hypothesis import given, settings
from hypothesis import strategies as st

INT64 = 2**63
SCALES = st.sampled_from([0.05, 0.5, 0.0062, -0.08, 1.609344, 3.0, 2, -3]) | st.floats(1e-6, 1e6)
OFFSETS = st.sampled_from([0, -25, -40, 0.5]) | st.floats(-1e6, 1e6)
RELATIONS: dict[str, Callable[[float, float], bool]] = {
    "=": lambda one, other: one == other,
    "<>": lambda one, other: one != other,
    "<": lambda one, other: one < other,
    "<=": lambda one, other: one <= other,
    ">": lambda one, other: one > other,
    ">=": lambda one, other: one >= other,
}
NUMBERS = (
    st.integers(-200, 200)
    | st.integers(-INT64, INT64 - 1)
    | st.floats(-1000, 1000)
    | st.floats(allow_nan=False, allow_infinity=False)
)


def holds(term: Term, event: Event | Native) -> bool:
    """Tell whether a term is true of an event; False where unknown."""
    if term.kind == "subject":
        return bool(event.subject == term.value)
    section = event.parameters if term.kind == "parameter" else event.attributes
    values = [field.value for field in section if field.id == term.name]
    if term.op == "EXISTS":
        return bool(values)
    if term.op == "NOT EXISTS":
        return not values
    if not values or isinstance(values[0], bool | str | bytes) or not math.isfinite(values[0]):
        return False
    if term.op == "IN":
        return values[0] in term.value
    return bool(RELATIONS[term.op](values[0], term.value))


@st.composite
def number_rules(draw: st.DrawFn) -> dict[str, Any]:
    rule: dict[str, Any] = {"from": draw(st.sampled_from(["v", "w"]))}
    if draw(st.booleans()):
        rule |= {"scale": draw(SCALES), "offset": draw(OFFSETS)}
    if draw(st.booleans()):
        rule["type"] = draw(st.sampled_from(["long", "longlong", "double"]))
        rule["round"] = draw(st.sampled_from(["half_up", "down", "exact"]))
        rule["overflow"] = draw(st.sampled_from(["saturate", "refuse"]))
    if draw(st.booleans()):
        rule["native_type"] = draw(st.sampled_from(["long", "double"]))
    if not rule.keys() & {"type", "native_type"} and draw(st.integers(0, 4)) == 0:
        rule["default"] = 7
    if "default" not in rule and draw(st.booleans()):
        low, high = sorted((draw(st.integers(-300, 300)), draw(st.integers(-300, 300))))
        rule["range"] = {"min": low, "max": high}
    return rule


@st.composite
def rule_lists(draw: st.DrawFn) -> tuple[Rule, ...]:
    plain = []
    for _ in range(draw(st.integers(0, 3))):
        rule: dict[str, Any] = {
            "subject": draw(st.sampled_from(["S", "T"])),
            "direction": draw(st.sampled_from(["in", "in", "in", "out"])),
            "rest": draw(st.sampled_from(["pass", "drop"])),
            "parameters": {"rate": draw(number_rules())},
        }
        if draw(st.booleans()):
            rule["native"] = {"subject": draw(st.sampled_from(["S", "n"]))}
        if draw(st.integers(0, 4)) == 0:
            rule["direction"] = "in"
            rule["attributes"] = {"a": {"from": "v"}}
        plain.append(rule)
    return load_rules(plain, Path())


@st.composite
def terms(draw: st.DrawFn) -> Term:
    if draw(st.integers(0, 4)) == 0:
        return Term("subject", "", "=", draw(st.sampled_from(["S", "T", "n"])))
    name = draw(st.sampled_from(["rate", "rate", "v", "a"]))
    op = draw(st.sampled_from([*RELATIONS, "IN", "EXISTS", "NOT EXISTS"]))
    several = (draw(NUMBERS), draw(NUMBERS))
    value = None if "EXISTS" in op else several if op == "IN" else several[0]
    return Term("attribute" if draw(st.booleans()) else "parameter", name, op, value)


@settings(max_examples=200)
@given(rule_lists(), st.integers(0, 1), terms(), st.data())
def test_a_native_term_is_true_wherever_the_term_is(
    rules: tuple[Rule, ...],
    automatic: int,
    term: Term,
    data: st.DataObject,
) -> None:
    mapping = Mapping(rules, automatic=bool(automatic))
    number = (
        st.sampled_from(near(mapping, term))
        | NUMBERS
        | st.floats()
        | st.booleans()
        | st.text(max_size=8)
    )
    section = st.dictionaries(st.sampled_from(["rate", "v", "w", "a"]), number, max_size=3)
    native = Native(
        data.draw(st.sampled_from(["S", "T", "n"])),
        Event.of("x", data.draw(section)).parameters,
        Event.of("x", data.draw(section)).parameters,
    )
    try:
        events = [event for event, _ in mapping.to_events(native)]
    except MappingError:
        return
    for event in events:
        if holds(term, event):
            for subject in (None, event.subject):
                wider = mapping.native_terms(term, subject)
                assert wider is None or holds(wider, native)


def near(mapping: Mapping, term: Term) -> list[float]:
    """Return native values close to where a term changes."""
    found = mapping.native_terms(term)
    value = found.value if found else 0.0
    if not isinstance(value, int | float):
        return [0.0]
    whole = max(-INT64, min(INT64 - 1, round(value)))
    steps = [math.nextafter(value, math.inf), math.nextafter(value, -math.inf)]
    return [value, whole, *steps, max(-INT64, whole - 1), min(INT64 - 1, whole + 1)]
