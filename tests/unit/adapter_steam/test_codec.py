import math
from typing import Any

import pytest
from adapter_steam import codec, proximity
from adapter_steam.codec import KEPT_CHARACTERS, TYPES_ATTRIBUTE, to_native, to_steam
from eventservices.stamp import Stamp
from eventservices.steam import Circle, Event, Notification, Position, Rectangle, around
from eventservices.steam.codec import decode_notification, encode
from fes.errors import AdapterError, CodecError
from fes.mapping import Native
from fes.model import Event as FesEvent
from fes.model import Field, Type
from hypothesis import given
from hypothesis import strategies as st

DEFAULT = around(300.0)


def crossed(event: Event, node: str = "g.steam", origin: str = "far/away") -> Notification:
    """Return what a node hears of an event, after the air."""
    stamp = Stamp(origin, 1, 1, 17, "elsewhere")
    area = event.proximity or DEFAULT
    said = Notification(
        stamp,
        node,
        Position(50.0, 11.0),
        300.0,
        area,
        event.subject,
        dict(event.parameters),
        dict(event.attributes),
    )
    return decode_notification(encode(said))


def native(
    parameters: tuple[Field, ...] = (), attributes: tuple[Field, ...] = (), subject: str = "Speed"
) -> Native:
    return Native(subject, parameters, attributes, time_us=17)


VALUES = {
    Type.STRING: st.text(max_size=20),
    Type.LONG: st.integers(-(2**31), 2**31 - 1),
    Type.DOUBLE: st.floats(allow_nan=False),
    Type.LONGLONG: st.integers(-(2**63), 2**63 - 1),
    Type.BOOLEAN: st.booleans(),
    Type.OCTETS: st.binary(max_size=20),
}


def fields(names: st.SearchStrategy[str]) -> st.SearchStrategy[tuple[Field, ...]]:
    plain = st.sampled_from(sorted(VALUES)).flatmap(
        lambda kind: st.tuples(st.just(kind), VALUES[kind])
    )
    nested = st.builds(
        lambda value: (Type.EVENT, FesEvent("Inner", (Field("v", Type.LONGLONG, value),))),
        VALUES[Type.LONGLONG],
    )
    valued = st.dictionaries(names, st.one_of(plain, nested), max_size=6)
    return valued.map(lambda found: tuple(Field(name, *value) for name, value in found.items()))


names = st.text(min_size=1, max_size=12)
attribute_names = st.one_of(
    names.filter(lambda name: name != "Proximity"),
    st.sampled_from(("FES_Types", "FES_Types_", "FES_Types__", "FES_TypesX", "Priority")),
)


@given(fields(names), fields(attribute_names), names)
def test_every_event_comes_back_as_it_was(
    parameters: tuple[Field, ...], attributes: tuple[Field, ...], subject: str
) -> None:
    told = native(parameters, attributes, subject)
    assert to_native(crossed(to_steam(told))) == told


def test_nan_comes_back() -> None:
    heard = to_native(crossed(to_steam(native((Field("rate", Type.DOUBLE, math.nan),)))))
    assert heard.parameters[0].type is Type.DOUBLE
    assert math.isnan(heard.parameters[0].value)


def test_types_are_told_only_where_they_would_be_lost() -> None:
    plain = native(
        (Field("rate", Type.DOUBLE, 1.0), Field("serial", Type.LONGLONG, 2**40)),
        (Field("Priority", Type.LONG, 1),),
    )
    assert to_steam(plain) == Event("Speed", {"rate": 1.0, "serial": 2**40}, {"Priority": 1})
    small = to_steam(native((Field("serial", Type.LONGLONG, 5),)))
    assert small.attributes == {TYPES_ATTRIBUTE: '{"parameters":{"serial":"longlong"}}'}


def test_an_event_in_an_event_is_text_that_people_can_read() -> None:
    inner = FesEvent.of("Inner", rate=1.0)
    said = to_steam(native((Field("cause", Type.EVENT, inner),)))
    assert said.parameters["cause"] == (
        '{"subject": "Inner", "parameters": {"rate": 1.0}, "attributes": {}}'
    )


@pytest.mark.parametrize(
    ("text", "area"),
    [
        ("0,1,0,0,300", around(300.0)),
        (" 0, 0, 50.5, 11.25, 10", Circle(False, 50.5, 11.25, 10.0)),
        ("1,1,0,0,20,30.5", Rectangle(True, 0.0, 0.0, 20.0, 30.5)),
    ],
)
def test_a_proximity_decides_who_hears_and_its_text_comes_back_as_it_was(
    text: str, area: Circle | Rectangle
) -> None:
    told = native((), (Field("Proximity", Type.STRING, text),))
    said = to_steam(told)
    assert said.proximity == area
    assert to_native(crossed(said)) == told


def test_an_event_without_proximity_has_none_on_the_other_side() -> None:
    said = to_steam(native())
    assert said.proximity is None
    assert to_native(crossed(said)).attributes == ()


def test_the_proximity_of_a_native_producer_becomes_an_attribute() -> None:
    said = Event("Speed", {"rate": 1.0}, {"note": "kept"}, Circle(False, 50.0, 11.0, 80.0))
    heard = to_native(crossed(said, node="v", origin="v"))
    assert heard.attributes == (
        Field("note", Type.STRING, "kept"),
        Field("Proximity", Type.STRING, "0,0,50.0,11.0,80.0"),
    )


def test_a_native_producers_own_attribute_of_that_name_is_left_alone() -> None:
    heard = to_native(crossed(Event("Speed", {}, {"Proximity": "near"}), node="v", origin="v"))
    assert heard.attributes == (Field("Proximity", Type.STRING, "near"),)


@pytest.mark.parametrize("value", ["near", "0,2,0,0,1", "0,1,0,0,-1", 300, b"0,1,0,0,300", True])
def test_what_is_no_proximity_is_refused_by_name(value: Any) -> None:
    kinds = {str: Type.STRING, int: Type.LONG, bytes: Type.OCTETS, bool: Type.BOOLEAN}
    told = native((), (Field("Proximity", kinds[type(value)], value),))
    with pytest.raises(AdapterError, match="attribute 'Proximity' is not a proximity"):
        to_steam(told)


@pytest.mark.parametrize(
    "told", [Native(None, can_id=12345, extended=True), Native("Speed", octets=b"abc")]
)
def test_what_is_not_structured_is_refused(told: Native) -> None:
    with pytest.raises(AdapterError, match="subject and parameters"):
        to_steam(told)


@pytest.mark.parametrize(
    "types",
    [
        5,
        "{",
        '{"parameters": {"rate": "long"}}',
        '{"others": {}}',
        '{"parameters": {"rate": "longlong"}}',
        '{"parameters": {"rate": "event"}}',
        '{"parameters": {"note": "event"}}',
        '{"attributes": {"FES_Types": "event"}}',
    ],
)
def test_types_that_are_not_those_of_the_values_are_an_error(types: Any) -> None:
    said = Event("Speed", {"rate": 1.0, "note": "no event"}, {TYPES_ATTRIBUTE: types})
    with pytest.raises(CodecError):
        to_native(crossed(said))


def test_a_native_event_tells_its_own_time() -> None:
    assert to_native(crossed(Event("Speed"))).time_us == 17


def test_long_texts_that_a_stranger_sent_are_not_remembered() -> None:
    said = crossed(Event("Speed"))
    said.attributes[TYPES_ATTRIBUTE] = '{"parameters": {}' + " " * KEPT_CHARACTERS + "}"
    caches = (codec._parsed, proximity._parsed)
    before = [cache.cache_info().currsize for cache in caches]
    assert to_native(said).subject == "Speed"
    assert proximity.parse_area("0,1,0,0,300." + "0" * proximity.KEPT_CHARACTERS) == around(300.0)
    assert [cache.cache_info().currsize for cache in caches] == before
