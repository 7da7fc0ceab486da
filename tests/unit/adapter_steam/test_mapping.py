import math
from pathlib import Path
from typing import Any

import pytest
from adapter_steam.mapping import MAX_ALTERNATIVES, Wanted, plan
from eventservices.steam import ContentFilter, Term, between
from eventservices.steam.content import MAX_TERMS
from fes.errors import AdapterError, MappingError
from fes.filter import Filter
from fes.mapping import Mapping, Native, load_rules
from fes.mapping.named import MAX_SUBJECTS
from fes.model.event import fields_of
from hypothesis import given, settings
from hypothesis import strategies as st

PLAIN = Mapping()
EXACT = [
    ("Speed", [("Speed", [])]),
    ("subject = 'Speed' AND rate > 70", [("Speed", [Term("rate", ">", 70)])]),
    ("subject = 'Speed' AND FALSE", []),
    (
        "subject = 'Speed' AND rate >= 30 AND plate < 'D' AND ok = TRUE",
        [("Speed", [Term("ok", "=", True), Term("plate", "<", "D"), Term("rate", ">=", 30)])],
    ),
    ("subject = 'Speed' AND rate BETWEEN 30 AND 50.5", [("Speed", [between("rate", 30, 50.5)])]),
    (
        "subject = 'Speed' AND rate >= 30 AND rate <= 50 AND plate >= 'D'",
        [("Speed", [Term("plate", ">=", "D"), between("rate", 30, 50)])],
    ),
    ("subject = 'Speed' AND NOT (rate > 70)", [("Speed", [Term("rate", "<=", 70)])]),
    (
        "subject = 'Speed' AND (rate > 70 OR axles = 2)",
        [("Speed", [Term("axles", "=", 2)]), ("Speed", [Term("rate", ">", 70)])],
    ),
    (
        "subject IN ('A', 'B') AND rate > 70",
        [("A", [Term("rate", ">", 70)]), ("B", [Term("rate", ">", 70)])],
    ),
    (
        "subject = 'A' AND x = 1 OR subject = 'B' AND y = 2",
        [("A", [Term("x", "=", 1)]), ("B", [Term("y", "=", 2)])],
    ),
    (
        "subject = 'Speed' AND plate STARTS WITH 'D'",
        [("Speed", [Term("plate", ">=", "D"), Term("plate", "<", "E")])],
    ),
]


def told(text: str, mapping: Mapping = PLAIN) -> list[tuple[str, list[Term]]]:
    wanted = plan(Filter.of(text), mapping).wanted
    return sorted(((one.subject, sorted(one.terms, key=repr)) for one in wanted), key=repr)


@pytest.mark.parametrize(("text", "wanted"), EXACT)
def test_what_steam_can_apply_is_applied_exactly(
    text: str, wanted: list[tuple[str, list[Term]]]
) -> None:
    assert told(text) == [(subject, sorted(terms, key=repr)) for subject, terms in wanted]
    assert plan(Filter.of(text), PLAIN).widened == ()


@pytest.mark.parametrize(
    ("text", "wanted", "reason"),
    [
        ("subject = 'Speed' AND @Priority > 3", [("Speed", [])], "@Priority > 3 is not applied"),
        ("subject = 'Speed' AND rate <> 3", [("Speed", [])], "rate <> 3 is not applied"),
        (
            "subject = 'Speed' AND plate LIKE 'D%x' AND rate > 3",
            [("Speed", [Term("plate", ">=", "D"), Term("plate", "<", "E"), Term("rate", ">", 3)])],
            "widened to plate >= 'D' AND plate < 'E'",
        ),
    ],
)
def test_what_steam_cannot_apply_is_widened_and_said(
    text: str, wanted: list[tuple[str, list[Term]]], reason: str
) -> None:
    assert told(text) == [(subject, sorted(terms, key=repr)) for subject, terms in wanted]
    assert any(reason in why for why in plan(Filter.of(text), PLAIN).widened)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "rate > 3",
        "subject LIKE 'Sp%'",
        "subject <> 'Speed'",
        "subject = 'Speed' OR rate > 3",
        "subject IN ({})".format(", ".join(f"'s{n}'" for n in range(MAX_SUBJECTS + 1))),
    ],
)
def test_a_filter_that_does_not_name_its_subjects_is_refused(text: str) -> None:
    with pytest.raises(AdapterError, match="cannot subscribe to every subject"):
        plan(Filter.of(text), PLAIN)


def test_a_reserved_subject_is_refused() -> None:
    with pytest.raises(AdapterError, match="'FES_ControlEvent' is reserved"):
        plan(Filter.of("subject IN ('Speed', 'FES_ControlEvent')"), PLAIN)


def test_many_subjects_with_many_alternatives_keep_their_subjects() -> None:
    subjects = ", ".join(f"'s{n}'" for n in range(MAX_SUBJECTS))
    rates = " OR ".join(f"rate = {n} AND axles = {n}" for n in range(MAX_ALTERNATIVES + 1))
    made = plan(Filter.of(f"subject IN ({subjects}) AND ({rates})"), PLAIN)
    assert {one.subject for one in made.wanted} == {f"s{n}" for n in range(MAX_SUBJECTS)}
    assert len(made.wanted) == MAX_SUBJECTS
    assert any("alternatives" in why for why in made.widened)


def test_more_terms_than_steam_takes_are_cut() -> None:
    terms = " AND ".join(f"p{n} > 1" for n in range(MAX_TERMS + 1))
    made = plan(Filter.of(f"subject = 'Speed' AND {terms}"), PLAIN)
    ContentFilter(made.wanted[0].terms)
    assert any("terms" in why for why in made.widened)


def test_a_name_that_steam_does_not_take_is_not_applied() -> None:
    made = plan(Filter.of(f"subject = 'Speed' AND {'n' * 300} > 1"), PLAIN)
    assert made.wanted == (Wanted("Speed", ()),)
    assert made.widened


def rules(*plain: dict[str, Any], automatic: bool = True) -> Mapping:
    return Mapping(load_rules(plain, Path()), automatic=automatic)


RULES: list[dict[str, Any]] = [
    {
        "native": {"subject": "v"},
        "subject": "Speed",
        "parameters": {"rate": {"from": "mps", "scale": 3.6}, "plate": {"from": "p"}},
    },
    {"native": {"subject": "w"}, "subject": "Speed", "parameters": {"plate": {"from": "p"}}},
    {"native": {"subject": "x"}, "subject": "Other", "direction": "out"},
    {"native": {"subject": "y"}, "subject": "Third", "parameters": {"n": {"from_attribute": "m"}}},
]


def test_a_filter_goes_through_the_mapping() -> None:
    mapping = rules(RULES[0], automatic=False)
    assert told("subject = 'Speed' AND plate = 'D1'", mapping) == [("v", [Term("p", "=", "D1")])]
    ((subject, (term,)),) = told("subject = 'Speed' AND rate > 36", mapping)
    assert (subject, term.parameter) == ("v", "mps")
    assert term.value == pytest.approx(10.0)


def test_several_native_subjects_of_one_subject_are_all_asked_for() -> None:
    mapping = rules(*RULES, automatic=False)
    assert told("subject = 'Speed' AND plate = 'D1'", mapping) == [
        ("v", [Term("p", "=", "D1")]),
        ("w", [Term("p", "=", "D1")]),
    ]
    assert [one for one, _ in told("Speed", rules(*RULES))] == ["Speed", "v", "w"]


def test_a_parameter_that_is_an_attribute_on_the_air_is_not_applied() -> None:
    mapping = rules(*RULES, automatic=False)
    assert told("subject = 'Third' AND n > 3", mapping) == [("y", [])]


def test_a_subject_that_no_rule_makes_is_refused() -> None:
    mapping = rules(*RULES, automatic=False)
    with pytest.raises(AdapterError, match="no rule makes events of subject 'Other'"):
        plan(Filter.of("Other"), mapping)


tests = st.one_of(
    st.builds(
        "{} {} {}".format,
        st.sampled_from(("a", "b", "@p")),
        st.sampled_from(("=", "<>", "<", "<=", ">", ">=")),
        st.sampled_from(("0", "1", "2.0", "'x'", "'xy'", "9007199254740993")),
    ),
    st.sampled_from(
        (
            "subject = 'S'",
            "subject = 'T'",
            "a = TRUE",
            "b LIKE 'x%'",
            "a IN (0, 'x', 2.5)",
            "b BETWEEN 0 AND 1.5",
            "a * 2 > 3",
            "b IS NULL",
            "b STARTS WITH 'x'",
        )
    ),
)
filters = st.recursive(
    tests,
    lambda inner: st.one_of(
        inner.map("NOT ({})".format),
        st.builds("({} AND {})".format, inner, inner),
        st.builds("({} OR {})".format, inner, inner),
    ),
    max_leaves=6,
).map("(subject = 'S' OR subject = 'T') AND {}".format)
values = st.sampled_from((0, 1, 2, 2.0, 0.5, 2**53 + 1, math.nan, "x", "xy", "", True, False, b"x"))
contents = st.dictionaries(st.sampled_from(("a", "b", "na")), values)
MAPPINGS = (
    PLAIN,
    rules(
        {"native": {"subject": "NS"}, "subject": "S", "parameters": {"a": {"from": "na"}}},
        {"subject": "T", "parameters": {"a": {"from": "na", "type": "string"}}},
        {"native": {"subject": "S"}, "subject": "T", "parameters": {"b": {"from": "na"}}},
    ),
    rules({"subject": "T", "parameters": {"a": {"from": "na", "scale": 2, "offset": 1}}}),
)


@settings(max_examples=200)
@given(
    filters, st.sampled_from(MAPPINGS), st.sampled_from(("S", "T", "NS")), contents, st.booleans()
)
def test_what_a_filter_accepts_passes_natively(
    text: str,
    mapping: Mapping,
    subject: str,
    content: dict[str, Any],
    has_attribute: bool,  # noqa: FBT001 - drawn
) -> None:
    filter_ = Filter.of(text)
    attributes = tuple(fields_of({"p": 1} if has_attribute else {}, "attribute"))
    native = Native(subject, tuple(fields_of(content, "parameter")), attributes)
    try:
        accepted = any(filter_.matches(event) for event, _ in mapping.to_events(native))
    except MappingError:
        return
    passes = any(
        one.subject == subject and ContentFilter(one.terms).accepts(content)
        for one in plan(filter_, mapping).wanted
    )
    assert passes or not accepted
