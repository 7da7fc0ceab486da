import pytest
from fes.errors import FilterError, Place
from fes.filter import FilterLimits, parse
from fes.filter.tree import (
    Affixed,
    Among,
    And,
    Arithmetic,
    Attribute,
    Comparison,
    Condition,
    Constant,
    Exists,
    Like,
    Negative,
    Not,
    Or,
    Parameter,
    Subject,
    Truth,
)

RATE = Parameter("rate")
FAST = Comparison(RATE, ">", Constant(30))
SPEED = Comparison(Subject(), "=", Constant("Speed"))

TREES = [
    ("subject = 'Speed' AND rate > 30", And((SPEED, FAST))),
    ("SubJect = 'Speed' and rate > 30", And((SPEED, FAST))),
    ("Speed", SPEED),
    ("(Speed)", SPEED),
    ('"traffic-light"', Comparison(Subject(), "=", Constant("traffic-light"))),
    ("subject", Comparison(Subject(), "=", Constant("subject"))),
    ("  ", Truth(value=True)),
    ('"odd name" = 1', Comparison(Parameter("odd name"), "=", Constant(1))),
    ('"say ""no""" = 1', Comparison(Parameter('say "no"'), "=", Constant(1))),
    ('"subject" = 1', Comparison(Parameter("subject"), "=", Constant(1))),
    ("@Priority >= 5", Comparison(Attribute("Priority"), ">=", Constant(5))),
    ('@"odd one" = TRUE', Comparison(Attribute("odd one"), "=", Constant(value=True))),
    ("android = 1", Comparison(Parameter("android"), "=", Constant(1))),
    ("$x_1 = .5", Comparison(Parameter("$x_1"), "=", Constant(0.5))),
    ("größe = 7.", Comparison(Parameter("größe"), "=", Constant(7.0))),
    ("a = -57.9E2", Comparison(Parameter("a"), "=", Constant(-5790.0))),
    ("a = +62", Comparison(Parameter("a"), "=", Constant(62))),
    ("a = -9223372036854775808", Comparison(Parameter("a"), "=", Constant(-(2**63)))),
    ("a = 'O''Connell St'", Comparison(Parameter("a"), "=", Constant("O'Connell St"))),
    ("rate BETWEEN 1 AND 2", And((
        Comparison(RATE, ">=", Constant(1)), Comparison(RATE, "<=", Constant(2)),
    ))),
    ("rate NOT IN (1, -2.5, 'x', TRUE)", Not(
        Among(RATE, (Constant(1), Constant(-2.5), Constant("x"), Constant(value=True)))
    )),
    ("rate IS NULL", Not(Exists(RATE))),
    ("@P is not null", Exists(Attribute("P"))),
    ("EXISTS rate", Exists(RATE)),
    ("EXISTS (rate)", Exists(RATE)),
    ("rate STARTS   with 'a'", Affixed(RATE, "STARTS WITH", "a")),
    ("rate NOT ENDS WITH 'a'", Not(Affixed(RATE, "ENDS WITH", "a"))),
    ("rate CONTAINS ''''", Affixed(RATE, "CONTAINS", "'")),
    ("rate LIKE 'a!_%' ESCAPE '!'", Like(RATE, "a!_%", "!")),
    ("NOT Speed", Not(Comparison(Parameter("Speed"), "=", Constant(value=True)))),
    ("TRUE OR flag", Or((
        Truth(value=True), Comparison(Parameter("flag"), "=", Constant(value=True)),
    ))),
    ("rate + 2 * -x = 1", Comparison(
        Arithmetic(RATE, "+", Arithmetic(Constant(2), "*", Negative(Parameter("x")))),
        "=", Constant(1),
    )),
    ("(rate - 1) / 2 < x", Comparison(
        Arithmetic(Arithmetic(RATE, "-", Constant(1)), "/", Constant(2)), "<", Parameter("x"),
    )),
    ("NOT rate > 30 AND Speed = 1 OR rate > 30", Or((
        And((Not(FAST), Comparison(Parameter("Speed"), "=", Constant(1)))), FAST,
    ))),
    ("((rate > 30) AND (rate > 30 AND rate > 30))", And((FAST, FAST, FAST))),
]  # fmt: skip


@pytest.mark.parametrize(("text", "tree"), TREES)
def test_a_filter_becomes_its_tree(text: str, tree: Condition) -> None:
    assert parse(text) == tree


def test_an_integer_a_double_and_a_boolean_are_three_constants() -> None:
    assert len({parse("a = 1"), parse("a = 1.0"), parse("a = TRUE")}) == 3


ERRORS = [
    ("speed >> 30", 'expected a value, found ">"', 8),
    ("speed >", "expected a value, found the end of the filter", 8),
    ("= 'test'", 'expected a comparison, found "="', 1),
    ("rate > 30 AND", "expected a comparison, found the end of the filter", 14),
    ("3+5", 'expected a comparison, found "3+5"', 1),
    ("TRUE AND 3+5", 'expected a comparison, found "3+5"', 10),
    ("traffic-light", 'expected a comparison, found "traffic-light"', 1),
    ("(a = 1) = 3", 'expected a value, found "a = 1"', 2),
    ("a = 1 b", 'expected AND, OR or the end of the filter, found "b"', 7),
    ("a = 1)", 'expected AND, OR or the end of the filter, found ")"', 6),
    ("(a = 1", 'expected ")", found the end of the filter', 7),
    ("a IN (1 2)", 'expected "," or ")", found "2"', 9),
    ("a IN (b)", 'expected a string, a number, TRUE or FALSE, found "b"', 7),
    ("a IS 3", 'expected NULL or NOT NULL, found "3"', 6),
    ("a LIKE b", 'expected a string, found "b"', 8),
    ("a BETWEEN 1 OR 2", 'expected AND, found "OR"', 13),
    ("3 IS NULL", 'expected a name, found "3"', 1),
    ("EXISTS 3", 'expected a name, found "3"', 8),
    ("a < TRUE", 'expected "=" or "<>" beside TRUE, found <', 3),
    ("a + 'b' = 1", "expected a number, found \"'b'\"", 5),
    ("a != 3", 'found "!=", which is written <>', 3),
    ("a # 3", 'found "#", which means nothing outside quotes', 3),
    ("a = 'it''s", "the string that begins here has no end", 5),
    ('a = "b', "the quoted name that begins here has no end", 5),
    ("a = 9223372036854775808", 'number "9223372036854775808" does not fit 64 bit', 5),
    ("a = 1e999", 'number "1e999" does not fit 64 bit', 5),
    ("a LIKE 'x' ESCAPE 'ab'", "expected one character after ESCAPE, found 'ab'", 19),
    ("a LIKE '!x' ESCAPE '!'", 'expected "%", "_" or the escape itself after "!" in a pattern', 8),
    ("WITHIN(53.3, -6.2, 300)", "WITHIN is refused", 1),
]  # fmt: skip


@pytest.mark.parametrize(("text", "reason", "column"), ERRORS)
def test_an_error_tells_what_was_found_what_was_expected_and_where(
    text: str, reason: str, column: int
) -> None:
    with pytest.raises(FilterError) as caught:
        parse(text)
    assert caught.value.reason.startswith(reason)
    assert caught.value.place == Place(1, column)
    assert caught.value.text == text


def test_an_error_points_at_the_line_with_a_caret() -> None:
    with pytest.raises(FilterError) as caught:
        parse("rate > 30\n  AND speed >> 30")
    assert caught.value.place == Place(2, 14)
    assert str(caught.value).splitlines()[1:] == ["    AND speed >> 30", " " * 15 + "^"]


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("x" * 10_000_000, "longer than 16384 bytes"),
        ("'" + "ü" * 9000 + "' = a", "longer than 16384 bytes"),
        ("(" * 10_000 + "a = 1" + ")" * 4_000, "deeper than 64"),
        ("NOT " * 4000 + "a = 1", "deeper than 64"),
        ("a = " + "-" * 10_000 + "1", "deeper than 64"),
        ("a" + "+a" * 5000 + " = 1", "deeper than 64"),
        ("a IN (" + "1," * 2000 + "1)", "more than 2000 names"),
        ("a = '\ud800'", "not Unicode"),
        ("a LIKE '" + "%a" * 300 + "'", "longer than 512 characters"),
    ],
)
def test_a_hostile_filter_is_refused(text: str, reason: str) -> None:
    with pytest.raises(FilterError, match=reason):
        parse(text)


def test_a_filter_at_the_limit_of_nesting_is_accepted() -> None:
    limits = FilterLimits(depth=8)
    assert parse("(" * 8 + "a = 1" + ")" * 8, limits) == parse("a = 1")
    with pytest.raises(FilterError, match="deeper than 8"):
        parse("(" * 9 + "a = 1" + ")" * 9, limits)


def test_a_long_disjunction_is_not_deep() -> None:
    tree = parse(" OR ".join(f"NOT a = -{number}" for number in range(300)))
    assert isinstance(tree, Or)
    assert len(tree.items) == 300


def test_quotes_hide_what_looks_like_nesting() -> None:
    text = "(" * 200 + "''" + " NOT " * 200
    assert parse(f"a = '{text}'") == Comparison(
        Parameter("a"), "=", Constant(text.replace("''", "'"))
    )
