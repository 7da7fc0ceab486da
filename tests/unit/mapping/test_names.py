"""Name rules have a way back, or refuse."""

import pytest
from fes.errors import MappingError
from fes.mapping import Mapping, NameRule, Native
from fes.mapping.fields.names import Names
from fes.model import Event
from msgspec import ValidationError, convert

SIENA = NameRule(illegal="-", escape="_")


@pytest.mark.parametrize(
    ("name", "native"),
    [
        ("license_no", "license_no"),
        ("max-speed", "max_2D_speed"),
        ("a_2D_b", "a_5F_2D_5F_b"),
        ("_2D-", "_5F_2D_2D_"),
        ("_", "_"),
        ("-", "_2D_"),
        ("a_41_b", "a_41_b"),
    ],
)
def test_an_illegal_character_is_escaped_and_everything_else_stays(name: str, native: str) -> None:
    names = Names(SIENA)
    assert names.outward(name) == native
    assert names.inward(native) == name


def test_a_topic_with_a_dot_has_a_way_back_from_a_service_that_separates_by_dots() -> None:
    names = Names(NameRule(substitutes={"/": ".", ".": "//"}))
    assert names.outward("spBv1.0/plant1") == "spBv1//0.plant1"
    assert names.inward("spBv1//0.plant1") == "spBv1.0/plant1"


def test_a_substitute_that_stands_in_the_name_already_is_refused() -> None:
    names = Names(NameRule(substitutes={"-": "_"}))
    assert names.inward(names.outward("max-speed")) == "max-speed"
    with pytest.raises(MappingError, match="'license_no' has no form"):
        names.outward("license_no")


def test_an_illegal_character_without_an_escape_is_refused() -> None:
    with pytest.raises(MappingError, match="'-' is illegal"):
        Names(NameRule(illegal="-")).outward("max-speed")


def test_case_is_kept_by_escapes_where_the_service_folds_it() -> None:
    names = Names(NameRule(case="lower", escape="_"))
    assert names.outward("Rate") == "_52_ate"
    assert names.inward("_52_ATE") == "Rate"
    assert names.inward("RATE") == "rate"
    with pytest.raises(MappingError, match="'R' is illegal"):
        Names(NameRule(case="lower")).outward("Rate")


def test_a_name_that_is_too_long_for_the_service_is_refused() -> None:
    names = Names(NameRule(illegal="-", escape="_", max_length=6))
    assert names.outward("abcdef") == "abcdef"
    with pytest.raises(MappingError, match="has 7 characters, more than 6"):
        names.outward("abc-")
    with pytest.raises(MappingError, match="has 7 characters, more than 6"):
        names.outward("abcdefg")


def test_a_native_name_that_would_go_back_otherwise_is_refused() -> None:
    with pytest.raises(MappingError, match="'a_5F_b' would go back as another name"):
        Names(SIENA).inward("a_5F_b")


@pytest.mark.parametrize(
    "plain",
    [{"escape": "a"}, {"escape": "-", "illegal": "-"}, {"illegal": "-", "substitutes": {".": "-"}}],
)
def test_a_name_rule_that_contradicts_itself_is_refused(plain: dict[str, object]) -> None:
    with pytest.raises(ValidationError):
        convert(plain, NameRule)


def test_names_of_parameters_and_attributes_go_through_the_rule_and_subjects_where_asked() -> None:
    event = Event.of("a-b", {"c-d": 1}, {"e-f": 2})
    plain = Mapping(name_rule=SIENA)
    (native,) = plain.to_native(event)
    assert native == Native(
        "a-b", Event.of("x", c_2D_d=1).parameters, Event.of("x", {}, {"e_2D_f": 2}).attributes
    )
    ((back, _),) = plain.to_events(native)
    assert back == event
    whole = Mapping(name_rule=NameRule(illegal="-", escape="_", subjects=True))
    assert whole.to_native(event)[0].subject == "a_2D_b"
    assert whole.to_events(whole.to_native(event)[0])[0][0] == event


def test_two_native_names_that_fold_to_one_are_refused() -> None:
    mapping = Mapping(name_rule=NameRule(case="lower"))
    native = Native("s", Event.of("s", {"Rate": 1, "RATE": 2}).parameters)
    with pytest.raises(MappingError, match="two fields would be named 'rate'"):
        mapping.to_events(native)
