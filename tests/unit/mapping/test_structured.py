"""Structured events: automatic mapping, rules on top of it, one to many and many to one."""

from pathlib import Path
from typing import Any

import pytest
from fes.errors import MappingError
from fes.mapping import Mapping, Native, load_rules
from fes.model import Event, Field, Type
from fes.model.event import fields_of


def native(subject: str, attributes: dict[str, Any] | None = None, /, **parameters: Any) -> Native:
    return Native(
        subject,
        tuple(fields_of(parameters, "parameter")),
        tuple(fields_of(attributes or {}, "attribute")),
    )


def mapping_of(*plain: dict[str, Any], automatic: bool = True) -> Mapping:
    return Mapping(load_rules(plain, Path()), automatic=automatic)


def only(mapping: Mapping, event: Native) -> Event:
    ((found, _),) = mapping.to_events(event)
    return found


EVENT = Event(
    "Speed",
    (Field("b", Type.LONGLONG, 5), Field("a", Type.DOUBLE, 1.0), Field("o", Type.OCTETS, b"\xff")),
    (Field("Priority", Type.LONG, 3),),
)


def test_without_a_rule_everything_passes_straight_through() -> None:
    mapping = mapping_of()
    (there,) = mapping.to_native(EVENT)
    assert there == Native("Speed", EVENT.parameters, EVENT.attributes)
    assert only(mapping, there) == EVENT


def test_integers_beyond_53_bits_keep_every_digit() -> None:
    event = Event.of("S", userId=1688888483063664642, one=1.0)
    mapping = mapping_of()
    back = only(mapping, mapping.to_native(event)[0])
    assert back == event
    assert isinstance(back.parameter("one"), float)


@pytest.mark.parametrize("event", [Native(octets=b"\x01"), Native("Any", octets=b"\x01")])
def test_what_has_no_structure_is_set_aside_without_a_rule(event: Native) -> None:
    mapping = mapping_of()
    assert mapping.to_events(event) == ()
    assert mapping.counters.unmatched == 1


def test_a_rule_adds_a_constant_attribute_on_the_way_out_and_the_rest_passes() -> None:
    mapping = mapping_of(
        {"subject": "Speed", "attributes": {"Proximity": {"constant": "0,1,0,0,300"}}}
    )
    (there,) = mapping.to_native(EVENT)
    assert there.subject == "Speed"
    assert there.parameters == EVENT.parameters
    assert there.attributes == (
        Field("Priority", Type.LONG, 3),
        Field("Proximity", Type.STRING, "0,1,0,0,300"),
    )


def test_a_rename_keeps_the_place_of_the_field_and_changes_the_subject() -> None:
    mapping = mapping_of(
        {"subject": "Speed", "native": {"subject": "V"}, "parameters": {"rate": {"from": "v"}}}
    )
    event = only(mapping, native("V", x=1, v=2.5, y=3))
    assert event == Event.of("Speed", x=1, rate=2.5, y=3)
    assert mapping.to_native(event) == (native("V", x=1, v=2.5, y=3),)


def test_a_field_may_cross_between_parameters_and_attributes() -> None:
    mapping = mapping_of({"subject": "S", "attributes": {"Priority": {"from": "prio"}}})
    event = only(mapping, native("S", prio=4, x=1))
    assert event == Event.of("S", {"x": 1}, {"Priority": 4})
    assert mapping.to_native(event)[0] == native("S", x=1, prio=4)


def test_scale_offset_and_types_are_undone_on_the_way_out() -> None:
    mapping = mapping_of(
        {
            "subject": "S",
            "parameters": {"rate": {"from": "mph", "scale": 1.609344, "native_type": "long"}},
        }
    )
    event = only(mapping, native("S", mph=50))
    assert event.parameter("rate") == pytest.approx(80.4672)
    assert mapping.to_native(event) == (native("S", mph=50),)


@pytest.mark.parametrize(
    ("kind", "value", "expected"),
    [
        ("string", 5, "5"),
        ("string", 0.1, "0.1"),
        ("string", True, "true"),
        ("string", b"\xe9", "é"),
        ("octets", "é", b"\xe9"),
        ("long", "12", 12),
        ("long", 2.5, 3),
        ("long", True, 1),
        ("long", 2**40, 2**31 - 1),
        ("longlong", 7, 7),
        ("double", 7, 7.0),
        ("double", "1e3", 1000.0),
        ("boolean", "false", False),
        ("boolean", 1, True),
    ],
)
def test_a_value_takes_the_type_that_the_rule_declares(
    kind: str, value: Any, expected: Any
) -> None:
    mapping = mapping_of({"subject": "S", "parameters": {"x": {"type": kind}}})
    (field,) = only(mapping, native("S", x=value)).parameters
    assert (field.type.name.lower(), field.value) == (kind, expected)
    assert type(field.value) is type(expected)
    assert mapping.counters.saturated == (value == 2**40)


@pytest.mark.parametrize(
    ("kind", "value", "reason"),
    [
        ("double", 2**53 + 1, "loses digits as a double"),
        ("long", "1_000", "is not a number"),
        ("long", "a", "is not a number"),
        ("double", "1e999", "out of range"),
        ("boolean", 2, "neither true nor false"),
        ("octets", 5, "does not become octets"),
        ("octets", "Ж", "is not latin-1"),
    ],
)
def test_a_value_without_a_form_in_the_declared_type_is_refused(
    kind: str, value: Any, reason: str
) -> None:
    mapping = mapping_of({"subject": "S", "parameters": {"x": {"type": kind}}})
    with pytest.raises(MappingError, match=rf"rule 0 \(S\): parameter 'x': .*{reason}"):
        mapping.to_events(native("S", x=value))
    assert mapping.counters.refused == 1


def test_the_rest_can_be_dropped_and_is_counted() -> None:
    mapping = mapping_of({"subject": "S", "rest": "drop", "parameters": {"x": {}}})
    assert only(mapping, native("S", x=1, y=2)) == Event.of("S", x=1)
    assert mapping.counters.left_out == 1


def test_a_field_that_the_rule_makes_wins_over_one_that_passes() -> None:
    mapping = mapping_of({"subject": "S", "parameters": {"rate": {"from": "v"}}})
    assert only(mapping, native("S", rate=1, v=2)) == Event.of("S", rate=2)
    assert mapping.counters.left_out == 1


def test_a_default_stands_where_the_other_side_has_no_such_field() -> None:
    mapping = mapping_of({"subject": "S", "parameters": {"x": {"from": "n", "default": 5}}})
    assert only(mapping, native("S")) == Event.of("S", x=5)
    assert only(mapping, native("S", n=6)) == Event.of("S", x=6)
    assert mapping.to_native(Event("S")) == (native("S", n=5),)


def test_one_native_event_becomes_several_and_many_become_one_kind() -> None:
    mapping = mapping_of(
        {"subject": "A", "native": {"subject": "n"}, "parameters": {"x": {}}, "rest": "drop"},
        {"subject": "B", "native": {"subject": "n"}, "parameters": {"y": {}}, "rest": "drop"},
        {"subject": "B", "native": {"subject": "m"}, "direction": "in"},
        automatic=False,
    )
    found = mapping.to_events(native("n", x=1, y=2))
    assert [event for event, _ in found] == [Event.of("A", x=1), Event.of("B", y=2)]
    assert only(mapping, native("m", z=3)) == Event.of("B", z=3)
    assert mapping.to_native(Event.of("B", y=2)) == (native("n", y=2),)
    assert mapping.counters.mapped == 4


def test_a_rule_of_one_direction_says_nothing_about_the_other() -> None:
    rule = {"subject": "S", "native": {"subject": "n"}}
    inward = mapping_of({**rule, "direction": "in"})
    assert only(inward, native("n")).subject == "S"
    assert inward.to_native(Event("S"))[0].subject == "S"
    outward = mapping_of({**rule, "direction": "out"})
    assert only(outward, native("n")).subject == "n"
    assert outward.to_native(Event("S"))[0].subject == "n"


def test_control_events_pass_beside_any_rule() -> None:
    control = Event.of("FES_ControlEvent", Type=2, DistList="cns-*")
    mapping = mapping_of({"subject": "Speed"})
    assert only(mapping, mapping.to_native(control)[0]) == control
