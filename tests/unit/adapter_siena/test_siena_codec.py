"""Events as SIENA notifications: every type crosses, over the wire, and comes back exactly."""

import math
import struct
from typing import Any

import pytest
from adapter_siena.codec import Codec
from adapter_siena.names import Names
from eventservices.siena import Notification
from eventservices.siena import codec as wire
from fes.control import CONTROL_SUBJECT
from fes.errors import MappingError
from fes.mapping import Native
from fes.model import Event, Field, Type
from hypothesis import given, settings
from hypothesis import strategies as st

CODEC = Codec(Names({}))
names = st.one_of(
    st.sampled_from(("rate", "license-no", "FES_Subject", "FES_Types", "Priority", "é", "")),
    st.text(st.characters(codec="utf-8"), max_size=8),
)
texts = st.text(st.characters(codec="utf-8"), max_size=8)
scalars = st.one_of(
    st.tuples(st.just(Type.STRING), texts),
    st.tuples(st.just(Type.LONG), st.integers(-(2**31), 2**31 - 1)),
    st.tuples(st.just(Type.LONGLONG), st.integers(-(2**63), 2**63 - 1)),
    st.tuples(st.just(Type.DOUBLE), st.floats()),
    st.tuples(st.just(Type.BOOLEAN), st.booleans()),
    st.tuples(st.just(Type.OCTETS), st.binary(max_size=8)),
)


def fields_of(values: st.SearchStrategy[Any]) -> st.SearchStrategy[tuple[Field, ...]]:
    return st.dictionaries(names, values, max_size=4).map(
        lambda found: tuple(Field(name, *value) for name, value in found.items())
    )


def events_of(values: st.SearchStrategy[Any]) -> st.SearchStrategy[Event]:
    subjects = st.text(st.characters(codec="utf-8"), min_size=1, max_size=8)
    return st.builds(Event, subjects, fields_of(values), fields_of(values))


nested = st.recursive(
    events_of(scalars),
    lambda inner: events_of(st.one_of(scalars, st.tuples(st.just(Type.EVENT), inner))),
    max_leaves=3,
)


def across(event: Event) -> Event:
    """Return what comes out at the other end of the wire."""
    native = Native(event.subject, event.parameters, event.attributes)
    sent = CODEC.to_notification(native)
    assert Notification(dict(sent)) == sent or _has_nan(sent)
    found = CODEC.to_native(wire.decode(wire.encode(sent)))
    assert found.subject is not None
    return Event(found.subject, found.parameters, found.attributes)


def _has_nan(sent: Notification) -> bool:
    return any(isinstance(value, float) and math.isnan(value) for value in sent.values())


def exact(value: Any) -> Any:
    """Return a value that compares by type and bit."""
    if isinstance(value, Event):
        return (value.subject, exact(value.parameters), exact(value.attributes))
    if isinstance(value, tuple | Field):
        parts = (value.id, value.type, value.value) if isinstance(value, Field) else value
        return tuple(exact(part) for part in parts)
    if isinstance(value, float) and not math.isnan(value):
        return struct.pack(">d", value)
    return (type(value).__name__, repr(value))


@settings(max_examples=200, deadline=None)
@given(event=nested)
def test_every_event_comes_back_exactly(event: Event) -> None:
    assert exact(across(event)) == exact(event)


def test_a_plain_event_takes_no_attribute_of_ours_but_its_subject() -> None:
    event = Event.of("Speed", {"license_no": "FES0001", "rate": 83.0}, {"Priority": 2})
    sent = CODEC.to_notification(Native(event.subject, event.parameters, event.attributes))
    assert dict(sent) == {
        "FES_Subject": "Speed",
        "license_no": "FES0001",
        "rate": 83.0,
        "FES_A.Priority": 2,
    }


def test_a_hint_names_only_the_fields_that_need_one() -> None:
    inner = Event.of("Inner", x=1)
    fields = (
        Field("serial", Type.LONGLONG, 5),
        Field("far", Type.LONGLONG, 2**40),
        Field("axles", Type.LONG, 2),
        Field("in-ner", Type.EVENT, inner),
    )
    sent = CODEC.to_notification(Native("Speed", fields, (Field("n", Type.LONGLONG, 0),)))
    assert sent["FES_Types"] == "serial:longlong in_.2D.ner:event FES_A.n:longlong"
    assert sent["in_.2D.ner"] == '{"subject": "Inner", "parameters": {"x": 1}, "attributes": {}}'


def test_parameters_of_our_own_names_do_not_collide() -> None:
    event = Event.of("S", {"FES_Subject": "p", "FES_Types": "q", "FES_A.x": 1}, {"x": 2})
    assert across(event) == event


def test_a_foreign_notification_has_its_subject_where_the_settings_say() -> None:
    foreign = Notification({"type": "Speed", "rate": 83})
    with pytest.raises(MappingError, match="no subject: attribute 'FES_Subject' is None"):
        CODEC.to_native(foreign)
    with pytest.raises(MappingError, match="attribute 'kind' is None"):
        Codec(Names({}), "kind").to_native(foreign)

    found = Codec(Names({}), "type").to_native(foreign)

    assert found.subject == "Speed"
    assert found.parameters == (
        Field("type", Type.STRING, "Speed"),
        Field("rate", Type.LONG, 83),
    )


def test_our_subject_goes_before_the_foreign_one() -> None:
    both = Notification({"type": "Other", "FES_Subject": "Speed"})
    assert Codec(Names({}), "type").to_native(both).subject == "Speed"
    wrong = Notification({"type": "Other", "FES_Subject": 5})
    with pytest.raises(MappingError, match="'FES_Subject' is 5"):
        Codec(Names({}), "type").to_native(wrong)


@pytest.mark.parametrize(
    ("more", "fault"),
    [
        ({"FES_Types": 5}, "not name:longlong"),
        ({"FES_Types": "x"}, "'x' is not name:longlong"),
        ({"FES_Types": "x:word", "x": 1}, "'x:word' is not name:longlong"),
        ({"FES_Types": "x:longlong", "x": "text"}, "'x' is not of type longlong: 'text'"),
        ({"FES_Types": "x:longlong", "x": True}, "'x' is not of type longlong: True"),
        ({"FES_Types": "x:event", "x": "{}"}, "attribute 'x': event.subject"),
        ({"FES_Other": 1}, "'FES_Other' is reserved"),
        ({"FES_Subject": ""}, "no subject"),
    ],
)
def test_what_cannot_be_read_is_refused_with_its_place(more: dict[str, Any], fault: str) -> None:
    with pytest.raises(MappingError, match=fault):
        CODEC.to_native(Notification({"FES_Subject": "S", **more}))


def test_a_hint_for_a_field_that_is_not_there_is_no_fault() -> None:
    found = CODEC.to_native(Notification({"FES_Subject": "S", "FES_Types": "x:longlong"}))
    assert found.parameters == ()


def test_an_event_without_a_form_in_siena_is_refused() -> None:
    with pytest.raises(MappingError, match="no octets"):
        CODEC.to_notification(Native("S", octets=b"1"))
    with pytest.raises(MappingError, match="no octets"):
        CODEC.to_notification(Native(None))
    many = tuple(Field(f"p{number}", Type.LONG, number) for number in range(1000))
    with pytest.raises(MappingError, match="1001 attributes, more than 1000"):
        CODEC.to_notification(Native("S", many))


def test_a_control_event_is_a_subject_like_any_other() -> None:
    event = Event.of(CONTROL_SUBJECT, {"Type": 2, "Filter": "Speed"}, {"FES_Version": 2**50})
    assert across(event) == event
