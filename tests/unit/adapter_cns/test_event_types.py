from pathlib import Path
from typing import Any

import pytest
from adapter_cns.event_types import EventTypes
from adapter_cns.mapping import Forms
from adapter_cns.settings import Settings
from eventservices.cns import ALL_TYPES, ANY_TYPE, EventType, can_frame_any, structured_event
from eventservices.cns.event_type import TypeFilter
from fes.filter import Filter
from fes.mapping import Mapping, load_rules
from hypothesis import given
from hypothesis import strategies as st

RULES: list[dict[str, Any]] = [
    {
        "native": {"can_id": 12345, "extended": True},
        "subject": "Speed",
        "parameters": {"rate": {"bytes": [7, 7], "type": "double"}},
    },
    {"native": {"subject": "Position"}, "subject": "Place"},
    {"native": {"subject": "Reading"}, "subject": "Warmth"},
    {"subject": "Only", "native": {"can_id": 7}, "direction": "out", "parameters": {}},
]
SPEED, PLACE = EventType("*", "Speed"), EventType("*", "Place")
ANY = EventType("*", "%ANY")


def event_types(rules: list[dict[str, Any]] | None = None, **settings: Any) -> EventTypes:
    return EventTypes(Settings(**settings), Mapping(load_rules(rules or [], Path())))


def needed(text: str, rules: list[dict[str, Any]] | None = None, **settings: Any) -> set[EventType]:
    return set(event_types(rules, **settings).needed(Filter.of(text)))


@pytest.mark.parametrize(
    ("text", "types"),
    [
        ("Speed", {SPEED}),
        ("subject = 'Speed' AND rate > 30", {SPEED}),
        ("subject IN ('Speed', 'Place')", {SPEED, PLACE}),
        ("subject = 'Speed' OR subject = 'Place' AND rate > 3", {SPEED, PLACE}),
        ("subject LIKE 'S%'", {EventType("*", "S*")}),
        ("subject ENDS WITH 'd'", {EventType("*", "*d")}),
        ("subject CONTAINS 'pee' AND subject STARTS WITH 'S'", {EventType("*", "S*")}),
        ("subject CONTAINS 'pee' AND subject = 'Speed'", {SPEED}),
        ("rate > 30", {ALL_TYPES}),
        ("", {ALL_TYPES}),
        ("subject = 'Speed' OR rate > 30", {ALL_TYPES}),
        ("subject <> 'Speed'", {ALL_TYPES}),
        ("subject = '%ALL'", {ALL_TYPES}),
        ("subject = ''", {ALL_TYPES}),
        ("FALSE", set()),
        ("subject = 5", set()),
    ],
)
def test_a_filter_needs_the_types_of_its_subjects(text: str, types: set[EventType]) -> None:
    assert needed(text) == types


def test_can_frames_that_a_rule_reads_are_needed_too() -> None:
    assert needed("Speed", RULES) == {SPEED, ANY}
    assert needed("subject STARTS WITH 'Sp'", RULES) == {EventType("*", "Sp*"), ANY}
    assert needed("Place", RULES) == {PLACE, EventType("*", "Position")}
    assert needed("Only", RULES) == {EventType("*", "Only")}


def test_any_events_with_a_subject_are_needed_where_it_is_asked_for() -> None:
    assert needed("Reading", any_subject="Reading") == {EventType("*", "Reading"), ANY}
    assert needed("Speed", any_subject="Reading") == {SPEED}
    assert needed("Warmth", RULES, any_subject="Reading") == {
        EventType("*", "Warmth"),
        EventType("*", "Reading"),
        ANY,
    }


def test_subjects_that_are_event_names_need_all_types() -> None:
    assert needed("Speed", subject="event_name") == {ALL_TYPES}
    assert needed("FALSE", subject="event_name") == set()


def test_a_subject_that_is_no_event_type_needs_all_types() -> None:
    assert needed(f"subject = '{'ü' * 200}'") == {ALL_TYPES}


SUBJECTS = ("Speed", "Place", "Position", "Reading", "Warmth", "S*d", "%ALL", "Sp")
tests_of_subjects = st.one_of(
    st.builds(
        "subject {} '{}'".format,
        st.sampled_from(["=", "<>", "<", "STARTS WITH", "ENDS WITH", "CONTAINS"]),
        st.sampled_from(SUBJECTS),
    ),
    st.builds(
        "subject IN ('{}', '{}')".format, st.sampled_from(SUBJECTS), st.sampled_from(SUBJECTS)
    ),
    st.sampled_from(
        ["subject LIKE 'S%d'", "subject LIKE '%pe__'", "rate > 10", "TRUE", "Speed IS NULL"]
    ),
)
texts = st.recursive(
    tests_of_subjects,
    lambda inner: st.one_of(
        st.builds("({} AND {})".format, inner, inner),
        st.builds("({} OR {})".format, inner, inner),
        st.builds("NOT ({})".format, inner),
    ),
    max_leaves=5,
)


@given(
    texts,
    st.sampled_from([[], RULES]),
    st.sampled_from(["type_name", "event_name"]),
    st.sampled_from(["", "Reading"]),
)
def test_whatever_the_filter_accepts_is_subscribed_to(
    text: str, rules: list[dict[str, Any]], subject: str, any_subject: str
) -> None:
    settings = Settings(subject=subject, any_subject=any_subject)  # type: ignore[arg-type]  # drawn from the literals
    mapping = Mapping(load_rules(rules, Path()))
    forms = Forms(settings, mapping)
    filter_ = Filter.of(text)
    types = EventTypes(settings, mapping).needed(filter_)
    subscribed = TypeFilter(frozenset(), types, both=True)
    natives = [
        (ANY_TYPE, forms.from_any(can_frame_any(12345, bytes(7) + bytes([rate])), None))
        for rate in (0, 55)
    ]
    natives += [(ANY_TYPE, forms.from_any({"rate": 55.0}, None)) for _ in any_subject[:1]]
    for first in SUBJECTS:
        event = structured_event(("Traffic", first), "Speed", filterable_data={"rate": 55.0})
        natives.append((event.event_type, forms.from_structured(event)))
    for event_type, native in natives:
        if any(filter_.matches(event) for event, _ in mapping.to_events(native)):
            assert types
            assert subscribed.accepts(event_type)
