"""Laws of ETCL: against a reference, written back, and on any event and any text."""

import re
from contextlib import suppress
from typing import Any

import pytest
from eventservices.cns.etcl import (
    Constraint,
    EvaluationError,
    Filter,
    InvalidConstraintError,
    MappingFilter,
    parse,
    to_text,
)
from eventservices.cns.etcl.tree import And, Expression, Not, Or
from hypothesis import given, settings
from hypothesis import strategies as st
from support.etcl.parser import SyntaxWrong, parsed
from support.etcl.parts import NOW_TICKS
from support.etcl.reference import reference_matches

MANY = settings(max_examples=800, deadline=None)
FEW = settings(max_examples=100, deadline=None)
Trees = st.SearchStrategy[Expression]
Events = st.SearchStrategy[Any]

WORDS = re.findall(
    r"\S+",
    r"$ $a $.a $.0 $[0] $(a) $.(1) $.() . [ ] ( ) 'a' 'ab' '' '\'' a in and or not exist default "
    r"+ - * / ~ == != < <= > >= 1 1.5 .5 1e3 TRUE false ._length ._d \in min \ ' # % é 99999999999",
)
texts = st.builds(
    lambda words, space: space.join(words),
    st.lists(st.sampled_from([*WORDS, " ", "\n"]), max_size=12),
    st.sampled_from(("", " ", "\t")),
)


def constraint(text: str) -> Constraint:
    return parse(text, clock=lambda: NOW_TICKS)


@MANY
@given(st.data())
def test_a_compiled_constraint_says_what_the_reference_says(
    trees: Trees, events: Events, data: st.DataObject
) -> None:
    text = to_text(data.draw(trees))
    event = data.draw(events)

    assert constraint(text).matches(event) is reference_matches(text, event)


@MANY
@given(st.data())
def test_a_tree_written_and_parsed_is_the_same_tree(trees: Trees, data: st.DataObject) -> None:
    tree = data.draw(trees)
    once = parse(to_text(tree)).tree

    assert parse(to_text(once)).tree == once
    assert to_text(once) == to_text(tree)


@MANY
@given(texts)
def test_any_text_is_a_constraint_for_both_parsers_or_for_neither(text: str) -> None:
    try:
        parsed(text)
        good = True
    except SyntaxWrong:
        good = False

    if good:
        assert to_text(parse(text).tree)
    else:
        with pytest.raises(InvalidConstraintError):
            parse(text)


@FEW
@given(st.text(max_size=40))
def test_no_text_raises_anything_else(text: str) -> None:
    with suppress(InvalidConstraintError):
        assert parse(text).text == text


@FEW
@given(st.data())
def test_evaluation_gives_a_value_or_tells_why_not(
    trees: Trees, events: Events, data: st.DataObject
) -> None:
    tested = constraint(to_text(data.draw(trees)))
    event = data.draw(events)
    try:
        value = tested.evaluate(event)
    except EvaluationError:
        assert not tested.matches(event)
    else:
        assert tested.matches(event) is (value is True)


@FEW
@given(st.data())
def test_not_inverts_what_has_a_value_and_leaves_the_rest_false(
    trees: Trees, events: Events, data: st.DataObject
) -> None:
    tree, event = data.draw(trees), data.draw(events)
    plain, inverse = Constraint("", tree), Constraint("", Not(tree))
    try:
        value = plain.evaluate(event)
    except EvaluationError:
        assert not plain.matches(event)
        assert not inverse.matches(event)
    else:
        assert inverse.matches(event) is (value is False)


@FEW
@given(st.data())
def test_what_and_accepts_each_part_accepts_and_or_accepts_what_its_first_part_does(
    trees: Trees, events: Events, data: st.DataObject
) -> None:
    items, event = tuple(data.draw(st.tuples(trees, trees))), data.draw(events)
    alone = [Constraint("", item).matches(event) for item in items]

    assert Constraint("", And(items)).matches(event) is all(alone)
    assert Constraint("", Or(items)).matches(event) or not alone[0]


@FEW
@given(st.data())
def test_no_event_makes_a_filter_raise(trees: Trees, events: Events, data: st.DataObject) -> None:
    texts = [to_text(data.draw(trees)) for _ in range(3)]
    event = data.draw(events)
    plain, mapping = Filter(clock=lambda: NOW_TICKS), MappingFilter(-1, clock=lambda: NOW_TICKS)
    good = []
    for number, text in enumerate(texts):
        try:
            plain.add_constraints([((), text)])
        except InvalidConstraintError:
            continue
        mapping.add_mapping_constraints([(((), text), number)])
        good.append((number, reference_matches(text, event)))

    hits = [number for number, holds in good if holds]
    assert plain.matches(event) is (bool(hits) or not good)
    assert mapping.matches(event) == ((True, hits[0]) if hits else (False, -1))


@FEW
@given(st.data())
def test_what_a_filter_refuses_for_its_types_is_true_for_no_event(
    trees: Trees, events: Events, data: st.DataObject
) -> None:
    tested = constraint(to_text(data.draw(trees)))
    try:
        tested.check()
    except InvalidConstraintError:
        if not _decided_early(tested.tree):
            assert not tested.matches(data.draw(events))


def _decided_early(tree: Expression) -> bool:
    """Tell whether `or` or `and` may skip the ill-typed part."""
    return " or " in to_text(tree) or " and " in to_text(tree)
