import pytest
from eventservices.siena import Filter, Value, compile_filter, where

NAN = float("nan")

CASES: list[tuple[Value, str, Value | None, bool]] = [
    ("b", "=", "b", True),
    ("b", "=", "a", False),
    (1, "=", 1.0, True),
    (2**53 + 1, "=", float(2**53), False),
    (1, "=", True, False),
    (True, "=", True, True),
    ("1", "=", 1, False),
    (b"a", "=", "a", False),
    (b"a", "=", b"a", True),
    (1, "!=", 2, True),
    (1, "!=", 1.0, False),
    (1, "!=", "1", True),
    (1, "!=", True, True),
    ("a", "<", "b", True),
    ("B", "<", "a", True),
    ("z", "<", "ä", True),
    (1, "<", 1.5, True),
    (2, "<", 1.5, False),
    ("1", "<", 2, False),
    (False, "<", True, True),
    (0, "<", True, False),
    (b"\x00", "<", b"\x01", True),
    (2, ">", 1.5, True),
    (2, ">", 2, False),
    ("b", ">", 1, False),
    (2, "<=", 2.0, True),
    (3, "<=", 2, False),
    (2, ">=", 2.0, True),
    (1, ">=", 2, False),
    ("abc", ">*", "ab", True),
    ("abc", ">*", "bc", False),
    (b"abc", ">*", b"ab", True),
    (b"abc", ">*", "ab", False),
    (12, ">*", 1, False),
    (True, ">*", True, False),
    ("abc", "*<", "bc", True),
    ("abc", "*<", "ab", False),
    ("abc", "*", "b", True),
    ("abc", "*", "x", False),
    ("abc", "*", "", True),
    (1, "*", "", False),
    (1, "any", None, True),
    ("", "any", None, True),
    (False, "any", None, True),
    (0, "=", 0, True),
    (NAN, "any", None, True),
    (NAN, "=", 1.0, False),
    (NAN, "!=", 1.0, True),
    (NAN, "<", 1.0, False),
    (NAN, ">=", 1.0, False),
]


@pytest.mark.parametrize(("value", "op", "operand", "expected"), CASES)
def test_an_operator_compares_as_siena_does(
    value: Value, op: str, operand: Value | None, *, expected: bool
) -> None:
    what = where(("a", op) if operand is None else ("a", op, operand))
    assert compile_filter(what)({"a": value, "other": 1}) is expected


@pytest.mark.parametrize("op", ["=", "!=", "<", ">", "<=", ">=", ">*", "*<", "*"])
def test_no_operator_holds_on_an_absent_attribute(op: str) -> None:
    assert not compile_filter(where(("a", op, "x")))({"b": "x"})


def test_any_does_not_hold_on_an_absent_attribute() -> None:
    assert not compile_filter(where(("a", "any")))({"b": 1})


def test_an_empty_filter_matches_everything() -> None:
    assert compile_filter(Filter())({})


def test_all_constraints_on_one_name_must_hold() -> None:
    match = compile_filter(where(("a", ">", 1), ("a", "<", 5), ("b", "any")))
    assert match({"a": 3, "b": ""})
    assert not match({"a": 5, "b": ""})
    assert not match({"a": 1, "b": ""})
    assert not match({"a": 3})
