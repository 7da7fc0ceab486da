from typing import Any

import pytest
from adapter_cns.codec import (
    BODY,
    PLAIN,
    Naming,
    attributes_of,
    field_of,
    parameters_of,
    structured_of,
    subject_of,
    value_of,
)
from eventservices.cns import LongLong, StructuredEvent, Value, structured_event
from eventservices.cns.codec import decode, encode_any, encode_structured
from fes.errors import EventError
from fes.model import Event, Field, Type
from hypothesis import given
from hypothesis import strategies as st

BY_NAME = Naming("Traffic", by_event_name=True)

texts = st.text(st.characters(codec="utf-8"), max_size=8)
int32 = st.integers(-(2**31), 2**31 - 1)
int64 = st.integers(-(2**63), 2**63 - 1)
floats = st.floats(allow_nan=False)

plain_fields: dict[Type, st.SearchStrategy[Any]] = {
    Type.STRING: texts,
    Type.LONG: int32,
    Type.LONGLONG: int64,
    Type.DOUBLE: floats,
    Type.BOOLEAN: st.booleans(),
    Type.OCTETS: st.binary(max_size=8),
}


def fields(names: st.SearchStrategy[str], depth: int = 1) -> st.SearchStrategy[tuple[Field, ...]]:
    kinds = st.sampled_from([*plain_fields, Type.EVENT] if depth else list(plain_fields))

    def named(name: str) -> st.SearchStrategy[Field]:
        return kinds.flatmap(
            lambda kind: (events(depth - 1) if kind is Type.EVENT else plain_fields[kind]).map(
                lambda value: Field(name, kind, value)
            )
        )

    return st.lists(names.flatmap(named), max_size=4, unique_by=lambda field: field.id).map(tuple)


def events(depth: int = 1) -> st.SearchStrategy[Event]:
    subjects = st.one_of(
        texts.filter(bool), st.sampled_from(["Speed", "%STRUCT", "%SEQUENCE", "%NULL"])
    )
    parameter_names = st.one_of(texts, st.sampled_from([BODY, "0", "1", "rate"]))
    attribute_names = st.one_of(texts, st.sampled_from(["Priority", "StopTime", "Proximity"]))
    return st.builds(
        Event, subjects, fields(parameter_names, depth), fields(attribute_names, depth)
    )


values: st.SearchStrategy[Value] = st.recursive(
    st.one_of(
        st.none(), st.booleans(), int64, int32.map(LongLong), floats, texts, st.binary(max_size=4)
    ),
    lambda inner: st.one_of(
        st.lists(inner, max_size=3),
        st.dictionaries(texts, inner, max_size=3),
        st.builds(
            structured_event,
            st.tuples(texts, texts.filter(bool)),
            texts.filter(bool),
            filterable_data=st.dictionaries(texts, inner, max_size=2),
            body=inner,
        ),
    ),
    max_leaves=8,
)


def crossed(event: StructuredEvent) -> StructuredEvent:
    found = decode(encode_structured(event))
    assert isinstance(found, StructuredEvent)
    return found


def read(event: StructuredEvent, naming: Naming) -> Event:
    return Event(
        subject_of(event, naming),
        parameters_of(event, event.remainder_of_body),
        attributes_of(event, naming),
    )


@given(events(), st.sampled_from([PLAIN, BY_NAME]))
def test_every_event_comes_back_as_it_was(event: Event, naming: Naming) -> None:
    made = structured_of(event.subject, event.parameters, event.attributes, naming)

    assert read(crossed(made), naming) == event


@given(values)
def test_every_value_of_an_any_comes_back_as_it_was(value: Value) -> None:
    wire = encode_any(value)

    assert encode_any(value_of(field_of("x", value))) == wire


@given(
    st.builds(
        structured_event,
        st.tuples(texts, texts.filter(bool)),
        texts.filter(bool),
        variable_header=st.dictionaries(texts, values, max_size=2),
        filterable_data=st.dictionaries(
            texts.filter(lambda name: name != BODY), values, max_size=3
        ),
        body=values,
    ),
    st.sampled_from([PLAIN, BY_NAME]),
)
def test_every_structured_event_comes_back_as_it_was(
    event: StructuredEvent, naming: Naming
) -> None:
    found = read(event, naming)
    made = structured_of(found.subject, found.parameters, found.attributes, naming)

    assert encode_structured(made) == encode_structured(event)


def test_type_codes_tell_integers_apart() -> None:
    assert field_of("x", 5) == Field("x", Type.LONG, 5)
    assert field_of("x", LongLong(5)) == Field("x", Type.LONGLONG, 5)
    assert type(field_of("x", LongLong(5)).value) is int
    assert field_of("x", 2**31) == Field("x", Type.LONGLONG, 2**31)
    assert type(value_of(Field("x", Type.LONGLONG, 5))) is LongLong
    assert type(value_of(Field("x", Type.LONG, 5))) is int


def test_the_subject_is_both_names_of_the_header() -> None:
    made = structured_of("Speed", (), (), Naming("Traffic"))

    assert made.event_type == ("Traffic", "Speed")
    assert made.event_name == "Speed"


def test_other_names_of_the_header_are_kept_as_attributes() -> None:
    event = structured_event(("Traffic", "Speed"), "FES0001")

    found = read(event, PLAIN)

    assert found == Event(
        "Speed",
        (),
        (
            Field("EventName", Type.STRING, "FES0001"),
            Field("DomainName", Type.STRING, "Traffic"),
        ),
    )
    assert structured_of(found.subject, (), found.attributes, PLAIN) == event


def test_the_subject_may_be_the_events_name() -> None:
    event = structured_event(("Traffic", "CarSpeed"), "Speed")

    found = read(event, BY_NAME)

    assert found == Event("Speed", (), (Field("TypeName", Type.STRING, "CarSpeed"),))
    assert structured_of(found.subject, (), found.attributes, BY_NAME) == event


@pytest.mark.parametrize("naming", [PLAIN, BY_NAME])
def test_an_event_without_a_name_has_no_subject(naming: Naming) -> None:
    with pytest.raises(EventError, match="name is empty"):
        subject_of(structured_event(("Traffic", "")), naming)


def test_a_users_header_field_is_not_replaced_by_a_name_of_the_header() -> None:
    event = structured_event(("Traffic", "Speed"), "x", variable_header={"EventName": 5})

    assert attributes_of(event, Naming("Traffic")) == (Field("EventName", Type.LONG, 5),)


def test_the_standard_attributes_have_the_names_and_units_of_cns() -> None:
    attributes = (
        Field("Priority", Type.LONG, 7),
        Field("Timeout", Type.DOUBLE, 1.5),
        Field("Reliability", Type.LONG, 1),
        Field("StopTime", Type.STRING, "2026-01-01T00:00:00Z"),
        Field("Proximity", Type.STRING, "0,1,0,0,300"),
    )

    made = structured_of("Speed", (), attributes, PLAIN)

    header = made.header.variable_header
    assert list(header) == ["Priority", "Timeout", "EventReliability", "StopTime", "Proximity"]
    assert (header["Priority"], header["Timeout"], header["EventReliability"]) == (7, 15_000_000, 1)
    assert attributes_of(crossed(made), PLAIN) == attributes


def test_two_attributes_never_become_one() -> None:
    attributes = (
        Field("EventReliability", Type.LONG, 0),
        Field("Reliability", Type.LONG, 1),
    )

    made = structured_of("Speed", (), attributes, PLAIN)

    assert attributes_of(made, PLAIN) == attributes


def test_a_body_is_the_last_parameter() -> None:
    event = structured_event(("", "Speed"), "Speed", filterable_data={"a": 1}, body=[1, "x"])

    found = read(event, PLAIN)

    assert [field.id for field in found.parameters] == ["a", BODY]
    assert found.parameter(BODY) == Event.of("%SEQUENCE", {"0": 1, "1": "x"})
    assert structured_of("Speed", found.parameters, (), PLAIN) == event


def test_a_parameter_without_a_value_is_no_body() -> None:
    parameters = (Field(BODY, Type.EVENT, Event("%NULL")),)

    made = structured_of("Speed", parameters, (), PLAIN)

    assert made.filterable_data == {BODY: None}
    assert read(made, PLAIN).parameters == parameters


@pytest.mark.parametrize(
    "attribute",
    [
        Field("EventName", Type.LONG, 5),
        Field("EventName", Type.STRING, ""),
        Field("DomainName", Type.LONG, 5),
    ],
)
def test_an_attribute_that_is_no_name_is_a_header_field(attribute: Field) -> None:
    made = structured_of("Speed", (), (attribute,), PLAIN)

    assert made.header.variable_header == {attribute.id: attribute.value}
    assert (made.event_type, made.event_name) == (("", "Speed"), "Speed")


def test_two_values_of_one_name_are_refused() -> None:
    event = structured_event(("", "Speed"), filterable_data={BODY: 1}, body=2)

    with pytest.raises(EventError, match=BODY):
        read(event, PLAIN)


def test_values_nested_too_deep_are_refused() -> None:
    value: Value = 1
    for _ in range(33):
        value = structured_event(("", "Deep"), "Deep", filterable_data={"x": value})

    with pytest.raises(EventError, match="deeper than 32"):
        field_of("x", value)


def test_only_what_looks_like_a_sequence_becomes_one() -> None:
    gap = Event.of("%SEQUENCE", {"0": 1, "2": 1})

    assert isinstance(value_of(Field("x", Type.EVENT, gap)), StructuredEvent)
    assert value_of(Field("x", Type.EVENT, Event.of("%SEQUENCE", {"0": 1}))) == [1]
    assert value_of(Field("x", Type.EVENT, Event.of("%STRUCT", {"0": 1}))) == {"0": 1}
    assert value_of(Field("x", Type.EVENT, Event("%NULL"))) is None
