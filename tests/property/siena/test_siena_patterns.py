"""Recognition of patterns equals trying all sequences of what has arrived."""

from eventservices.siena import Filter, Notification, Pattern, PatternMatch, Value, covers_pattern
from eventservices.siena.recognise import Recogniser
from eventservices.siena.text import format_pattern, parse_pattern
from eventservices.stamp import Stamp
from hypothesis import given, settings
from hypothesis import strategies as st
from support.siena.inputs import any_filters, filters, notifications
from support.siena.reference import earliest_sequence, matches

patterns = st.lists(filters, min_size=1, max_size=3).map(lambda each: Pattern(tuple(each)))
arrivals = st.lists(st.tuples(st.integers(0, 6), notifications), max_size=9)


def stamp(number: int, time_us: int) -> Stamp:
    return Stamp("o", 1, number, time_us, "h")


def recognised(
    pattern: Pattern, events: list[tuple[int, dict[str, Value]]]
) -> list[tuple[int, ...]]:
    found: list[PatternMatch] = []
    recogniser = Recogniser(
        pattern, kept=100, clock_us=lambda: 0, tell=found.append, drop=lambda: None
    )
    for number, (time_us, event) in enumerate(events, 1):
        recogniser.take(Notification(event), stamp(number, time_us))
    return [tuple(each.stamp.sequence for each in told if each.stamp) for told in found]


def expected(pattern: Pattern, events: list[tuple[int, dict[str, Value]]]) -> list[tuple[int, ...]]:
    waiting: dict[int, tuple[tuple[int, int], dict[str, Value]]] = {}
    told = []
    for number, (time_us, event) in enumerate(events, 1):
        waiting[number] = ((time_us, number), event)
        found = earliest_sequence(pattern.filters, waiting.values())
        if found is not None:
            told.append(found)
            for used in found:
                del waiting[used]
    return told


@given(patterns, arrivals)
@settings(max_examples=150)
def test_recognition_equals_brute_force(
    pattern: Pattern, events: list[tuple[int, dict[str, Value]]]
) -> None:
    assert recognised(pattern, events) == expected(pattern, events)


@given(patterns, arrivals)
@settings(max_examples=50)
def test_each_sequence_is_in_the_order_of_time_and_matches_filter_by_filter(
    pattern: Pattern, events: list[tuple[int, dict[str, Value]]]
) -> None:
    used: set[int] = set()
    for sequence in recognised(pattern, events):
        places = [(events[number - 1][0], number) for number in sequence]
        assert places == sorted(places)
        assert not used & set(sequence)
        used |= set(sequence)
        for what, number in zip(pattern.filters, sequence, strict=True):
            assert matches(what, events[number - 1][1])


@given(patterns, arrivals, st.integers(1, 3))
@settings(max_examples=50)
def test_no_more_waits_than_the_bound_and_what_is_told_is_right_still(
    pattern: Pattern, events: list[tuple[int, dict[str, Value]]], kept: int
) -> None:
    found: list[PatternMatch] = []
    drops: list[int] = []
    recogniser = Recogniser(
        pattern,
        kept=kept,
        clock_us=lambda: 0,
        tell=found.append,
        drop=lambda: drops.append(1),
    )
    for number, (time_us, event) in enumerate(events, 1):
        before = len(recogniser) + len(drops)
        told = len(found)
        recogniser.take(Notification(event), stamp(number, time_us))
        assert len(recogniser) <= kept * len(pattern.filters)
        if len(found) == told:
            hits = sum(matches(what, event) for what in pattern.filters)
            assert len(recogniser) + len(drops) == before + hits
    for told_sequence in found:
        for what, each in zip(pattern.filters, told_sequence, strict=True):
            assert matches(what, each.notification)


@given(patterns, patterns, arrivals)
@settings(max_examples=50)
def test_what_completes_a_covered_pattern_completes_the_covering_one(
    general: Pattern, special: Pattern, events: list[tuple[int, dict[str, Value]]]
) -> None:
    if covers_pattern(general, special) and recognised(special, events):
        assert recognised(general, events)


@given(st.lists(any_filters, min_size=1, max_size=4).map(lambda each: Pattern(tuple(each))))
def test_a_pattern_survives_its_text(pattern: Pattern) -> None:
    assert parse_pattern(format_pattern(pattern)) == pattern
    assert covers_pattern(pattern, pattern)


@given(st.lists(filters, min_size=1, max_size=3), filters)
def test_patterns_of_different_lengths_do_not_cover_each_other(
    some: list[Filter], one_more: Filter
) -> None:
    short, long = Pattern(tuple(some)), Pattern((*some, one_more))
    assert not covers_pattern(short, long)
    assert not covers_pattern(long, short)
