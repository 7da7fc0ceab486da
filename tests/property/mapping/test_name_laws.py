"""Automatic mapping and name rules have a way back."""

from fes.errors import MappingError
from fes.mapping import Mapping, NameRule
from fes.mapping.fields.names import Names
from fes.model import Event, Field, Type
from hypothesis import given
from hypothesis import strategies as st

INT32, INT64 = 2**31, 2**63
NAMES = st.text(alphabet="ab-_.2D5F/Rx", min_size=1, max_size=10)
VALUES: dict[Type, st.SearchStrategy[str | float | bytes]] = {
    Type.STRING: st.text(max_size=8),
    Type.LONG: st.integers(-INT32, INT32 - 1),
    Type.LONGLONG: st.integers(-INT64, INT64 - 1),
    Type.DOUBLE: st.floats(),
    Type.BOOLEAN: st.booleans(),
    Type.OCTETS: st.binary(max_size=8),
}


@st.composite
def fields(draw: st.DrawFn) -> tuple[Field, ...]:
    ids = draw(st.lists(NAMES, max_size=4, unique=True))
    kinds = [draw(st.sampled_from(list(VALUES))) for _ in ids]
    return tuple(
        Field(name, kind, draw(VALUES[kind])) for name, kind in zip(ids, kinds, strict=True)
    )


@given(NAMES, fields(), fields())
def test_an_event_that_goes_out_and_in_automatically_is_the_same(
    subject: str, parameters: tuple[Field, ...], attributes: tuple[Field, ...]
) -> None:
    event = Event(subject, parameters, attributes)
    for name_rule in (None, NameRule(illegal="-./", escape="_", subjects=True)):
        mapping = Mapping(name_rule=name_rule)
        (native,) = mapping.to_native(event)
        ((back, time_us),) = mapping.to_events(native)
        assert repr(back) == repr(event)  # NaN equals nothing
        assert time_us is None


RULES = [
    NameRule(illegal="-", escape="_"),
    NameRule(illegal="-/.", escape="_", case="upper"),
    NameRule(case="lower", escape="/"),
    NameRule(substitutes={"/": ".", ".": "//"}),
    NameRule(substitutes={"-": "_"}),
    NameRule(substitutes={"-": "_2D"}, illegal=".", escape="/"),
    NameRule(illegal="-", max_length=6),
]


@given(st.sampled_from(RULES), NAMES | st.text(min_size=1, max_size=6))
def test_a_name_that_a_rule_lets_out_comes_back_and_is_legal(rule: NameRule, name: str) -> None:
    names = Names(rule)
    try:
        native = names.outward(name)
    except MappingError:
        assert rule not in RULES[:3]  # rules that escape take every name
        return
    assert names.inward(native) == name
    assert not set(native) & set(rule.illegal)
    assert rule.max_length is None or len(native) <= rule.max_length


@given(st.sampled_from(RULES), NAMES)
def test_a_native_name_that_a_rule_lets_in_goes_back(rule: NameRule, native: str) -> None:
    names = Names(rule)
    try:
        name = names.inward(native)
    except MappingError:
        return
    sent = names.outward(name)
    assert sent == native or (rule.case != "keep" and sent.casefold() == native.casefold())
