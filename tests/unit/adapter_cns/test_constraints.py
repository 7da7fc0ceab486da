"""Filters of the federation as ETCL constraints."""

from pathlib import Path
from typing import Any

import pytest
from adapter_cns.constraints import ConstraintMapping, Constraints
from adapter_cns.mapping import native_form
from adapter_cns.settings import Settings
from eventservices.cns import ALL_TYPES, ANY_TYPE, EventType, structured_event
from eventservices.cns.etcl import Filter as EtclFilter
from eventservices.cns.etcl import parse
from fes.filter import Filter
from fes.mapping import Mapping, load_rules

TYPE = "$.header.fixed_header.event_type.type_name"


def constraints(
    text: str, rules: list[dict[str, Any]] | None = None, **settings: Any
) -> Constraints:
    mapping = Mapping(load_rules(rules or [], Path()))
    return ConstraintMapping(Settings(**settings), mapping).translate(Filter.of(text))


TEXTS = [
    ("rate > 30", ["$.filterable_data(rate) > 30"]),
    ("rate <> 30.5", ["$.filterable_data(rate) != 30.5"]),
    ("@Priority >= -3", ["$.header.variable_header(Priority) >= -3"]),
    ("subject = 'Speed'", [f"{TYPE} == 'Speed'"]),
    ("line = 'it''s' AND \"in\" = TRUE", [
        "$.filterable_data(\\in) == TRUE and $.filterable_data(line) == 'it\\'s'",
    ]),
    ("EXISTS a AND b IS NULL", ["exist $.filterable_data(a) and not exist $.filterable_data(b)"]),
    ("a CONTAINS 'x'", ["'x' ~ $.filterable_data(a)"]),
    ("a NOT CONTAINS 'x'", ["not ('x' ~ $.filterable_data(a))"]),
    ("a STARTS WITH 'xy'", ["($.filterable_data(a) >= 'xy' and $.filterable_data(a) < 'xz')"]),
    ("a IN (1, 2)", ["($.filterable_data(a) == 1 or $.filterable_data(a) == 2)"]),
    ("rate > 30 OR line = 'x'", ["$.filterable_data(line) == 'x'", "$.filterable_data(rate) > 30"]),
    ("", [""]),
    ("FALSE", []),
]  # fmt: skip


@pytest.mark.parametrize(("text", "texts"), TEXTS)
def test_a_filter_becomes_constraints_one_for_each_alternative(text: str, texts: list[str]) -> None:
    found = constraints(text)
    assert sorted(found.texts) == sorted(texts)
    assert not found.widened
    for each in found.texts:
        parse(each).check()


WIDENED = [
    ("a ENDS WITH 'xy'", "'xy' ~ $.filterable_data(a)"),
    ("a LIKE '%x_y%'", "'x' ~ $.filterable_data(a) and 'y' ~ $.filterable_data(a)"),
    ("a IN (1, 'x')", ""),
    ("a * 2 > 3", "exist $.filterable_data(a)"),
    ("_d = 3", ""),
    ("remainder_of_body = 3", ""),
    ("@Timeout > 3", ""),
    ("@DomainName = 'x'", ""),
    ("(a > 3) IS NOT TRUE", ""),
]  # fmt: skip


@pytest.mark.parametrize(("text", "expected"), WIDENED)
def test_what_etcl_cannot_say_is_widened_and_told(text: str, expected: str) -> None:
    found = constraints(text)
    if text != "a IN (1, 'x')":
        assert set(found.texts) == {expected}
        assert found.widened
    else:
        assert len(found.texts) == 2


def test_an_absent_or_unlike_property_does_not_hide_another_alternative() -> None:
    native = EtclFilter()
    native.add_constraints(constraints("rate > 30 OR line = 'x'").expressions)
    assert native.matches(structured_event(("", "Bus"), filterable_data={"line": "x"}))
    assert native.matches(structured_event(("", "Bus"), filterable_data={"line": "x", "rate": "?"}))
    assert not native.matches(structured_event(("", "Bus"), filterable_data={"rate": "?"}))


def test_any_events_pass_where_rules_may_make_events_of_them() -> None:
    rules = [
        {
            "native": {"can_id": 12345, "extended": True},
            "subject": "Speed",
            "parameters": {"rate": {"bytes": [7, 7], "type": "double"}},
        }
    ]
    assert constraints("rate > 3").anys is False
    assert constraints("subject = 'Speed' AND rate > 3", rules).anys
    assert constraints("rate > 3", rules).anys
    assert not constraints("subject = 'Place' AND rate > 3", rules).anys
    assert constraints("rate > 3", any_subject="Reading").anys
    assert (frozenset({ANY_TYPE}), "") in constraints("rate > 3", rules).expressions


def test_the_event_name_is_the_subject_where_the_settings_say_so() -> None:
    found = constraints("Speed", subject="event_name")
    assert found.texts == ("$.header.fixed_header.event_name == 'Speed'",)
    assert found.types == {ALL_TYPES}


def test_names_and_scales_of_the_mapping_are_inverted() -> None:
    rules = [
        {
            "subject": "Warmth",
            "parameters": {"celsius": {"from": "raw", "scale": 0.5, "offset": -40}},
        }
    ]
    found = constraints("subject = 'Warmth' AND celsius > 10", rules)
    assert found.texts == (f"$.filterable_data(raw) > 100.0 and {TYPE} == 'Warmth'",)
    assert found.types == {EventType("*", "Warmth")}


def test_a_constraint_that_would_be_too_long_is_left_out() -> None:
    found = constraints(" AND ".join(f"name{number} = 1" for number in range(499)))
    assert found.texts == ("",)
    assert "too long" in found.widened[-1]


def test_the_native_form_is_told_for_people() -> None:
    form = native_form(Filter.of("subject = 'Speed' AND rate > 3"), Mapping(()), {})
    assert form.lines == (f"types */Speed: $.filterable_data(rate) > 3 and {TYPE} == 'Speed'",)
