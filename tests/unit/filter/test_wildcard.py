import pytest
from fes.filter.language.patterns import simplest, wildcard_of
from fes.filter.language.text import to_text
from fes.filter.language.tree import Like, Parameter

PATTERNS = [
    ("abc", "", "a = 'abc'"),
    ("", "", "a = ''"),
    ("x%", "", "a STARTS WITH 'x'"),
    ("%x", "", "a ENDS WITH 'x'"),
    ("%x%%", "", "a CONTAINS 'x'"),
    ("%", "", "a LIKE '%'"),
    ("%_", "", "a LIKE '_%'"),
    ("!%%", "!", "a STARTS WITH '%'"),
    ("!%_", "!", "a LIKE '\\%_' ESCAPE '\\'"),
    ("!!_", "!", "a LIKE '!_'"),
]


@pytest.mark.parametrize(("pattern", "escape", "plain"), PATTERNS)
def test_a_pattern_is_written_as_the_plainest_test(pattern: str, escape: str, plain: str) -> None:
    assert to_text(simplest(Like(Parameter("a"), pattern, escape))) == plain


def test_a_pattern_knows_how_its_matches_begin_and_end() -> None:
    wildcard = wildcard_of(Like(Parameter("a"), "ab_c%de", ""))
    assert (wildcard.prefix, wildcard.suffix) == ("ab", "de")
