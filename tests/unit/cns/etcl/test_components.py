"""Components of every form of event."""

from enum import Enum, IntEnum
from typing import Any

import pytest
from eventservices.cns.etcl import (
    EvaluationError,
    char_value,
    enum_value,
    parse,
    struct_value,
    union_value,
)
from eventservices.cns.event import AnyEvent, StructuredEvent, structured_event
from eventservices.cns.value import LongLong
from support.etcl.data import PERSON, U1, U2, U3, U4, U5, UD, UNI_DEFAULT
from support.etcl.wild import any_event

EVENT = structured_event(
    ("Telecom", "Alarm"),
    "lost_packet",
    variable_header={"Priority": 3, "both": "header", "header": "shadowed"},
    filterable_data={
        "rate": 83.0,
        "both": "data",
        "type_name": "data",
        "odd name": 1,
        "fixed_header": 7,
        "any": any_event(any_event(5)),
        "items": [{"name": "x", "value": 1}, {"name": "x", "value": 2}, {"name": "y"}, 5],
    },
    body={"type_name": "body", "speed": 5, "inner": {"list": [[1, 2], [3]]}},
)


class Colour(Enum):
    RED = 1


class Size(IntEnum):
    BIG = 1


VALUES: list[tuple[Any, str, Any]] = [
    (EVENT, "$type_name", "Alarm"),
    (EVENT, "$domain_name", "Telecom"),
    (EVENT, "$event_name", "lost_packet"),
    (EVENT, "$.header.fixed_header.event_type.domain_name", "Telecom"),
    (EVENT, "$.header.fixed_header.event_type.type_name", "Alarm"),
    (EVENT, "$.header.fixed_header.event_name", "lost_packet"),
    (EVENT, "$.0.0.0.0", "Telecom"),
    (EVENT, "$.0.0.1", "lost_packet"),
    (EVENT, "$.0.1(Priority)", 3),
    (EVENT, "$.1(rate)", 83.0),
    (EVENT, "$.2.speed", 5),
    (EVENT, "$.2.1", 5),
    (EVENT, "$event_type.type_name", "Alarm"),
    (EVENT, "$variable_header(Priority)", 3),
    (EVENT, "$filterable_data(rate)", 83.0),
    (EVENT, "$filterable_data[0].name", "rate"),
    (EVENT, "$filterable_data[0].value", 83.0),
    (EVENT, "$filterable_data[0].1", 83.0),
    (EVENT, "$.filterable_data._length", 7),
    (EVENT, "$.header.variable_header._length", 3),
    (EVENT, "$remainder_of_body.speed", 5),
    (EVENT, "$both", "header"),
    (EVENT, "$header", "shadowed"),
    (EVENT, "$fixed_header", 7),
    (EVENT, "$.filterable_data(type_name)", "data"),
    (EVENT, "$.filterable_data('odd name')", 1),
    (EVENT, "$any", 5),
    (EVENT, "$items(x)", 1),
    (EVENT, "$items[1].value", 2),
    (EVENT, "$.remainder_of_body.inner.list[0][1]", 2),
    (EVENT, "$.remainder_of_body.inner.list[1]._length", 1),
    (EVENT, "$.filterable_data._type_id", "FilterableEventBody"),
    (EVENT, "$.filterable_data[0]._repos_id", "IDL:omg.org/CosNotification/Property:1.0"),
    (EVENT, "$.header.fixed_header.event_type._type_id", "EventType"),
    (EVENT, "$domain_name._type_id", "string"),
    (AnyEvent(EVENT), "$type_name", "Alarm"),
    (any_event(any_event(PERSON)), "$.first_name", "Firstname"),
    (any_event({"a": any_event({"b": 1})}), "$.a.b", 1),
    (any_event({"a": any_event(True)}), "$.a", True),
    (PERSON, "$first_name", "Firstname"),
    (PERSON, "$home_address(city)", "Berlin"),
    (PERSON, "$.person_profession._type_id == 'Person'", EvaluationError),
    ({"type_name": "mine"}, "$type_name", "mine"),
    ([{"name": "a", "value": 1}], "$a", 1),
    ([{"name": "a", "value": 1}], "$.a", 1),
    ([{"name": "a", "value": 1}], "$[0].value", 1),
    (b"abc", "$[1]", 98),
    (b"abc", "$._length", 3),
    ((1, 2), "$._length", 2),
    (5, "$._type_id", "long"),
    (2**40, "$._type_id", "long long"),
    (LongLong(5), "$._type_id", "long long"),
    (5.0, "$._type_id", "double"),
    (True, "$._type_id", "boolean"),
    (None, "$._type_id", "null"),
    (char_value("x"), "$._type_id", "char"),
    (enum_value("RED", "Colour"), "$._type_id", "Colour"),
    (Colour.RED, "$._repos_id", "IDL:Colour:1.0"),
    (struct_value("Person", {}), "$._repos_id", "IDL:Person:1.0"),
    (struct_value("Person", {}, "IDL:a.org/x/Person:1.1"), "$._repos_id", "IDL:a.org/x/Person:1.1"),
    ({"_repos_id": "IDL:a.org/x/Person:1.1"}, "$._type_id", "Person"),
    (EVENT, "$nothing", EvaluationError),
    (EVENT, "$speed", EvaluationError),
    (EVENT, "$.rate", EvaluationError),
    (EVENT, "$.filterable_data.rate", EvaluationError),
    (EVENT, "$.filterable_data.0", EvaluationError),
    (EVENT, "$.filterable_data[7]", EvaluationError),
    (EVENT, "$.header[0]", EvaluationError),
    (EVENT, "$event_type[0]", EvaluationError),
    (EVENT, "$event_type._length", EvaluationError),
    (EVENT, "$.3", EvaluationError),
    (EVENT, "$.header._length", EvaluationError),
    (EVENT, "$items(y)", EvaluationError),
    (EVENT, "$.remainder_of_body._type_id", EvaluationError),
    (EVENT, "$rate._length", EvaluationError),
    (EVENT, "$rate.x", EvaluationError),
    (EVENT, "$rate(x)", EvaluationError),
    (EVENT, "$rate[0]", EvaluationError),
    (EVENT, "$rate._repos_id", EvaluationError),
    (5, "$type_name", EvaluationError),
    ([1, 2], "$.0", EvaluationError),
    ([1, 2], "$[2]", EvaluationError),
    ([1, 2], "$._type_id", EvaluationError),
    ("text", "$[0]", EvaluationError),
    (struct_value("P", {"a": 1}), "$.1", EvaluationError),
    (struct_value("P", {"a": 1}), "$('_type_id')", EvaluationError),
    (enum_value("RED"), "$.0", EvaluationError),
]

UNIONS: list[tuple[Any, str, Any]] = [
    (U1, "$._d", 1),
    (U1, "$.(0)", 100),
    (U1, "$.(+1)", 100),
    (U1, "$.('long_')", 100),
    (U1, "$.(long_)", 100),
    (U1, "exist $.(1)", True),
    (U1, "exist $.(0)", False),
    (U1, "exist $.long_", True),
    (U1, "exist $.string_", False),
    (U1, "exist $.0", False),
    (U1, "exist $._d", True),
    (U1, "exist $.()", False),
    (U1, "default $._d", False),
    (U1, "default $", False),
    (U2, "$.(2)", "String"),
    (U3, "$.named_value_.name", "this is the name"),
    (U3, "$.(3).1", "this is the value"),
    (U4, "exist $.(4).phone_numbers[0]", True),
    (U4, "$.(4).home_address.0", "Takustr."),
    (U5, "$.named_value_array(name)", "value"),
    (UD, "exist $.()", True),
    (UD, "$.default_person.age", 29),
    (UD, "$.(999).age", 29),
    (UD, "exist $.(999)", False),
    (UD, "exist $.(77)", True),
    (UNI_DEFAULT, "$.(-8)", 2),
    (UNI_DEFAULT, "$.(+100)", 2),
    (UNI_DEFAULT, "$.('defvalue')", 2),
    (union_value(enum_value("e5"), "m", 1), "$.(e5)", 1),
    (union_value(enum_value("e5"), "m", 1, labels=[enum_value("e6")]), "$.(e6)", 1),
    (union_value(enum_value("e5"), "m", 1), "$._d == e5", True),
    (union_value(enum_value("e9"), "m", 1, others=[enum_value("e5")]), "$.(e7)", 1),
    (union_value(char_value("x"), "m", 1), "$.('x')", 1),
    (union_value(value=5, discriminator=True, member="m"), "$.(1)", 5),
    (union_value(0, "m", 1, labels=[enum_value("e")]), "$.(e)", 1),
    (U1, "$.(2)", EvaluationError),
    (union_value(Size.BIG, "m", 1), "$.(1)", EvaluationError),
    (U1, "$.()", EvaluationError),
    (U1, "$.(string_)", EvaluationError),
    (U1, "$(long_)", EvaluationError),
    (U1, "$[0]", EvaluationError),
    (UD, "$.(5)", EvaluationError),
    (UD, "$.('x')", EvaluationError),
    (UD, "$.(x)", EvaluationError),
    (PERSON, "$.(1)", EvaluationError),
    (PERSON, "default $.age", EvaluationError),
    (PERSON, "default $.third_name._d", EvaluationError),
    ({"_d": 1}, "$.(1)", EvaluationError),
    ({"_d": 1, "a": 1, "b": 2}, "$.(1)", EvaluationError),
    (union_value(enum_value("e9"), "m", 1, others=[enum_value("e5")]), "$.(e5)", EvaluationError),
]


@pytest.mark.parametrize(("event", "text", "wanted"), VALUES + UNIONS)
def test_a_component_is_found(event: Any, text: str, wanted: Any) -> None:
    if wanted is EvaluationError:
        with pytest.raises(EvaluationError):
            parse(text).evaluate(event)
        assert not parse(text).matches(event)
        return
    found = parse(text).evaluate(event)
    assert found == wanted
    assert type(found) is type(wanted)


def test_a_part_that_no_operator_takes_is_found_all_the_same() -> None:
    assert parse("$remainder_of_body").evaluate(EVENT) == EVENT.remainder_of_body


def test_a_name_of_the_fixed_header_is_never_shadowed() -> None:
    assert parse("$type_name == 'Alarm' and $.filterable_data(type_name) == 'data'").matches(EVENT)


def test_each_element_of_a_sequence_of_events_is_matched_alone() -> None:
    constraint = parse("$rate > 70")
    events = [
        structured_event(("d", "t"), filterable_data={"rate": rate}) for rate in (60, 71.0, 90)
    ]

    assert [constraint.matches(event) for event in events] == [False, True, True]


def test_an_event_type_that_is_a_plain_pair_does_too() -> None:
    event = StructuredEvent(EVENT.header)
    header = event.header.fixed_header.__class__(("d", "t"))  # type: ignore[arg-type]  # unchecked
    odd = StructuredEvent(event.header.__class__(header))

    assert parse("$type_name == 't' and $.0.0.0.1 == 't'").matches(odd)


def test_the_present_time_is_one_throughout_an_evaluation() -> None:
    ticks = iter(range(100, 200))
    constraint = parse("$curtime.time == $curtime.time", clock=lambda: next(ticks))

    assert constraint.matches(None)
    assert next(ticks) == 101


@pytest.mark.parametrize(
    "text",
    [
        "$curtime.time == 4294967301",
        "$curtime.time.high == 1 and $curtime.time.low == 5",
        "$curtime.inacclo + $curtime.inacchi + $curtime.tdf == 0",
        "exist $curtime and not exist $curtime.zone",
        "$curtime.time - 5 < $curtime.time",
    ],
)
def test_the_present_time_has_the_members_of_utc_time(text: str) -> None:
    assert parse(text, clock=lambda: 2**32 + 5).matches(EVENT)


def test_the_present_time_is_that_of_the_clock_on_the_wall() -> None:
    recent, later = 139_000_000_000_000_000, 150_000_000_000_000_000  # 2023-05 and 2058-03
    assert parse(f"$curtime.time > {recent} and $curtime.time < {later}").matches(None)
