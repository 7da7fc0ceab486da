"""Whatever an event holds, its message leads back to it."""

import math

from eventservices.stamp import Stamp
from fes.model import Event, Field, Type
from fes.model.types import INT32_MAX, INT32_MIN, INT64_MAX, INT64_MIN
from fes.payload.bindings import KAFKA, MQTT, NATS, Binding, is_context, is_whole
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


CONTEXT_NAMES = ("specversion", "id", "source", "type", "time", "subject", "datacontenttype", "x")
CONTEXTS = st.fixed_dictionaries(
    {},
    optional={
        f"ce-{name}": st.sampled_from(
            ("1.0", "far%2Faway/3/7", "/elsewhere", "s", "ü %41", "text/x")
        )
        | (st.integers(0, 9) if name == "x" else st.nothing())
        for name in CONTEXT_NAMES
    },
).map(lambda found: tuple(Event.of("x", {}, found).attributes))
WHOLE = Event.of("x", {}, {f"ce-{name}": "1.0" for name in CONTEXT_NAMES[:4]}).attributes


@given(
    form=FORMS,
    binding=st.sampled_from((MQTT, KAFKA, NATS)),
    context=CONTEXTS | st.just(WHOLE),
    others=st.dictionaries(
        st.sampled_from(("id", "specversion", "ce_id", "ce_x", "ce-A", "site", "x")), TEXTS
    ),
    data=st.data(),
)
def test_a_context_leads_back_in_every_protocol(
    form: Payload,
    binding: Binding,
    context: tuple[Field, ...],
    others: dict[str, str],
    data: st.DataObject,
) -> None:
    """An attribute that is named as a protocol names one of the context is not taken for it."""
    mixed = (*context, *Event.of("x", {}, others).attributes)
    attributes = tuple(data.draw(st.permutations(mixed)))
    if form == "cloudevents":  # there the context comes first, and states what the data is
        attributes = tuple(
            Field(f.id, f.type, "application/json") if f.id == "ce-datacontenttype" else f
            for f in attributes
        )
        attributes = (
            *filter(is_context, attributes),
            *(f for f in attributes if not is_context(f)),
        )
    if form.startswith("cloudevents"):  # of which a version that is not known is refused
        attributes = tuple(f for f in attributes if f.id != "ce-specversion" or f.value == "1.0")
    elif is_whole(attributes):
        attributes = tuple(
            Field(f.id, f.type, "1.0") if f.id == "ce-specversion" else f for f in attributes
        )
    packing = Packing(form, binding=binding)
    packed = packing.pack("s", (Field("c", Type.LONG, 1),), attributes, STAMP)
    assert all(text.isprintable() for text in packed.headers.values())
    found = packing.unpack(packed.headers, packed.payload, "s", STAMP)
    assert found.attributes == attributes
    assert found.parameters == (Field("c", Type.LONG, 1),)
