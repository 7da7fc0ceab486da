"""Filters of the federation as SIENA filters: never less."""

from pathlib import Path
from typing import Any

import pytest
from adapter_siena.codec import Codec
from adapter_siena.mapping import MAX_ALTERNATIVES, FilterMapping, advertisement
from adapter_siena.names import Names
from eventservices.siena import Filter, Notification, compile_filter, format_filter
from fes.errors import MappingError
from fes.filter import Filter as FesFilter
from fes.filter import parse
from fes.mapping import Mapping, load_rules
from fes.model import Event
from hypothesis import given, settings
from hypothesis import strategies as st

NAMES = Names({})


def translated(
    text: str, mapping: Mapping | None = None, subject_attribute: str = ""
) -> tuple[list[str], tuple[str, ...]]:
    found = FilterMapping(mapping or Mapping(()), NAMES, subject_attribute)
    filters, widened = found.translate(parse(text))
    return [format_filter(each) for each in filters], widened


@pytest.mark.parametrize(
    ("text", "native"),
    [
        ("Speed", ['filter{ FES_Subject ="Speed"}']),
        (
            "subject = 'Speed' AND rate > 70",
            ['filter{ FES_Subject ="Speed" rate >70}'],
        ),
        (
            "subject = 'Speed' AND (rate > 100 OR @Priority = 1)",
            [
                'filter{ FES_A.Priority =1 FES_Subject ="Speed"}',
                'filter{ FES_Subject ="Speed" rate >100}',
            ],
        ),
        ("\"license-no\" STARTS WITH 'FES'", ['filter{ license_.2D.no >*"FES"}']),
        ("a ENDS WITH 'x' AND b CONTAINS 'y'", ['filter{ a *<"x" b *"y"}']),
        ("EXISTS a AND b <> 1", ["filter{ a any b !=1}"]),
        ("rate IN (1, 2)", ["filter{ rate =1}", "filter{ rate =2}"]),
        ("rate BETWEEN 1 AND 2.5", ["filter{ rate <=2.5 rate >=1}"]),
        ("NOT (rate > 70)", ["filter{ rate <=70}"]),
        ("braking = TRUE", ["filter{ braking =true}"]),
        ("", ["filter{}"]),
        ("FALSE", []),
    ],
)
def test_what_siena_knows_is_translated_exactly(text: str, native: list[str]) -> None:
    filters, widened = translated(text)
    assert sorted(filters) == sorted(native)
    assert widened == ()


@pytest.mark.parametrize(
    ("text", "native"),
    [
        ("a IS NULL AND b = 1", ["filter{ b =1}"]),
        ("name LIKE 'FES%9'", ['filter{ name *<"9" name >*"FES"}']),
        ("rate * 2 > limit", ["filter{ limit any rate any}"]),
        (f'"{"n" * 300}" = 1', ["filter{}"]),
    ],
)
def test_what_siena_does_not_know_is_widened_and_told(text: str, native: list[str]) -> None:
    filters, widened = translated(text)
    assert filters == native
    assert widened


def test_too_many_alternatives_become_what_they_share() -> None:
    alternatives = " OR ".join(f"(a = {n} AND b = {n})" for n in range(MAX_ALTERNATIVES + 1))
    filters, widened = translated(f"subject = 'S' AND ({alternatives})")
    assert len(filters) <= MAX_ALTERNATIVES
    assert all("FES_Subject" in each for each in filters)
    assert any("alternatives" in text for text in widened)


def test_a_subject_is_looked_for_where_foreign_notifications_have_it_too() -> None:
    filters, _ = translated("subject = 'Speed' AND rate > 70", subject_attribute="type")
    assert filters == [
        'filter{ FES_Subject ="Speed" rate >70}',
        'filter{ rate >70 type ="Speed"}',
    ]
    assert translated("rate > 70", subject_attribute="type")[0] == ["filter{ rate >70}"]


def test_a_mapping_is_inverted_for_the_subject_that_the_filter_names() -> None:
    rule = {
        "native": {"subject": "spd"},
        "subject": "Speed",
        "parameters": {"rate": {"from": "v-kmh"}},
    }
    rules = load_rules([rule], Path())
    mapping = Mapping(rules, automatic=False)
    filters, widened = translated("subject = 'Speed' AND rate > 70", mapping)
    assert filters == ['filter{ FES_Subject ="spd" v_.2D.kmh >70}']
    assert widened == ()


def test_an_advertisement_names_subject_and_attributes() -> None:
    what = advertisement(Notification({"FES_Subject": "Speed", "rate": 1.0, "FES_A.Priority": 1}))
    assert format_filter(what) == 'filter{ FES_A.Priority any FES_Subject ="Speed" rate any}'


TEXTS = ("", "a", "ab", "it's")
natives = st.dictionaries(
    st.sampled_from(("FES_Subject", "type", "a", "b_.2D.c", "FES_A.P", "FES_Other")),
    st.sampled_from((*TEXTS, 0, 1, 2**40, -3, 1.0, 0.5, True, False, b"a", float("nan"))),
)
references = st.sampled_from(("subject", "a", '"b-c"', "@P", "absent"))
ordered = st.sampled_from(("'a'", "'ab'", "'it''s'", "''", "1", "0", "-3", "0.5"))
constants = st.one_of(ordered, st.just("TRUE"))
leaves = st.one_of(
    st.builds(
        "{} {} {}".format,
        references,
        st.sampled_from(("=", "<>", "<", "<=", ">", ">=")),
        ordered,
    ),
    st.builds("{} {} {}".format, references, st.sampled_from(("=", "<>")), constants),
    st.builds("{} IN ({}, {})".format, references, constants, constants),
    st.builds("{} {} 'a'".format, references, st.sampled_from(("STARTS WITH", "CONTAINS"))),
    st.builds("{} LIKE 'a%b'".format, references),
    st.builds("{} IS NULL".format, st.sampled_from(("a", "@P"))),
    st.builds("a + 1 {} @P".format, st.sampled_from(("<", ">"))),
)
filters_of = st.recursive(
    leaves,
    lambda inner: st.one_of(
        st.builds("({} AND {})".format, inner, inner),
        st.builds("({} OR {})".format, inner, inner),
        st.builds("NOT ({})".format, inner),
    ),
    max_leaves=6,
)


@settings(max_examples=300, deadline=None)
@given(
    text=filters_of, found=st.lists(natives, max_size=6), attribute=st.sampled_from(("", "type"))
)
def test_no_notification_that_the_filter_accepts_is_lost(
    text: str, found: list[dict[str, Any]], attribute: str
) -> None:
    codec, asked = Codec(NAMES, attribute), FesFilter.of(text)
    native, _ = FilterMapping(Mapping(()), NAMES, attribute).translate(asked.tree)
    for values in found:
        try:
            heard = codec.to_native(Notification(values))
        except MappingError:
            continue
        event = Event(str(heard.subject), heard.parameters, heard.attributes)
        assert _passes(native, values) or not asked.matches(event)


def _passes(native: tuple[Filter, ...], values: dict[str, Any]) -> bool:
    return any(compile_filter(each)(values) for each in native)
