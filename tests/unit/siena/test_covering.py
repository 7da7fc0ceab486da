import pytest
from eventservices.siena import covers, covers_advertisement, covers_constraint, parse_filter

ROWS = [
    ("a any", 'a *"x"', True),
    ("a >1", "a any", False),
    ("a !=1", "a =2", True),
    ("a !=1", "a =1.0", False),
    ("a !=1", "a !=1", True),
    ("a !=1", "a !=2", False),
    ("a !=1", 'a >*"x"', True),
    ("a !=5", "a >5", True),
    ("a !=5", "a >=5", False),
    ("a =1", "a =1.0", True),
    ("a =1", "a >=1", False),
    ("a >1", "a =2", True),
    ("a >1", "a =1", False),
    ('a *<"c"', 'a ="abc"', True),
    ("a <5", "a <5.0", True),
    ("a <5", "a <6", False),
    ("a <=5", "a <=5", True),
    ("a <=5", "a <5", True),
    ("a <=5", "a <5.5", False),
    ("a <5", "a <=5", False),
    ("a <5", "a <=4", True),
    ("a >5", "a >5", True),
    ("a >=5", "a >5", True),
    ("a >5", "a >=5", False),
    ("a >5", "a >=6", True),
    ("a >=5", "a >=5", True),
    ("a >5", "a <5", False),
    ("a >5", 'a >"x"', False),
    ('a >*"ab"', 'a >*"abc"', True),
    ('a >*"abc"', 'a >*"ab"', False),
    ('a *<"bc"', 'a *<"abc"', True),
    ('a *"b"', 'a *"abc"', True),
    ('a *"b"', 'a >*"ab"', True),
    ('a *"b"', 'a *<"ab"', True),
    ('a >*"a"', 'a *"a"', False),
    ('a >"ab"', 'a >*"abc"', True),
    ('a >"ab"', 'a >*"ab"', False),
    ('a >="ab"', 'a >*"ab"', True),
    ('a <"b"', 'a >*"ab"', True),
    ('a <"abz"', 'a >*"ab"', False),
    ('a <="abc"', 'a >*"ab"', False),
    ('a <="b"', 'a >*"ab"', True),
    ('a *x"00"', 'a =x"ff00"', True),
    ('a *x"00"', 'a ="\\000"', False),
    ("a <=true", "a <true", True),
]


@pytest.mark.parametrize(("general", "special", "expected"), ROWS)
def test_a_constraint_covers_as_the_corrected_table_says(
    general: str, special: str, *, expected: bool
) -> None:
    (one,) = parse_filter(f"filter{{ {general}}}").constraints
    (other,) = parse_filter(f"filter{{ {special}}}").constraints
    assert covers_constraint(one, other) is expected


@pytest.mark.parametrize(
    ("general", "special", "expected"),
    [
        ("", "a =1", True),
        ("a =1", "", False),
        ("a >5", "a >10 a <20", True),
        ("a >5 b any", "a >10", False),
        ("a >5 b any", "a >10 b =1 c =2", True),
        ("a >5 a <9", "a =6", True),
        ("b >5", "a >5", False),
    ],
)
def test_a_filter_covers_if_each_constraint_is_implied_by_one(
    general: str, special: str, *, expected: bool
) -> None:
    one, other = parse_filter(f"filter{{{general}}}"), parse_filter(f"filter{{{special}}}")
    assert covers(one, other) is expected


@pytest.mark.parametrize(
    ("general", "special", "expected"),
    [
        ("a >5 b any", "a >10", True),
        ("a >5", "a >10 b any", False),
        ("a >5 a <0", "a >10 a <-1", True),
        ("a >5", "a >10 a <-1", False),
    ],
)
def test_an_advertisement_covers_if_each_alternative_is_contained_in_one(
    general: str, special: str, *, expected: bool
) -> None:
    one, other = parse_filter(f"filter{{{general}}}"), parse_filter(f"filter{{{special}}}")
    assert covers_advertisement(one, other) is expected
