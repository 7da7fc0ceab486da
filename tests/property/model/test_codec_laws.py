"""Laws of the codecs, over every event of the model."""

from fes.errors import CodecError
from fes.model import Event, Field, Type, binary
from fes.model.text import from_json, to_json
from hypothesis import given
from hypothesis import strategies as st

TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)
NAME = TEXT.filter(bool)


def fields(values: st.SearchStrategy[tuple[Type, object]]) -> st.SearchStrategy[tuple[Field, ...]]:
    return st.lists(st.tuples(NAME, values), max_size=5, unique_by=lambda pair: pair[0]).map(
        lambda pairs: tuple(Field(name, kind, value) for name, (kind, value) in pairs)
    )


SIMPLE = st.one_of(
    st.tuples(st.just(Type.STRING), TEXT),
    st.tuples(st.just(Type.LONG), st.integers(-(2**31), 2**31 - 1)),
    st.tuples(st.just(Type.LONGLONG), st.integers(-(2**63), 2**63 - 1)),
    st.tuples(st.just(Type.DOUBLE), st.floats(allow_nan=False)),
    st.tuples(st.just(Type.BOOLEAN), st.booleans()),
    st.tuples(st.just(Type.OCTETS), st.binary(max_size=20)),
)
FLAT = st.builds(Event, NAME, fields(SIMPLE), fields(SIMPLE))
EVENTS = st.builds(
    Event, NAME, fields(st.one_of(SIMPLE, st.tuples(st.just(Type.EVENT), FLAT))), fields(SIMPLE)
)


@given(EVENTS)
def test_messagepack_gives_back_what_it_was_given(event: Event) -> None:
    assert binary.decode(binary.encode(event)) == event


@given(EVENTS)
def test_json_gives_back_what_it_was_given(event: Event) -> None:
    assert from_json(to_json(event)) == event


@given(st.binary(max_size=200))
def test_any_bytes_are_an_event_or_a_codec_error(data: bytes) -> None:
    try:
        event = binary.decode(data)
    except CodecError:
        return
    assert binary.decode(binary.encode(event)) == event


@given(st.text(max_size=200))
def test_any_text_is_an_event_or_a_codec_error(text: str) -> None:
    try:
        event = from_json(text)
    except CodecError:
        return
    assert from_json(to_json(event)) == event
