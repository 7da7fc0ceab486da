import pytest
from fes.errors import FilterError, Place
from fes.filter import FilterLimits, parse, parse_selector
from fes.filter.language import grammar
from fes.filter.language.tree import (
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
        ("a NOT LIKE\n'" + "''" * 600 + "'", "longer than 512 characters"),
        (" OR ".join(["a LIKE '" + "%_" * 200 + "'"] * 30) + "  LIKE '" + "%" * 600 + "'", "512"),
        ("'" * 9_999, "has no end"),
    ],
)
def test_a_hostile_filter_is_refused_before_it_is_parsed(
    text: str, reason: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def never() -> None:
        raise AssertionError("it was parsed")

    monkeypatch.setattr(grammar, "_parser", never)
    with pytest.raises(FilterError, match=reason):
        parse(text)
    with pytest.raises(FilterError, match=reason):
        parse_selector(text)


def test_a_pattern_at_the_limit_is_accepted() -> None:
    assert parse("a LIKE '" + "%''" * 256 + "'") == Like(Parameter("a"), "%'" * 256, "")


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
