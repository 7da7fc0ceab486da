"""Names of the federation in SIENA's alphabet, and back."""

import pytest
from adapter_siena.names import ATTRIBUTE, RESERVED, Names
from eventservices.siena import check_name
from fes.errors import MappingError
from hypothesis import given
from hypothesis import strategies as st

NAMES = Names({})
ODD = st.text(st.sampled_from("aF_.-/2DE S\u00fc\U0001f600"), max_size=10)
ANY = st.text(st.characters(codec="utf-8"), max_size=12)
SUBSTITUTES = st.sampled_from(
    ({}, {"-": "."}, {"-": "_"}, {"-": "__", " ": "_"}, {"-": "x"}, {"-": "FES_"}, {"-": "_."})
)


@pytest.mark.parametrize(
    ("name", "native"),
    [
        ("license_no", "license_no"),
        ("a/b.c", "a/b.c"),
        ("license-no", "license_.2D.no"),
        ("lane_12_count", "lane_12_count"),
        ("9th", "_.39.th"),
        ("", "_.."),
        ("größe", "gr_.F6._.DF.e"),
        ("FES_Subject", "_.46._.45._.53._.5F._.53._.75._.62._.6A._.65._.63._.74."),
    ],
)
def test_a_parameter_keeps_its_name_where_siena_takes_it(name: str, native: str) -> None:
    assert NAMES.parameter(name) == native
    assert NAMES.place(native) == (False, name)


def test_an_attribute_stands_behind_its_prefix() -> None:
    assert NAMES.attribute("Priority") == "FES_A.Priority"
    assert NAMES.attribute("FES_System") == "FES_A.FES_System"
    assert NAMES.place("FES_A.Priority") == (True, "Priority")


@given(name=st.one_of(ODD, ANY), substitute=SUBSTITUTES)
def test_every_name_has_one_legal_form_that_leads_back(
    name: str, substitute: dict[str, str]
) -> None:
    names = Names(substitute)
    parameter, attribute = names.parameter(name), names.attribute(name)
    assert check_name(parameter)
    assert check_name(attribute)
    assert not parameter.startswith(RESERVED)
    assert names.place(parameter) == (False, name)
    assert names.place(attribute) == (True, name)


@given(native=st.from_regex(r"\A[A-Za-z_][A-Za-z0-9_/.]{0,9}\Z"), substitute=SUBSTITUTES)
def test_a_native_name_goes_back_as_it_came_or_is_refused(
    native: str, substitute: dict[str, str]
) -> None:
    names = Names(substitute)
    try:
        place = names.place(native)
    except MappingError:
        return
    back = names.attribute if place.is_attribute else names.parameter
    assert back(place.name) == native


def test_a_chosen_character_stands_for_an_illegal_one() -> None:
    names = Names({"-": "."})
    assert names.parameter("license-no") == "license.no"
    assert names.place("license.no") == (False, "license-no")
    assert names.place(names.parameter("license.no")) == (False, "license.no")


@pytest.mark.parametrize("native", ["FES_Other", "a_.61.", "_.110000.", "a_.2d."])
def test_a_name_with_another_way_back_is_refused_or_kept(native: str) -> None:
    if native == "a_.2d.":
        assert NAMES.place(native) == (False, native)
        return
    with pytest.raises(MappingError, match="native name"):
        NAMES.place(native)


def test_a_name_that_siena_finds_too_long_is_refused() -> None:
    assert len(NAMES.parameter("n" * 255)) == 255
    with pytest.raises(MappingError, match="has 256 characters, more than 255"):
        NAMES.parameter("n" * 256)
    with pytest.raises(MappingError, match="has 256 characters, more than 255"):
        NAMES.attribute("n" * (256 - len(ATTRIBUTE)))
