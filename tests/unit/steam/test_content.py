import pytest
from eventservices.errors import MalformedError
from eventservices.steam.content import ContentFilter, Operator, Term, between
from eventservices.steam.event import Value

SPEED: dict[str, Value] = {
    "license_no": "FES0001",
    "rate": 83.0,
    "count": 3,
    "urgent": True,
    "raw": b"\x01",
}


def accepts(*terms: Term) -> bool:
    return ContentFilter(terms).accepts(SPEED)


def test_no_term_accepts_everything() -> None:
    assert accepts()


@pytest.mark.parametrize(
    ("operator", "true_for"),
    [
        ("=", [83.0]),
        ("<", [83.5]),
        ("<=", [83.0, 83.5]),
        (">", [82.5]),
        (">=", [82.5, 83.0]),
    ],
)
def test_an_operator_compares_the_parameter_with_the_value(
    operator: Operator, true_for: list[float]
) -> None:
    values = (82.5, 83.0, 83.5)
    assert [value for value in values if accepts(Term("rate", operator, value))] == true_for


def test_a_range_includes_both_borders() -> None:
    assert accepts(between("rate", 83.0, 90.0), between("rate", 70, 83))
    assert not accepts(between("rate", 83.1, 90.0))
    assert not accepts(between("rate", 70.0, 82.9))


def test_integers_and_doubles_compare_by_value() -> None:
    assert accepts(Term("rate", "=", 83), Term("count", "=", 3.0), Term("count", "<", 3.5))
    assert not ContentFilter([Term("n", "=", 2.0**53)]).accepts({"n": 2**53 + 1})


def test_every_term_must_be_true() -> None:
    assert accepts(Term("rate", ">", 70.0), Term("license_no", "=", "FES0001"))
    assert not accepts(Term("rate", ">", 70.0), Term("license_no", "=", "FES0002"))


def test_strings_are_ordered_by_code_point() -> None:
    assert accepts(Term("license_no", "<", "FES0002"), Term("license_no", ">", "FES"))


@pytest.mark.parametrize(
    "term",
    [
        Term("absent", "=", 1),
        Term("license_no", ">", 70.0),
        Term("rate", "=", "83.0"),
        Term("urgent", "=", 1),
        Term("count", "=", True),
        Term("raw", "=", "\x01"),
        Term("rate", "<", float("nan")),
    ],
)
def test_a_missing_or_ill_typed_parameter_is_false(term: Term) -> None:
    assert not accepts(term)


def test_booleans_and_octets_know_equality() -> None:
    assert accepts(Term("urgent", "=", True), Term("raw", "=", b"\x01"))
    assert not accepts(Term("urgent", "=", False))


@pytest.mark.parametrize(
    ("operator", "value", "upper"),
    [
        ("<", True, None),
        (">=", b"x", None),
        ("range", 1, None),
        ("range", 1, "x"),
        ("=", 1, 2),
        ("<>", 1, None),
        ("=", None, None),
        ("=", [1], None),
    ],
)
def test_a_term_that_cannot_be_true_is_refused(
    operator: Operator, value: Value, upper: Value | None
) -> None:
    with pytest.raises(MalformedError):
        ContentFilter([Term("rate", operator, value, upper)])


def test_more_terms_than_a_filter_may_have_are_refused() -> None:
    with pytest.raises(MalformedError, match="257 terms"):
        ContentFilter([Term("rate", ">", number) for number in range(257)])


@pytest.mark.parametrize(
    ("left", "right", "same"),
    [(True, 1, False), (True, 1.0, False), (False, 0, False), (1, 1.0, True), ("1", 1, False)],
)
def test_terms_are_the_same_where_they_accept_the_same(
    left: Value, right: Value, *, same: bool
) -> None:
    terms = {Term("b", "=", left), Term("b", "=", right)}
    assert len(terms) == (1 if same else 2)
    assert (Term("b", "=", left) == Term("b", "=", right)) is same
