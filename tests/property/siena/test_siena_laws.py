"""Laws of SIENA's language: covering is sound, texts and bytes are exact, subjects carry all."""

import fnmatch

from eventservices.siena import (
    Constraint,
    Filter,
    Notification,
    Op,
    TextError,
    Value,
    compile_filter,
    covers,
    covers_advertisement,
    covers_constraint,
    format_filter,
    format_notification,
    parse_filter,
    parse_notification,
    relates,
)
from eventservices.siena.codec import decode, encode
from eventservices.siena.compatible import compatible
from eventservices.siena.matching import compile_constraint
from eventservices.siena.subjects import Subjects
from hypothesis import example, given, note, settings
from hypothesis import strategies as st
from support.siena.inputs import (
    POOL,
    VALUES,
    any_filters,
    any_names,
    any_values,
    constraint,
    filters,
    notifications,
)
from support.siena.reference import advertises, table_says

any_notifications = st.dictionaries(any_names, any_values, max_size=6).map(Notification)


def test_constraint_covering_is_sound_over_all_pairs_of_a_pool() -> None:
    all_of_them = {constraint("a", op, operand) for op in Op for operand in POOL}
    satisfied = {
        each: {index for index, value in enumerate(VALUES) if compile_constraint(each)(value)}
        for each in all_of_them
    }
    unsound = [
        (general, special)
        for general in all_of_them
        for special in all_of_them
        if covers_constraint(general, special) and not satisfied[special] <= satisfied[general]
    ]
    assert unsound == []


@given(filters, filters, notifications)
@example(
    Filter((Constraint("a", Op.LE, "abc"),)),
    Filter((Constraint("a", Op.PREFIX, "ab"),)),
    {"a": "abz"},
)
@settings(deadline=None, max_examples=250)
def test_what_a_covered_filter_matches_the_covering_one_matches(
    general: Filter, special: Filter, notification: dict[str, Value]
) -> None:
    if covers(general, special) and compile_filter(special)(notification):
        assert compile_filter(general)(notification)


def test_constraint_covering_is_what_the_table_says_for_all_pairs_of_a_pool() -> None:
    all_of_them = {constraint("a", op, operand) for op in Op for operand in POOL}
    wrong = [
        (general, special)
        for general in all_of_them
        for special in all_of_them
        if covers_constraint(general, special) is not table_says(general, special)
    ]
    assert wrong == []


@given(filters, filters, notifications)
@settings(max_examples=150)
def test_what_a_covered_advertisement_covers_the_covering_one_covers(
    general: Filter, special: Filter, notification: dict[str, Value]
) -> None:
    if covers_advertisement(general, special) and advertises(special, notification):
        assert advertises(general, notification)


@given(filters, filters, notifications)
@settings(max_examples=250)
def test_a_filter_relates_to_an_advertisement_where_a_notification_concerns_both(
    what: Filter, advertisement: Filter, notification: dict[str, Value]
) -> None:
    if advertises(advertisement, notification) and compile_filter(what)(notification):
        assert relates(what, advertisement)


def test_constraints_that_one_value_satisfies_are_compatible_for_all_pairs_of_a_pool() -> None:
    all_of_them = {constraint("a", op, operand) for op in Op for operand in POOL}
    satisfied = {
        each: {index for index, value in enumerate(VALUES) if compile_constraint(each)(value)}
        for each in all_of_them
    }
    missed = [
        (one, other)
        for one in all_of_them
        for other in all_of_them
        if satisfied[one] & satisfied[other] and not compatible(one, other)
    ]
    assert missed == []


@given(filters)
def test_covering_is_reflexive(what: Filter) -> None:
    assert covers(what, what)
    assert covers_advertisement(what, what)


@given(filters)
def test_an_empty_filter_covers_every_filter(what: Filter) -> None:
    assert covers(Filter(), what)
    assert covers_advertisement(what, Filter())


@given(filters, filters, filters)
def test_covering_is_transitive_as_far_as_it_is_sound(a: Filter, b: Filter, c: Filter) -> None:
    if covers(a, b) and covers(b, c):
        for value in VALUES:
            everywhere = {"a": value, "b": value, "c": value}
            assert compile_filter(a)(everywhere) or not compile_filter(c)(everywhere)


@given(any_filters)
def test_a_filter_survives_its_text(what: Filter) -> None:
    assert parse_filter(format_filter(what)) == what


@given(any_notifications)
def test_a_notification_survives_its_text(notification: Notification) -> None:
    assert parse_notification(format_notification(notification)) == notification


@given(any_notifications)
def test_a_notification_survives_its_bytes(notification: Notification) -> None:
    assert decode(encode(notification)) == notification


@given(st.text(max_size=60))
def test_any_text_parses_or_is_refused_with_a_place(text: str) -> None:
    try:
        parsed = parse_filter(f"filter{{{text}}}")
    except TextError as error:
        note(str(error))
    else:
        assert parse_filter(format_filter(parsed)) == parsed


@given(filters, notifications, st.sampled_from([None, "a", "b"]))
@settings(max_examples=150)
def test_the_native_subject_carries_all_that_a_filter_matches(
    what: Filter, notification: dict[str, Value], index: str | None
) -> None:
    subjects = Subjects("s", index)
    if compile_filter(what)(notification):
        subject = subjects.publish_to(notification)
        assert fnmatch.fnmatchcase(subject, subjects.subscribe_to(what))
