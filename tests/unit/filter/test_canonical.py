import pytest
from fes.filter import canonical, parse
from fes.filter.language.text import to_text

SAME = [
    ("subject = 'Speed' AND rate > 30", "rate>30 and SUBJECT='Speed'"),
    ("Speed", "((subject = 'Speed'))"),
    ("a = 1 AND b = 2 AND c = 3", "c = 3 AND (b = 2 AND a = 1)"),
    ("a = 1 OR b = 2", "b = 2 OR a = 1 OR b = 2"),
    ("30 < rate", "rate > 30"),
    ("NOT (a > 1)", "a <= 1"),
    ("NOT (a = 1 AND NOT b = 2)", "a <> 1 OR b = 2"),
    ("a BETWEEN 1 AND 2", "a <= 2 AND a >= 1"),
    ("a NOT BETWEEN 1 AND 2", "a < 1 OR a > 2"),
    ("a IN (2, 1, 2)", "a = 1 OR a = 2"),
    ("a IN (1)", "a = 1"),
    ("a NOT IN (1, 2)", "a <> 2 AND a <> 1"),
    ("a LIKE 'x%'", "a STARTS WITH 'x'"),
    ("a LIKE '%x%'", "a CONTAINS 'x'"),
    ("a LIKE 'x!_' ESCAPE '!'", "a = 'x_'"),
    ("a LIKE 'x%_y'", "a LIKE 'x_%y'"),
    ("a IS NULL", "NOT EXISTS a"),
    ("NOT NOT flag = TRUE", "flag = TRUE"),
    ("a > 10 + 20", "a > 30"),
    ("TRUE AND a = 1", "a = 1 OR 1 > 2"),
    ("", "TRUE"),
    ("b > a", "a < b"),
]


@pytest.mark.parametrize(("one", "other"), SAME)
def test_the_same_filter_written_differently_has_the_same_canonical_text(
    one: str, other: str
) -> None:
    assert canonical(parse(one)) == canonical(parse(other))


DIFFERENT = [
    ("a = 1", "a = 1.0"),
    ("a = 1", "a = '1'"),
    ("a = TRUE", "a = 'TRUE'"),
    ("a = 1", "@a = 1"),
    ("Speed", "speed"),
    ("a - b > c", "b - a > c"),
    ("a / 2 * 3 = b", "a / (2 * 3) = b"),
    ("a STARTS WITH ''", "EXISTS a"),
]


@pytest.mark.parametrize(("one", "other"), DIFFERENT)
def test_different_filters_have_different_canonical_texts(one: str, other: str) -> None:
    assert canonical(parse(one)) != canonical(parse(other))


@pytest.mark.parametrize(
    "text",
    [
        "\"odd name\" = 'it''s' AND @\"x y\" > 1e+300",
        '"AND" = 1 OR "li\u212ae" = 2 AND "a""b" <> 3',
        "a - (b - c) > -(d + 1) / e",
        "a - (b - c) * 2 > 1 - -5",
        "NOT (a = 1 AND b = 2) OR NOT NOT EXISTS @c",
        "a NOT LIKE 'x\\%' ESCAPE '\\' AND (b IN (TRUE, -0.0, 'x') OR c NOT CONTAINS '%')",
    ],
)  # fmt: skip
def test_a_tree_written_as_text_parses_to_the_same_tree(text: str) -> None:
    tree = parse(text)
    assert parse(to_text(tree)) == tree
    assert canonical(parse(canonical(tree))) == canonical(tree)


def test_the_canonical_text_reads_as_a_filter() -> None:
    tree = parse("subject='Speed' AND NOT (rate<=30 OR zone NOT IN (1,2))")
    assert canonical(tree) == "rate > 30 AND subject = 'Speed' AND zone IN (1, 2)"
