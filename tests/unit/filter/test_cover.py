import pytest
from fes.filter import covers, parse

COVERED = [
    ("", "rate > 30"),
    ("rate > 30", "rate > 50"),
    ("rate > 30", "30 < rate AND subject = 'Speed'"),
    ("rate >= 30", "rate > 30"),
    ("rate <> 30", "rate > 30"),
    ("rate >= 1", "rate BETWEEN 1 AND 2"),
    ("rate = 5", "rate >= 5 AND rate <= 5"),
    ("rate = 5.0", "rate = 5"),
    ("rate IN (1, 2, 3)", "rate = 1 OR rate = 3"),
    ("rate IN (1, 2, 3)", "rate IN (1, 2, 9) AND rate < 5"),
    ("rate > 0", "rate IN (1, 2, 3)"),
    ("rate > 1 OR zone = 1", "rate > 2 AND road = 'x'"),
    ("rate > 1 OR zone = 1", "rate > 2 OR zone = 1"),
    ("EXISTS rate", "rate <> 3"),
    ("EXISTS rate", "rate * 2 > 3"),
    ("NOT EXISTS rate", "rate IS NULL AND zone = 1"),
    ("NOT rate > 30", "rate <= 30"),
    ("a STARTS WITH 'M'", "a STARTS WITH 'M5'"),
    ("a STARTS WITH 'M'", "a LIKE 'M5%x'"),
    ("a STARTS WITH 'M'", "a IN ('M1', 'M2')"),
    ("a CONTAINS '5'", "a ENDS WITH '50'"),
    ("a LIKE '_%'", "a ENDS WITH 'x'"),
    ("a >= 'M'", "a STARTS WITH 'M5'"),
    ("a < 'N'", "a STARTS WITH 'M'"),
    ("a <> 'N1'", "a STARTS WITH 'M'"),
    ("a NOT LIKE 'M5%'", "a NOT STARTS WITH 'M'"),
    ("a NOT STARTS WITH 'N'", "a STARTS WITH 'M'"),
    ("flag = TRUE", "flag AND rate > 1"),
    ("rate = 1", "rate = 1 AND rate = 2"),
    ("rate = 1", "FALSE"),
    ("rate = 1", "rate > 5 AND rate < 5"),
    ("rate = 1", "rate = 'x' AND rate > 1"),
    ("a = 1 AND (b = 1 OR c = 1)", "c = 1 AND a = 1"),
    ("a + b > 3 AND c = 1", "c = 1 AND a + b > 3 AND d = 4"),
    ("@Priority > 3", "@Priority = 4"),
    ("subject <> 'Tram'", "Bus"),
    # none of the alternatives covers it alone
    ("rate BETWEEN 0 AND 5 OR rate BETWEEN 5 AND 10", "rate BETWEEN 2 AND 8"),
    ("rate < 5 OR rate >= 5", "rate > 1"),
    ("rate = 1 OR rate > 1", "rate IN (1, 2)"),
    ("a = 1 AND b > 0 OR a <> 1", "a > 0 AND b = 5"),
    ("a IS NULL OR a > 3 OR a <= 3", "a BETWEEN 1 AND 7"),
    ("a STARTS WITH 'x' OR a NOT STARTS WITH 'x'", "a > ''"),
    ("EXISTS a OR NOT EXISTS a", ""),
    ("(a > 1) IS NOT TRUE OR a > 0", ""),
    ("(a > 1) IS NOT TRUE", "a = 0"),
    ("(a > 1) IS TRUE", "a > 2"),
]


@pytest.mark.parametrize(("wider", "narrower"), COVERED)
def test_a_wider_filter_covers(wider: str, narrower: str) -> None:
    assert covers(parse(wider), parse(narrower))


NOT_COVERED = [
    ("rate > 50", "rate > 30"),
    ("rate > 30", "rate >= 30"),
    ("rate > 30", ""),
    ("rate > 30", "zone > 50"),
    ("rate > 30", "@rate > 50"),
    ("rate <> 30", "rate <> 31"),
    ("rate <> 30", "rate <> 'x'"),
    ("rate <> 30", "EXISTS rate"),
    ("EXISTS rate", "NOT EXISTS rate"),
    ("rate = 1", "rate IN (1, 2)"),
    ("rate IN (1)", "rate IN (1, TRUE)"),
    ("rate < 5 OR rate >= 5", "rate <> 7"),  # which is true of NaN
    ("rate < 5 OR rate > 5", "rate > 1"),
    ("rate BETWEEN 0 AND 5 OR rate BETWEEN 6 AND 10", "rate BETWEEN 2 AND 8"),
    ("a = 1 AND b > 0 OR a <> 1", "a > 0"),
    ("a > 1 OR NOT a > 1", "EXISTS a"),
    ("(a > 1) IS NOT TRUE", "a > 0"),
    ("a STARTS WITH 'M5'", "a STARTS WITH 'M'"),
    ("a CONTAINS '5'", "a STARTS WITH 'M'"),
    ("a NOT STARTS WITH 'M'", "a <> 'M'"),
    ("a LIKE 'x_'", "a LIKE 'x%'"),
    ("a + b > 3", "a > 3 AND b > 0"),
    ("rate > 1 AND zone = 1", "rate > 2"),
]


@pytest.mark.parametrize(("wider", "narrower"), NOT_COVERED)
def test_a_filter_that_lets_less_pass_does_not_cover(wider: str, narrower: str) -> None:
    assert not covers(parse(wider), parse(narrower))


def test_a_filter_with_many_alternatives_is_covered_by_what_they_share() -> None:
    many = " AND ".join(f"(a{number} = 1 OR b{number} = 1)" for number in range(40))
    assert covers(parse("rate > 1"), parse(f"rate > 2 AND {many}"))
    assert not covers(parse("rate > 3"), parse(f"rate > 2 AND {many}"))
    assert covers(parse("rate < 1000"), parse(f"rate IN ({', '.join(map(str, range(500)))})"))
