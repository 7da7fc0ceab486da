"""Any name is that of a property of JMS, and comes back."""

from adapter_jms.names import PROPERTIES, is_property
from hypothesis import example, given
from hypothesis import strategies as st

NAMES = st.text(st.characters(codec="utf-8"), min_size=1, max_size=20)
AWKWARD = st.text(st.sampled_from("_x41AFé $"), min_size=1, max_size=12)


@example("type")
@example("Null")
@example("JMSPriority")
@example("1st")
@example("_x74$ype")
@given(NAMES | AWKWARD)
def test_any_name_is_that_of_a_property_and_comes_back(name: str) -> None:
    native = PROPERTIES.write(name)
    assert is_property(native)
    assert PROPERTIES.read(native) == name


@given(AWKWARD, AWKWARD)
def test_two_names_are_those_of_two_properties(one: str, other: str) -> None:
    assert (PROPERTIES.write(one) == PROPERTIES.write(other)) == (one == other)
