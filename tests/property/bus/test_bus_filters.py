"""What a bus's filter accepts is what the federation's filter accepts, or more where told."""

from eventservices.bus.filters import Subject, compile_filter
from fes.adapter.busfilter import bus_filters
from fes.filter import Filter
from fes.model import Event
from hypothesis import given
from hypothesis import strategies as st

NAMES = ("a", "b")
CONSTANTS = ("1", "2.5", "TRUE", "'x'", "'xy'")
values = st.one_of(
    st.integers(0, 3), st.sampled_from((1.0, 2.5)), st.booleans(), st.sampled_from(("x", "xy", ""))
)
leaves = st.one_of(
    st.builds(
        "{} {} {}".format,
        st.sampled_from(NAMES),
        st.sampled_from(("=", "<>")),
        st.sampled_from(CONSTANTS),
    ),
    st.builds(
        "{} {} {}".format,
        st.sampled_from(NAMES),
        st.sampled_from(("<", "<=", ">", ">=")),
        st.sampled_from(("1", "2.5")),
    ),
    st.builds("{} IN ({}, {})".format, st.sampled_from(NAMES), *[st.sampled_from(CONSTANTS)] * 2),
    st.builds("EXISTS {}".format, st.sampled_from(NAMES)),
    st.builds(
        "{} {} 'x'".format,
        st.sampled_from(NAMES),
        st.sampled_from(("STARTS WITH", "ENDS WITH", "CONTAINS", "LIKE")),
    ),
)
texts = st.recursive(
    leaves,
    lambda inner: st.one_of(
        st.builds("({} AND {})".format, inner, inner),
        st.builds("({} OR {})".format, inner, inner),
        st.builds("NOT ({})".format, inner),
    ),
    max_leaves=6,
)


@given(text=texts, found=st.dictionaries(st.sampled_from(NAMES), values))
def test_a_translated_filter_never_accepts_less(text: str, found: dict[str, object]) -> None:
    filter_ = Filter.of(f"subject = 'e' AND ({text})")
    natives, widened = bus_filters(filter_.tree)
    accepts = filter_.matches(Event.of("e", found))
    native = natives.get("e")
    passes = native is not None and compile_filter(native)(Subject(found, {}, "", "")) is True
    assert passes or not accepts
    if not widened:
        assert passes == accepts


@given(text=texts, user=st.sampled_from(("ann", "bob")), device=st.sampled_from(("desk", "pda")))
def test_user_and_device_are_visible(text: str, user: str, device: str) -> None:
    filter_ = Filter.of("@User = 'ann' AND @Device IN ('desk')")
    natives, widened = bus_filters(filter_.tree)
    assert widened == ()
    passes = compile_filter(natives[None])(Subject({}, {}, user, device)) is True
    assert passes == (user == "ann" and device == "desk")
