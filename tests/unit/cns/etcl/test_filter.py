from typing import Any

import pytest
from eventservices.cns.errors import AdminLimitExceededError
from eventservices.cns.etcl import (
    GRAMMAR,
    ConstraintExp,
    ConstraintInfo,
    ConstraintNotFoundError,
    EtclLimits,
    Filter,
    FilterFactory,
    InvalidConstraintError,
    InvalidGrammarError,
    MappingFilter,
    UnsupportedFilterableDataError,
)
from eventservices.cns.etcl.table import MAX_CONSTRAINTS, MAX_EVENT_TYPES
from eventservices.cns.event import AnyEvent, StructuredEvent, structured_event
from eventservices.cns.event_type import ANY_TYPE, EventType

SPEED = EventType("Traffic", "Speed")
ALARM = EventType("Telecom", "Alarm")


def speed(rate: float) -> StructuredEvent:
    return structured_event(SPEED, "FES0001", filterable_data={"rate": rate})


def made(*constraints: tuple[Any, str]) -> Filter:
    found = Filter()
    found.add_constraints(constraints)
    return found


def test_a_filter_without_constraints_lets_everything_pass() -> None:
    assert Filter().match_structured(speed(1))
    assert Filter().match(None)
    assert Filter().match_typed({})


@pytest.mark.parametrize(
    ("types", "passes"),
    [
        ([], True),
        ([("", "")], True),
        ([("*", "*")], True),
        ([("", "*")], True),
        ([("", "%ALL")], True),
        ([("*", "%ALL")], True),
        ([("Traffic", "%ALL")], True),
        ([("Traffic", "")], True),
        ([("*", "Speed")], True),
        ([("Tra*", "*ee*")], True),
        ([("DomainA", "TypeA"), SPEED], True),
        ([("traffic", "Speed")], False),
        ([("DomainA", "TypeA"), ("DomainB", "TypeB")], False),
        ([("", "%ANY")], False),
    ],
)
@pytest.mark.parametrize("text", ["", "$rate > 70"])
def test_a_constraint_is_for_events_of_its_types(types: Any, passes: bool, text: str) -> None:  # noqa: FBT001 - a case
    assert made((types, text)).match_structured(speed(83)) is passes


def test_a_star_in_the_type_of_an_event_is_no_wildcard() -> None:
    event = structured_event(("*", "*"))

    assert not made(([SPEED], "")).match_structured(event)
    assert made(([("*", "*")], "")).match_structured(event)


def test_one_true_constraint_is_enough() -> None:
    found = made(([], "$rate > 100"), ([ALARM], ""), ([SPEED], "$rate > 70"))

    assert [found.match_structured(speed(rate)) for rate in (60, 83, 101)] == [False, True, True]


def test_a_constraint_without_value_is_counted_and_the_next_is_tried() -> None:
    found = made(([], "$nothing == 1"), ([], "$rate == 'fast'"), ([], "$rate > 70"))

    assert found.match_structured(speed(83))
    assert found.failed == 2


@pytest.mark.parametrize("value", [1, 1.0, "TRUE", None, [True]])
def test_only_a_boolean_is_true(value: Any) -> None:
    assert not made(([], "$")).match(value)
    assert made(([], "$")).match(True)


def test_an_any_is_matched_as_its_value_and_has_the_type_of_anys() -> None:
    found = made(([ANY_TYPE], "$ > 5"), ([SPEED], "$rate > 70"))

    assert found.match(6)
    assert not found.match(5)
    assert found.match(AnyEvent(6))
    assert found.matches(AnyEvent(6))
    assert found.match(speed(83))
    assert found.matches(AnyEvent(speed(83)))
    assert not found.matches(speed(60))


def test_a_typed_event_is_matched_as_its_properties() -> None:
    found = made(([("", "%TYPED")], "$operation == 'set' and $value1 > 50 and $._length == 2"))

    assert found.match_typed({"operation": "set", "value1": 100})
    assert not found.match_typed({"operation": "get", "value1": 100})
    assert not made(([SPEED], "")).match_typed({"operation": "set"})


@pytest.mark.parametrize("event", [5, None, {"rate": 83}, [speed(83)], AnyEvent(5), object()])
def test_what_is_no_structured_event_is_refused_as_one(event: Any) -> None:
    with pytest.raises(UnsupportedFilterableDataError, match="is not a structured event"):
        Filter().match_structured(event)


def test_what_is_no_set_of_properties_is_refused_as_one() -> None:
    with pytest.raises(UnsupportedFilterableDataError, match="a number is not a set of properties"):
        Filter().match_typed(5)  # type: ignore[arg-type]  # that is the case
    with pytest.raises(UnsupportedFilterableDataError):
        MappingFilter(0).match_typed([1])  # type: ignore[arg-type]  # that is the case


@pytest.mark.parametrize(
    "odd", [object(), {1, 2}, [object()], {"rate": object()}, -(2**99), b"\xff"]
)
def test_a_value_that_no_any_carries_passes_or_not_but_never_raises(odd: Any) -> None:
    found = made(([], "$rate > 70 or $ == 5"), ([], "'a' in $"), ([], "$[0] + $.x(y)._length > 1"))

    assert not found.match(odd)
    assert not found.matches(structured_event(SPEED, filterable_data={"rate": odd}))


def test_constraints_have_ids_that_are_never_used_again() -> None:
    found = Filter()
    first = found.add_constraints([ConstraintExp([SPEED], "$rate > 1"), ([], "TRUE")])
    found.remove_all_constraints()
    found.add_constraints([([], "")])
    found.modify_constraints([2], [])
    [third] = found.add_constraints([([], "")])

    assert [info.constraint_id for info in (*first, third)] == [0, 1, 3]
    assert first[0] == ConstraintInfo(ConstraintExp((SPEED,), "$rate > 1"), 0)
    assert found.get_all_constraints() == (third,)
    assert found.get_constraints([3]) == (third,)
    with pytest.raises(ConstraintNotFoundError) as caught:
        found.get_constraints([3, 1])
    assert caught.value.constraint_id == 1


@pytest.mark.parametrize(
    ("expression", "reason"),
    [
        (([], "$rate >"), "expected a value"),
        (([], "1 + 1"), "expected a condition, found a number"),
        (([], "'a' and 'b'"), "expected a boolean, found a character"),
        (([("x" * 256, "y")], ""), "exceeds 255 bytes"),
        (([("x",)], ""), "a pair of text"),
        (([(1, 2)], ""), "a pair of text"),
        (([("d", str(n)) for n in range(MAX_EVENT_TYPES + 1)], ""), "more than 256 event types"),
    ],
)
def test_one_bad_constraint_and_none_is_taken(expression: Any, reason: str) -> None:
    found = made(([ALARM], "$a == 1"))
    before = found.get_all_constraints()
    with pytest.raises(InvalidConstraintError, match=reason):
        found.add_constraints([([SPEED], ""), expression])
    with pytest.raises(InvalidConstraintError, match=reason):
        found.modify_constraints([0], [(expression, 0)])

    assert found.get_all_constraints() == before
    assert found.event_types == {ALARM}


def test_constraints_are_changed_and_removed_by_id() -> None:
    found = made(([], "$rate > 100"), ([], "$rate > 90"), ([], "$rate > 80"))
    found.modify_constraints([0, 0], [(([SPEED], "$rate > 70"), 1)])

    texts = {info.constraint_id: info.constraint_expression for info in found.get_all_constraints()}
    assert texts == {1: ((SPEED,), "$rate > 70"), 2: ((), "$rate > 80")}
    assert found.match_structured(speed(75))


@pytest.mark.parametrize(
    ("removed", "changed"),
    [([7], []), ([0], [(([], ""), 7)]), ([0], [(([], ""), 0)]), ([0, 1, 2], [])],
)
def test_a_change_of_a_constraint_that_is_not_there_changes_nothing(
    removed: Any, changed: Any
) -> None:
    found = made(([], "$rate > 100"), ([ALARM], ""))
    before = found.get_all_constraints()
    with pytest.raises(ConstraintNotFoundError):
        found.modify_constraints(removed, changed)

    assert found.get_all_constraints() == before


def test_a_filter_holds_so_many_constraints_and_no_more() -> None:
    found = made(*[([], f"$a == {number}") for number in range(MAX_CONSTRAINTS - 1)])
    with pytest.raises(AdminLimitExceededError) as caught:
        found.add_constraints([([], "$a == 1"), ([], "$a == 2")])

    assert (caught.value.name, caught.value.value) == ("MaxConstraints", MAX_CONSTRAINTS)
    assert len(found.add_constraints([([], "$a == 1")])) == 1


def test_a_factory_makes_filters_of_its_language_only() -> None:
    factory = FilterFactory(EtclLimits(length_bytes=10), clock=lambda: 7)
    found, mapping = factory.create_filter(), factory.create_mapping_filter(GRAMMAR, 0)

    assert GRAMMAR == "EXTENDED_TCL"
    assert found.constraint_grammar == mapping.constraint_grammar == GRAMMAR
    with pytest.raises(InvalidConstraintError, match="longer than 10 bytes"):
        found.add_constraints([([], "$rate > 1000")])
    for name in ("FooGram", "extended_tcl", "TCL", ""):
        with pytest.raises(InvalidGrammarError, match="EXTENDED_TCL"):
            factory.create_filter(name)
        with pytest.raises(InvalidGrammarError):
            factory.create_mapping_filter(name, 0)


def test_a_filter_reads_its_own_clock() -> None:
    found = FilterFactory(clock=lambda: 7).create_filter("EXTENDED_TCL")
    found.add_constraints([([], "$curtime.time == 7")])

    assert found.match(None)
