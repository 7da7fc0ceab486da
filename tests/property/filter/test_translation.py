"""The law of translation, against a native service that applies terms by brute force.

The native event names its parameters otherwise: `a` was calculated from `raw_a` (twice it and
one more), `b` is `raw_b` as it is, `c` came from several and cannot be inverted.
"""

from fractions import Fraction
from typing import Any

from fes.filter import Condition, Operators, Term, compile_filter, translate
from fes.filter.language.patterns import wildcard_of
from fes.filter.language.tree import Like, Subject
from fes.model import Event
from hypothesis import given, settings
from hypothesis import strategies as st

FEW = settings(max_examples=300, deadline=None)
OPS = (
    *("=", "<>", "<", "<=", ">", ">=", "IN", "EXISTS", "NOT EXISTS", "STARTS WITH", "ENDS WITH"),
    *("CONTAINS", "LIKE", "NOT STARTS WITH", "NOT ENDS WITH", "NOT CONTAINS", "NOT LIKE"),
)


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float | Fraction) and not isinstance(value, bool)


def to_fes(native: Event) -> Event:
    parameters: dict[str, Any] = {}
    for field in native.parameters:
        if field.id == "raw_a":
            if _is_number(field.value):
                parameters["a"] = field.value * 2 + 1
        else:
            parameters[field.id.removeprefix("raw_")] = field.value
    attributes = {field.id: field.value for field in native.attributes}
    return Event.of(native.subject, parameters, attributes)


def renamed(term: Term) -> Term | None:
    if term.kind != "parameter":
        return term
    if term.name == "a":
        return _scaled(term)
    return None if term.name == "c" else Term(term.kind, f"raw_{term.name}", term.op, term.value)


def _scaled(term: Term) -> Term | None:
    if term.op == "EXISTS":
        return Term(term.kind, "raw_a", term.op)
    if _is_number(term.value):
        return Term(term.kind, "raw_a", term.op, (Fraction(term.value) - 1) / 2)
    return None


def applied(term: Term, native: Event) -> bool:
    fields = native.parameters if term.kind == "parameter" else native.attributes
    values = {field.id: field.value for field in fields}
    value = native.subject if term.kind == "subject" else values.get(term.name)
    if term.op in ("EXISTS", "NOT EXISTS"):
        return (value is not None) == (term.op == "EXISTS")
    if term.op == "IN":
        return any(_equal(value, one) for one in term.value)
    if _is_number(value) != _is_number(term.value) or value is None:
        return False
    if _is_number(value):
        return _ordered(value, term.op, term.value)
    if type(value) is bool or type(term.value) is bool:
        same = type(value) is type(term.value)
        return same and ((term.op == "=") == (value == term.value))
    return isinstance(value, str) and _strings(value, term)


def _equal(value: Any, other: Any) -> bool:
    if isinstance(value, bool) != isinstance(other, bool):
        return False
    return bool(value == other)


def _ordered(value: Any, op: str, other: Any) -> bool:
    return bool(
        {
            "=": value == other,
            "<>": value != other,
            "<": value < other,
            "<=": value <= other,
            ">": value > other,
            ">=": value >= other,
        }[op]
    )


def _strings(value: str, term: Term) -> bool:
    if term.op.startswith("NOT "):
        return not _strings(value, Term(term.kind, term.name, term.op[4:], term.value))
    if term.op == "LIKE":
        return wildcard_of(Like(Subject(), *term.value)).matches(value)
    tests = {"STARTS WITH": str.startswith, "ENDS WITH": str.endswith, "CONTAINS": str.__contains__}
    test = tests.get(term.op)
    return bool(test(value, term.value)) if test else _ordered(value, term.op, term.value)


RAW = st.sampled_from((0, 1, -2, 2**52, 2**60, True, "a", "ab", "it's", b"a"))
vocabularies = st.builds(
    Operators,
    subject=st.frozensets(st.sampled_from(OPS)),
    parameter=st.one_of(st.just(frozenset(OPS)), st.frozensets(st.sampled_from(OPS))),
    attribute=st.frozensets(st.sampled_from(OPS)),
    max_disjuncts=st.integers(1, 5),
    renaming=st.just(renamed),
)


@st.composite
def native_events(draw: st.DrawFn, events: st.SearchStrategy[Event]) -> Event:
    event = draw(events)
    parameters = {f"raw_{field.id}": field.value for field in event.parameters}
    if "raw_a" in parameters:
        parameters["raw_a"] = draw(RAW)
    return Event.of(event.subject, parameters, {f.id: f.value for f in event.attributes})


@FEW
@given(data=st.data())
def test_no_event_that_the_filter_accepts_is_lost_by_its_translation(
    data: st.DataObject,
    conditions: st.SearchStrategy[Condition],
    events: st.SearchStrategy[Event],
) -> None:
    tree, vocabulary = data.draw(conditions), data.draw(vocabularies)
    translation = translate(tree, vocabulary)
    assert len(translation.disjuncts) <= vocabulary.max_disjuncts
    for terms in translation.disjuncts:
        assert all(vocabulary.supports(term) for term in terms)
    accepts = compile_filter(tree)
    for native in data.draw(st.lists(native_events(events), min_size=1, max_size=6)):
        passes = any(
            all(applied(term, native) for term in terms) for terms in translation.disjuncts
        )
        accepted = accepts(to_fes(native)) is True
        assert passes or not accepted
