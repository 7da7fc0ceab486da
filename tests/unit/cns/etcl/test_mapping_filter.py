from typing import Any

import pytest
from eventservices.cns.etcl import (
    ConstraintExp,
    ConstraintNotFoundError,
    InvalidConstraintError,
    InvalidValueError,
    MappingConstraintInfo,
    MappingConstraintPair,
    MappingFilter,
)
from eventservices.cns.event import AnyEvent, structured_event
from eventservices.cns.event_type import EventType
from eventservices.cns.value import LongLong, TypeCode
from eventservices.errors import MalformedError

ALARM = EventType("Telecom", "Alarm")


def made(default: Any, *pairs: tuple[Any, Any]) -> MappingFilter:
    found = MappingFilter(default)
    found.add_mapping_constraints([(((), text), value) for text, value in pairs])
    return found


def test_the_first_true_constraint_gives_its_value() -> None:
    found = made("none", ("$ == 10", "ten"), ("$ == 20", "twenty"), ("$ > 5", "more"))

    assert [found.match(number) for number in (10, 20, 30, 5)] == [
        (True, "ten"),
        (True, "twenty"),
        (True, "more"),
        (False, "none"),
    ]


def test_without_constraints_nothing_matches() -> None:
    assert MappingFilter(0).match(10) == (False, 0)


def test_the_order_is_that_of_the_ids_after_a_change_too() -> None:
    found = made(0, ("$ > 1", 1), ("$ > 2", 2))
    found.modify_mapping_constraints([], [(((), "$ > 0"), 0, 5)])

    assert found.match(9) == (True, 5)


def test_every_form_of_event_gets_a_value() -> None:
    found = MappingFilter(0)
    found.add_mapping_constraints([
        (([ALARM], ""), 7), (([("", "%TYPED")], "$operation == 'a'"), 8), (((), "$ == 3"), 9),
    ])  # fmt: skip

    assert found.match_structured(structured_event(ALARM)) == (True, 7)
    assert found.matches(structured_event(ALARM)) == (True, 7)
    assert found.match_typed({"operation": "a"}) == (True, 8)
    assert found.matches(AnyEvent(3)) == (True, 9)
    assert found.match_structured(structured_event(("Telecom", "Call"))) == (False, 0)
    assert found.event_types == {ALARM, ("*", "%TYPED"), ("", "%ALL")}


def test_constraints_are_listed_changed_and_removed_by_id() -> None:
    found = MappingFilter(0)
    [info] = found.add_mapping_constraints(
        [MappingConstraintPair(ConstraintExp([ALARM], "$a > 1"), 5)]
    )
    assert info == MappingConstraintInfo(ConstraintExp((ALARM,), "$a > 1"), 0, 5)
    assert found.get_mapping_constraints([0]) == (info,)
    found.modify_mapping_constraints([], [info._replace(value=6)])
    assert found.get_all_mapping_constraints() == (info._replace(value=6),)
    with pytest.raises(ConstraintNotFoundError):
        found.modify_mapping_constraints([0, 1], [])
    found.modify_mapping_constraints([0], [])
    assert found.get_all_mapping_constraints() == ()
    found.add_mapping_constraints([(((), ""), 1)])
    found.remove_all_mapping_constraints()
    assert found.match(1) == (False, 0)


@pytest.mark.parametrize(
    ("default", "value"), [(0, 1.0), (0, True), (True, 1), ("a", 1), (0.0, 1), (None, 0), ([], {})]
)
def test_a_result_of_another_type_and_none_is_taken(default: Any, value: Any) -> None:
    found = MappingFilter(default)
    with pytest.raises(InvalidValueError, match="a result is"):
        found.add_mapping_constraints([(((), ""), default), (((), ""), value)])
    assert found.get_all_mapping_constraints() == ()


@pytest.mark.parametrize("value", [1, -1, 2**40, LongLong(3)])
def test_integers_are_of_one_type_whatever_their_size(value: int) -> None:
    assert made(0, ("", value)).match(None) == (True, value)
    assert MappingFilter(0).value_type is TypeCode.LONG


def test_a_bad_constraint_is_refused_here_too() -> None:
    with pytest.raises(InvalidConstraintError):
        made(0, ("TRUE", 1), ("1 +", 2))


def test_a_default_that_no_any_carries_is_refused() -> None:
    with pytest.raises(MalformedError):
        MappingFilter(object())  # type: ignore[arg-type]  # that is the case


def test_a_destroyed_mapping_filter_gives_its_default() -> None:
    found = made(0, ("", 1))
    found.destroy()

    assert found.match(None) == (False, 0)
