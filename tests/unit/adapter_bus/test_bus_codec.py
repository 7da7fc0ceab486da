"""Subjects and values cross to a bus and come back as they were."""

import pytest
from adapter_bus.codec import name_of, subject_of
from adapter_bus.mapping import plan
from eventservices.bus.names import check_name
from fes.errors import AdapterError, MappingError
from fes.filter import Filter
from fes.mapping import Mapping
from hypothesis import given
from hypothesis import strategies as st


@given(st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=25))
def test_every_short_subject_has_one_name_and_every_name_one_subject(subject: str) -> None:
    name = name_of(subject)
    assert check_name(name) == name
    assert subject_of(name) == subject


def test_a_subject_that_looks_escaped_is_escaped() -> None:
    assert name_of("fes-hex.61") != "fes-hex.61"
    assert subject_of(name_of("fes-hex.61")) == "fes-hex.61"


def test_a_subject_that_is_too_long_is_refused() -> None:
    with pytest.raises(MappingError):
        name_of("ä" * 100)


def test_a_filter_has_to_name_its_subjects() -> None:
    with pytest.raises(AdapterError, match="subscribe by name"):
        plan(Filter.of("a > 1"), Mapping(()))
    found = plan(Filter.of("subject IN ('x', 'y') AND a > 1"), Mapping(()))
    assert sorted(found.by_name) == ["x", "y"]
