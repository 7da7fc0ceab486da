import random
from itertools import product

import pytest
from fes.distribution import (
    MAX_LENGTH,
    MAX_PATTERNS,
    MAX_WILD,
    covers_pattern,
    is_pattern,
    matches,
    matches_any,
    parse_list,
)
from fes.errors import ControlEventError


def test_a_list_is_split_at_commas_and_spaces_around_names_are_ignored() -> None:
    assert parse_list(" siena-m , steam-*,cns one ") == ("siena-m", "steam-*", "cns one")


def test_a_name_that_stands_twice_counts_once() -> None:
    assert parse_list("a,b,a") == ("a", "b")


@pytest.mark.parametrize("text", ["", "   "])
def test_a_list_that_names_nobody_is_an_error_unless_allowed(text: str) -> None:
    with pytest.raises(ControlEventError, match="names nobody"):
        parse_list(text)
    assert parse_list(text, nobody_allowed=True) == ()


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("a,,b", r"element 2 \(column 3\) is empty"),
        ("a, b, ", r"element 3 \(column 6\) is empty"),
        (",", r"element 1 \(column 1\) is empty"),
        ("a," + "x" * 513, r"element 2 \(column 3\) is longer than 512"),
        (",".join(["a"] * 65), "more than 64 elements"),
        ("," * 1_000_000, "more than 64 elements"),
    ],
)
def test_an_error_names_the_element(text: str, place: str) -> None:
    with pytest.raises(ControlEventError, match=place):
        parse_list(text)


def test_a_list_at_the_limits_is_accepted() -> None:
    names = [f"{number:0{MAX_LENGTH}}" for number in range(MAX_PATTERNS)]
    assert parse_list(",".join(names)) == tuple(names)


@pytest.mark.parametrize(
    ("pattern", "name", "matched"),
    [
        ("siena-m", "siena-m", True),
        ("siena-m", "Siena-m", False),
        ("siena-m", "siena-mm", False),
        ("steam-m-*", "steam-m-M01", True),
        ("steam-m-*", "steam-m-", True),
        ("steam-m-*", "xsteam-m-M01", False),
        ("*-M01", "steam-m-M01", True),
        ("s*m*1", "steam-m-M01", True),
        ("s*x*1", "steam-m-M01", False),
        ("*", "", True),
        ("?", "", False),
        ("?", "é", True),
        ("?", "ab", False),
        ("a?c", "abc", True),
        ("*?", "", False),
        ("[ab]", "a", False),
        ("[ab]", "[ab]", True),
        ("a.c", "abc", False),
        ("a\\*", "a*", False),
        ("a*\n", "a\n\n", True),
    ],
)
def test_a_pattern_matches_whole_names(pattern: str, name: str, *, matched: bool) -> None:
    assert matches(pattern, name) is matched


def test_a_list_matches_where_one_pattern_does() -> None:
    assert matches_any(("a*", "b"), "b")
    assert not matches_any(("a*", "b"), "c")


def test_a_hostile_pattern_costs_no_backtracking() -> None:
    assert not matches("*a" * 250 + "b", "a" * 20_000)


@pytest.mark.parametrize(
    ("wider", "narrower", "covered"),
    [
        ("*", "steam-*", True),
        ("steam-*", "steam-m-*", True),
        ("steam-*", "steam-m-M01", True),
        ("steam-m-*", "steam-*", False),
        ("steam-m-M01", "steam-m-M0?", False),
        ("steam-m-M0?", "steam-m-M01", True),
        ("?*", "*?", True),
        ("*?", "?*", True),
        ("?*", "*a", True),
        ("?*", "*", False),
        ("**", "*", True),
        ("*a*", "*ab*", True),
        ("*ab*", "*a*b*", False),
        ("*a*b*", "*ab*", True),
        ("a", "b", False),
        ("a?*", "a*", False),
        ("*?*?*", "ab", True),
        ("*?*?*", "*?", False),
    ],
)
def test_a_pattern_covers_another(wider: str, narrower: str, *, covered: bool) -> None:
    assert covers_pattern(wider, narrower) is covered


def test_covering_of_hostile_patterns_ends() -> None:
    assert not covers_pattern("*a?" * 170, "*?b" * 170)


def test_a_pattern_is_told_from_a_name() -> None:
    assert is_pattern("a*")
    assert is_pattern("a?")
    assert not is_pattern("[a]")


def test_covering_is_exact_for_all_short_patterns() -> None:
    patterns = _words("*?a", 3)
    names = _words("ab", 5)
    found = {pattern: {name for name in names if matches(pattern, name)} for pattern in patterns}
    for wider in patterns:
        for narrower in patterns:
            assert covers_pattern(wider, narrower) is (found[narrower] <= found[wider])


def _words(alphabet: str, longest: int) -> list[str]:
    return ["".join(word) for size in range(longest + 1) for word in product(alphabet, repeat=size)]


def test_covering_is_sound_and_transitive_for_longer_patterns() -> None:
    """Order decides nothing where what a covers of b, and b of c, a covers of c."""
    draw = random.Random(7)
    patterns = ["".join(draw.choices("*?ab", k=draw.randint(1, 6))) for _ in range(120)]
    names = _words("abc", 6)
    found = {pattern: {name for name in names if matches(pattern, name)} for pattern in patterns}
    covered = {
        wider: {narrower for narrower in patterns if covers_pattern(wider, narrower)}
        for wider in patterns
    }
    for wider in patterns:
        for narrower in covered[wider]:
            assert found[narrower] <= found[wider]
            assert covered[narrower] <= covered[wider]


def test_a_list_has_few_patterns_with_wildcards() -> None:
    assert len(parse_list(",".join(f"{number}*" for number in range(MAX_WILD)))) == MAX_WILD

    with pytest.raises(ControlEventError, match="DistList has more than 8 patterns with wildcards"):
        parse_list(",".join(f"{number}?" for number in range(MAX_WILD + 1)))
    parse_list(",".join(f"name{number}" for number in range(64)))


def test_a_pattern_with_wildcards_is_short() -> None:
    with pytest.raises(ControlEventError, match=r"element 2 .* longer than 128 characters"):
        parse_list("a," + "*b" * 65)
    parse_list("a" * 512)
