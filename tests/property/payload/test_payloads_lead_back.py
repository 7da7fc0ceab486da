"""Whatever an event holds, its message leads back to it."""

import math

from eventservices.stamp import Stamp
from fes.model import Event, Field, Type
from fes.model.types import INT32_MAX, INT32_MIN, INT64_MAX, INT64_MIN
from fes.payload.packing import Packing, Payload
from hypothesis import given
from hypothesis import strategies as st

STAMP = Stamp("far/away", 3, 7, 1_700_000_000_000_000, "elsewhere")
TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=8) | st.sampled_from(
    ("Priority", "Timeout", "octets", "event", "Content-Type", "0", "1", "7", "2.5", "NaN")
)
PLAIN = st.one_of(
    st.tuples(st.just(Type.STRING), TEXTS),
    st.tuples(st.just(Type.LONG), st.integers(INT32_MIN, INT32_MAX)),
    st.tuples(st.just(Type.LONGLONG), st.integers(INT64_MIN, INT64_MAX)),
    st.tuples(st.just(Type.DOUBLE), st.floats().filter(lambda value: not math.isnan(value))),
    st.tuples(st.just(Type.BOOLEAN), st.booleans()),
    st.tuples(st.just(Type.OCTETS), st.binary(max_size=8)),
)


def _fields(values: st.SearchStrategy[tuple[Type, object]]) -> st.SearchStrategy[tuple[Field, ...]]:
    named = st.dictionaries(TEXTS, values, max_size=4)
    return named.map(lambda found: tuple(Field(name, *each) for name, each in found.items()))


SUBJECTS = st.sampled_from(("object", "array", "null", "x"))
VALUES = st.recursive(
    PLAIN,
    lambda inner: st.tuples(
        st.just(Type.EVENT),
        st.builds(Event, SUBJECTS, _fields(inner), st.just(()) | _fields(PLAIN)),
    ),
    max_leaves=6,
)
FORMS: st.SearchStrategy[Payload] = st.sampled_from(
    ("json", "msgpack", "cloudevents", "cloudevents-binary")
)


@given(form=FORMS, parameters=_fields(VALUES), attributes=_fields(VALUES))
def test_a_message_leads_back_to_its_event(
    form: Payload, parameters: tuple[Field, ...], attributes: tuple[Field, ...]
) -> None:
    packing = Packing(form)
    packed = packing.pack("s", parameters, attributes, STAMP)
    assert all(text.isascii() and text.isprintable() for text in packed.headers.values())
    found = packing.unpack(packed.headers, packed.payload, "s", STAMP)
    assert (found.parameters, found.attributes) == (parameters, attributes)


@given(parameters=_fields(VALUES), attributes=_fields(VALUES))
def test_a_structured_cloudevent_needs_no_headers(
    parameters: tuple[Field, ...], attributes: tuple[Field, ...]
) -> None:
    packing = Packing("cloudevents", embeds=True)
    packed = packing.pack("s", parameters, attributes, STAMP)
    found = packing.unpack({}, packed.payload, "s", None)
    assert (found.parameters, found.attributes, found.stamp) == (parameters, attributes, STAMP)


@given(payload=st.binary(max_size=64), form=FORMS)
def test_any_payload_is_read_or_refused(payload: bytes, form: Payload) -> None:
    try:
        found = Packing(form).unpack({}, payload, "s", None).parameters
    except ValueError:  # every error of the codecs is one
        return
    packed = Packing("msgpack").pack("s", found, (), STAMP)
    assert Packing("msgpack").unpack(packed.headers, packed.payload, "s", STAMP).parameters == found
