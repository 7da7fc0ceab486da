import pytest
from eventservices.cns.errors import InvalidEventTypeError
from eventservices.cns.event_type import (
    ALL_TYPES,
    MAX_NAME_BYTES,
    EventType,
    TypeFilter,
    canonical,
    change_set,
    matches,
)
from hypothesis import given
from hypothesis import strategies as st

NOTHING: frozenset[EventType] = frozenset()


def types(*pairs: tuple[str, str]) -> frozenset[EventType]:
    return frozenset(canonical(pair) for pair in pairs)


@pytest.mark.parametrize(
    "spelling",
    [("", ""), ("*", "*"), ("", "*"), ("*", ""), ("", "%ALL"), ("*", "%ALL")],
)
def test_all_types_has_one_spelling(spelling: tuple[str, str]) -> None:
    assert canonical(spelling) == ALL_TYPES


@pytest.mark.parametrize(
    ("pattern", "found"),
    [
        (("Telecom", ""), ("Telecom", "*")),
        (("Telecom", "%ALL"), ("Telecom", "*")),
        (("", "Alarm"), ("*", "Alarm")),
        (("Telecom", "Alarm"), ("Telecom", "Alarm")),
    ],
)
def test_an_empty_part_means_any(pattern: tuple[str, str], found: tuple[str, str]) -> None:
    assert canonical(pattern) == found


@pytest.mark.parametrize(
    "wrong", [("a",), ("a", "b", "c"), "abc", (1, "b"), None, ("a", "b" * (MAX_NAME_BYTES + 1))]
)
def test_what_is_no_event_type_is_refused(wrong: object) -> None:
    with pytest.raises(InvalidEventTypeError):
        canonical(wrong)  # type: ignore[arg-type] # that is the case


@pytest.mark.parametrize(
    ("pattern", "text", "expected"),
    [
        ("ha*o", "hallo", True),
        ("ha*o", "hao", True),
        ("ha*o", "hadddddo", True),
        ("ha*o", "hall", False),
        ("*abc*de", "abcde", True),
        ("*abc*de", "halloabcde", True),
        ("*abc*de", "abcbla bla blade", True),
        ("*abc*de", "ab cde", False),
        ("abc*", "abc", True),
        ("*Stock*Quote", "NYStockQuote", True),
        ("aba*ab", "abab", False),
        ("a*a", "a", False),
        ("Alarm", "alarm", False),
    ],
)
def test_a_star_is_any_run_of_characters(pattern: str, text: str, *, expected: bool) -> None:
    assert matches(EventType("*", pattern), EventType("d", text)) is expected
    assert matches(EventType(pattern, "*"), EventType(text, "t")) is expected


@pytest.mark.parametrize(
    ("patterns", "expected"),
    [
        ([("DomainA", "TypeA"), ("DomainB", "TypeB")], False),
        ([("*", "%ALL"), ("DomainB", "TypeB")], True),
        ([("Test_domain", "%ALL")], True),
        ([("*", "Test_type_name")], True),
        ([("*", "*"), ("*", "*")], True),
    ],
)
def test_a_consumer_gets_what_one_of_its_patterns_means(
    patterns: list[tuple[str, str]], *, expected: bool
) -> None:
    chosen = TypeFilter(NOTHING, types(*patterns), both=True)

    assert chosen.accepts(EventType("Test_domain", "Test_type_name")) is expected


def test_a_star_in_an_event_is_literal() -> None:
    assert not matches(EventType("d", "t"), EventType("d", "*"))
    assert matches(EventType("d", "*"), EventType("d", "*"))


@pytest.mark.parametrize(
    ("admin", "proxy", "with_and", "with_or"),
    [
        ([], [], True, True),
        ([("d", "t")], [], True, True),
        ([], [("d", "t")], True, True),
        ([("x", "x")], [], False, False),
        ([], [("x", "x")], False, False),
        ([("d", "t")], [("x", "x")], False, True),
        ([("x", "x")], [("d", "t")], False, True),
        ([("d", "*")], [("*", "t")], True, True),
        ([("x", "x")], [("y", "y")], False, False),
    ],
)
def test_a_side_without_subscriptions_is_absent(
    admin: list[tuple[str, str]],
    proxy: list[tuple[str, str]],
    *,
    with_and: bool,
    with_or: bool,
) -> None:
    event = EventType("d", "t")

    assert TypeFilter(types(*admin), types(*proxy), both=True).accepts(event) is with_and
    assert TypeFilter(types(*admin), types(*proxy), both=False).accepts(event) is with_or


def test_what_is_known_of_types_stays_bounded_and_right() -> None:
    chosen = TypeFilter(NOTHING, types(("d", "5*")), both=True)

    for number in range(5000):
        assert chosen.accepts(EventType("d", str(number))) is str(number).startswith("5")

    assert len(chosen._known) <= 1024


def test_sets_change_literally() -> None:
    held = types(("d", "t"), ("d", "*"))

    assert change_set(held, [], [("d", "t")]) == types(("d", "*"))
    assert change_set(held, [], [("*", "*")]) == held
    assert change_set(held, [("d", "t"), ("d", "t")], []) == held
    assert change_set(held, [("d", "t")], [("d", "t")]) == held


def test_a_change_with_an_invalid_type_changes_nothing() -> None:
    held = types(("d", "t"))

    with pytest.raises(InvalidEventTypeError):
        change_set(held, [("e", "f")], [("d", "x" * 300)])


@given(st.text(max_size=12), st.lists(st.integers(0, 12), max_size=4))
def test_a_text_matches_itself_with_any_part_replaced_by_a_star(text: str, cuts: list[int]) -> None:
    bounds = sorted(min(cut, len(text)) for cut in cuts)
    pairs = list(zip(bounds[::2], bounds[1::2], strict=False))
    pattern = text.replace("*", "x")
    plain = pattern
    for start, end in reversed(pairs):
        pattern = pattern[:start] + "*" + pattern[end:]

    assert matches(EventType(pattern, "*"), EventType(plain, "any"))


def test_types_that_a_stranger_made_long_are_not_kept() -> None:
    types = TypeFilter(frozenset({EventType("*", "x*")}), frozenset(), both=True)
    assert types.accepts(EventType("", "x" * 100_000))
    assert types.accepts(EventType("", "x"))
    assert list(types._known) == [EventType("", "x")]
