from importlib import resources

import pytest
from eventservices.cns.etcl import EtclLimits, InvalidConstraintError, parse, to_text
from eventservices.cns.etcl.tree import (
    And,
    Arithmetic,
    Bare,
    Case,
    Comparison,
    Component,
    Constant,
    Exists,
    Expression,
    Implicit,
    In,
    Index,
    Member,
    Named,
    Not,
    Or,
    Position,
    Substring,
)

A, B, C = (Component(name) for name in "abc")
ONE = Constant(1)

TREES: list[tuple[str, Expression]] = [
    ("", Constant(value=True)),
    ("\t\n\r \f", Constant(value=True)),
    ("\t\n\r TRUE\n\r \t ", Constant(value=True)),
    ("false", Constant(value=False)),
    ("$a or $b and $c", Or((A, And((B, C))))),
    ("$a and $b and $c", And((A, B, C))),
    ("$a and ($b and $c)", And((A, And((B, C))))),
    ("not $a == 1", Comparison(Not(A), "==", ONE)),
    ("not ($a == 1)", Not(Comparison(A, "==", ONE))),
    ("not exist $a", Not(Exists(A))),
    ("1+$a*$b", Arithmetic(ONE, (("+", Arithmetic(A, (("*", B),))),))),
    ("1 - -1", Arithmetic(ONE, (("-", Constant(-1)),))),
    ("1-1", Arithmetic(ONE, (("-", ONE),))),
    ("$a-1", Arithmetic(A, (("-", ONE),))),
    ("$.1 - .1", Arithmetic(Component(None, (Position(1),)), (("-", Constant(0.1)),))),
    ("'x' ~ $a in $b == 1", Comparison(In(Substring(Constant("x"), A), B), "==", ONE)),
    ("1 in a", In(ONE, A)),
    ("exist a", Exists(A)),
    ("$", Component()),
    ("$ in $", In(Component(), Component())),
    ("$ and $", And((Component(), Component()))),
    ("$in_a", Component("in_a")),
    (r"$\in", Component("in")),
    (r"$\zip == \min", Comparison(Component("zip"), "==", Bare("min"))),
    ("$max", Component("max")),
    ("$.in.default(not)", Component(None, (Member("in"), Member("default"), Named("not")))),
    ("$ . a [ 0 ] ( b )", Component(None, (Member("a"), Index(0), Named("b")))),
    ("$(a)", Component(None, (Named("a"),))),
    ("$[3]", Component(None, (Index(3),))),
    ("$.(1).(-8).(+100)", Component(None, (Case(1), Case(-8), Case(100)))),
    ("$.().('it').(e5)", Component(None, (Case(None), Case("it"), Case(Bare("e5"))))),
    ("$a._length", Component("a", (Implicit("_length"),))),
    ("$._d", Component(None, (Implicit("_d"),))),
    ("$a('odd name')", Component("a", (Named("odd name"),))),
    (r"'it\'s'", Constant("it's")),
    (r"'\\\''", Constant("\\'")),
    (r"'C:\new\table'", Constant(r"C:\new\table")),
    ("'*{}\"|;^~=,$#%\n'", Constant('*{}"|;^~=,$#%\n')),
    ("'größe'", Constant("größe")),
    ("10e+2", Constant(1000.0)),
    ("10e2", Constant(1000.0)),
    ("1.", Constant(1.0)),
    (".5E-1", Constant(0.05)),
    ("007", Constant(7)),
    ("18446744073709551615", Constant(2**64 - 1)),
    ("-9223372036854775808", Constant(-(2**63))),
]  # fmt: skip


@pytest.mark.parametrize(("text", "tree"), TREES)
def test_a_constraint_becomes_its_tree(text: str, tree: Expression) -> None:
    assert parse(text).tree == tree
    assert parse(to_text(tree)).tree == tree


def test_an_integer_a_double_and_a_boolean_are_three_literals() -> None:
    assert len({parse(text).tree for text in ("1", "1.0", "TRUE")}) == 3


ERRORS = [
    ("$..", 'expected a name, a number, "(" or _length, _d, _type_id, _repos_id, found "."', 3),
    ("ab +-/ abc", 'expected a number, found "/"', 6),
    ("<doc></doc>", 'expected a value, found "<"', 1),
    ("foo bar zot", 'expected an operator or the end of the constraint, found "bar"', 5),
    ("$a >", "expected a value, found the end of the constraint", 5),
    ("($a > 1", 'expected ")", found the end of the constraint', 8),
    ("$a > 1)", 'expected the end of the constraint, found ")"', 7),
    ("1 < 2 < 3", 'expected and, or, or the end of the constraint, found "<"', 7),
    ("-$a", 'expected a number, found "$"', 2),
    ("not not TRUE", r'expected a value, found "not"; as a name it is written \not', 5),
    ("$a == and", r'expected a value, found "and"; as a name it is written \and', 7),
    ("max == 1", r'expected a value, found "max"; as a name it is written \max', 1),
    ("$a = 1", 'expected an operator or the end of the constraint, found "="; = is written ==', 4),
    ("$a <> 1", 'expected a value, found ">"; <> is written !=', 5),
    ("$a && $b", 'expected an operator or the end of the constraint, found "&"; && is', 4),
    ("$a == 1 || $b", 'expected an operator or the end of the constraint, found "|"; || is', 9),
    ("! $a", 'expected a value, found "!"; ! is written not', 1),
    ("1 in 5", 'expected a component, "$…", or a name, found "5"', 6),
    ("default a", 'expected a component, "$…", found "a"', 9),
    ("$[a]", 'expected a number, found "a"', 3),
    ("$[1", 'expected "]", found the end of the constraint', 4),
    ("$(1)", 'expected a name, found "1"', 3),
    ("$.(1", 'expected ")", found the end of the constraint', 5),
    ("$.(,)", 'expected a label of a union or ")", found ","', 4),
    ("$._d.x", 'expected an operator or the end of the constraint, found "."', 5),
    ("$._id", 'expected a name, a number, "(" or _length, _d, _type_id, _repos_id, found "_"', 3),
    ("$a == 'it", "the string that begins here has no end", 7),
    ("$a == 18446744073709551616", 'number "18446744073709551616" is too large', 7),
    ("$a == -9223372036854775809", 'number "9223372036854775809" is too large', 8),
    ("1e999", 'number "1e999" is too large', 1),
    ("$[4294967296]", 'number "4294967296" is too large', 3),
    ("$größe", 'expected an operator or the end of the constraint, found "ö"', 4),
]  # fmt: skip


@pytest.mark.parametrize(("text", "reason", "column"), ERRORS)
def test_an_error_tells_what_was_found_what_was_expected_and_where(
    text: str, reason: str, column: int
) -> None:
    with pytest.raises(InvalidConstraintError) as caught:
        parse(text)
    assert caught.value.reason.startswith(reason)
    assert (caught.value.line, caught.value.column) == (1, column)
    assert caught.value.text == text


def test_an_error_points_at_the_line_with_a_caret() -> None:
    with pytest.raises(InvalidConstraintError) as caught:
        parse("$rate > 30\n  and $speed >> 30\nor TRUE")
    assert (caught.value.line, caught.value.column) == (2, 15)
    assert str(caught.value).splitlines()[1:] == ["    and $speed >> 30", " " * 16 + "^"]


def test_the_caret_of_a_long_line_stays_in_sight() -> None:
    with pytest.raises(InvalidConstraintError) as caught:
        parse("$a == 1 and " * 100 + "# " + "and $a == 1 " * 100)
    line, caret = str(caught.value).splitlines()[1:]
    assert len(line) < 110
    assert line[caret.index("^")] == "#"


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("x" * 10_000_000, "longer than 16384 bytes"),
        ("(" * 10_000_000, "longer than 16384 bytes"),
        ("'" + "ü" * 9000 + "' == $a", "longer than 16384 bytes"),
        ("(" * 8000 + "$a" + ")" * 8000, "deeper than 64"),
        ("not (" * 3000, "deeper than 64"),
        ("-" * 16_000, "expected a number"),
        ("'" + "\\" * 16_000, "has no end"),
        ("'" * 16_001, "has no end"),
        ("9" * 16_000, "too large"),
        ("0." + "1" * 10 + "e" + "9" * 10_000, "too large"),
        ("$" + "." * 16_000, "expected a name"),
        ("$a == '\ud800'", "not Unicode"),
    ],
)
def test_a_hostile_constraint_is_refused(text: str, reason: str) -> None:
    with pytest.raises(InvalidConstraintError, match=reason):
        parse(text)


@pytest.mark.parametrize(
    "text",
    [
        "$a" + "+$a" * 5000,
        "$a" + " or $a" * 2000,
        "$" + ".a" * 8000,
        "0" * 16_000,
        "($a) or " * 100 + "(($a))",
        "'" + "(" * 16_000 + "'",
        " " * 16_384,
    ],
)
def test_a_long_constraint_is_not_a_deep_one(text: str) -> None:
    constraint = parse(text)
    assert not constraint.matches({"b": 1}) or not text.strip()
    wide = EtclLimits(length_bytes=100_000)
    assert parse(to_text(constraint.tree), wide).tree == constraint.tree


def test_a_constraint_at_the_limit_of_nesting_is_accepted() -> None:
    limits = EtclLimits(depth=8)
    assert parse("(" * 8 + "$a" + ")" * 8, limits).tree == A
    with pytest.raises(InvalidConstraintError, match="deeper than 8"):
        parse("(" * 9 + "$a" + ")" * 9, limits)


def test_the_grammar_is_a_file_of_the_package() -> None:
    text = resources.files("eventservices.cns.etcl").joinpath("grammar.lark").read_text("utf-8")
    assert "?start: either" in text
