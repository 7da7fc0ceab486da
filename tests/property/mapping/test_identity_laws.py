"""Identities of what mappings make: the same from every list, different of different rules."""

from pathlib import Path
from typing import Any

import hypothesis.strategies as st
from fes.mapping import EventPart, Mapping, Native, load_rules
from fes.mapping.rules.clashes import clashes
from hypothesis import given

SUBJECTS = ("raw", "A", "B", "a#b", "a~b", "é")
ORIGINS = st.text(st.characters(codec="utf-8"), min_size=1, max_size=20)


def rules() -> st.SearchStrategy[dict[str, Any]]:
    """Return rules about native events `raw`, of few subjects and names, so that some clash."""
    return st.fixed_dictionaries(
        {
            "native": st.just({"subject": "raw"}),
            "subject": st.sampled_from(SUBJECTS),
            "direction": st.sampled_from(("in", "both")),
            "name": st.sampled_from(("", "one", "other")),
        },
        optional={"parameters": st.just({"x": {"constant": 1}})},
    )


def distinct(most: int) -> st.SearchStrategy[list[dict[str, Any]]]:
    """Return lists of rules, none of which stands twice."""
    return st.lists(
        rules(), min_size=1, max_size=most, unique_by=lambda one: repr(sorted(one.items(), key=str))
    )


def identities(plain: list[dict[str, Any]], origin: str) -> dict[str, str]:
    """Return the origin of what each rule makes, by the rule."""
    mapping = Mapping(load_rules(plain, Path()))
    parts: tuple[EventPart, ...] = mapping.events_of(Native("raw")).parts
    made = [part.origin(origin) for part in parts]
    return dict(zip(map(repr, plain), made, strict=True))


@given(distinct(6), st.data(), ORIGINS)
def test_what_two_lists_make_of_one_event_is_the_same_where_the_rule_is(
    plain: list[dict[str, Any]], data: st.DataObject, origin: str
) -> None:
    other = data.draw(st.lists(st.sampled_from(plain), min_size=1, unique_by=repr))
    here, there = identities(plain, origin), identities(other, origin)
    assert {rule: here[rule] for rule in there} == there


@given(distinct(6), ORIGINS)
def test_where_no_rules_clash_no_two_events_have_one_identity(
    plain: list[dict[str, Any]], origin: str
) -> None:
    made = list(identities(plain, origin).values())
    assert (len(set(made)) == len(made)) or clashes(load_rules(plain, Path()))
