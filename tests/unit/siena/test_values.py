import pytest
from eventservices.errors import MalformedError
from eventservices.siena import Constraint, Filter, Notification, Op, check_name, where


@pytest.mark.parametrize("name", ["a", "_", "FES_Subject", "road/side.rate2", "a" * 255])
def test_a_name_is_letters_digits_and_some_signs(name: str) -> None:
    assert check_name(name) == name


@pytest.mark.parametrize("name", ["", "2a", "license-no", "a b", "ä", "a" * 256, ".a", "a\n"])
def test_another_name_is_refused(name: str) -> None:
    with pytest.raises(MalformedError):
        check_name(name)


def test_the_error_names_the_hyphen_and_its_position() -> None:
    with pytest.raises(
        MalformedError, match=r"'license-no' is not an attribute name: '-' at position 8"
    ):
        Notification({"license-no": 1})


@pytest.mark.parametrize("value", [2**63, -(2**63) - 1, None, [1], {"a": 1}, "\ud800", bytearray()])
def test_a_value_out_of_the_model_is_refused(value: object) -> None:
    with pytest.raises(MalformedError, match="'a'"):
        Notification({"a": value})  # type: ignore[dict-item] # that is the case


def test_the_limits_of_integers_are_taken() -> None:
    assert Notification({"a": 2**63 - 1, "b": -(2**63)})["a"] == 2**63 - 1


def test_a_notification_has_a_bounded_number_of_attributes() -> None:
    with pytest.raises(MalformedError, match="1001 attributes"):
        Notification({f"a{number}": 1 for number in range(1001)})


def test_notifications_of_other_types_differ() -> None:
    assert Notification({"a": 1}) == Notification({"a": 1})
    assert Notification({"a": 1}) != Notification({"a": 1.0})
    assert Notification({"a": 1}) != Notification({"a": True})


def test_filters_are_equal_in_any_order_of_constraints() -> None:
    assert where(("a", ">", 1), ("b", "any")) == where(("b", "any"), ("a", ">", 1), ("a", ">", 1))


def test_filters_with_operands_of_another_type_differ() -> None:
    assert len({where(("a", "=", 1)), where(("a", "=", 1.0)), where(("a", "=", True))}) == 3


@pytest.mark.parametrize(
    ("op", "value"), [(Op.ANY, 1), (Op.EQ, None), (Op.LT, float("nan")), (Op.EQ, 2**63)]
)
def test_an_operand_that_does_not_go_with_the_operator_is_refused(
    op: Op, value: float | None
) -> None:
    with pytest.raises(MalformedError, match="'a'"):
        Constraint("a", op, value)


def test_an_unknown_operator_is_refused() -> None:
    with pytest.raises(MalformedError, match="'~' is not an operator"):
        where(("a", "~", 1))


def test_a_filter_has_a_bounded_number_of_constraints() -> None:
    with pytest.raises(MalformedError, match="at most 1000"):
        Filter(tuple(Constraint("a", Op.EQ, number) for number in range(1001)))
