"""Laws of three-valued logic, evaluation, canonical text and covering."""

from fes.errors import FilterError
from fes.filter import Condition, canonical, compile_filter, covers, parse
from fes.filter.algebra.normal import normalise
from fes.filter.language.text import to_text
from fes.filter.language.tree import And, Not, Or
from fes.model import Event
from hypothesis import given, settings
from hypothesis import strategies as st
from support.filters.slowly import slowly

FEW = settings(max_examples=300, deadline=None)
Trees = st.SearchStrategy[Condition]
Events = st.SearchStrategy[Event]


@FEW
@given(data=st.data())
def test_the_compiled_filter_agrees_with_the_slow_one(
    data: st.DataObject, conditions: Trees, events: Events
) -> None:
    tree, event = data.draw(conditions), data.draw(events)
    assert compile_filter(tree)(event) is slowly(tree, event)


@FEW
@given(data=st.data())
def test_not_twice_is_nothing_and_de_morgan_holds(
    data: st.DataObject, conditions: Trees, events: Events
) -> None:
    one, other = data.draw(conditions), data.draw(conditions)
    event = data.draw(events)
    assert compile_filter(Not(Not(one)))(event) is compile_filter(one)(event)
    inverted = compile_filter(Not(And((one, other))))(event)
    assert inverted is compile_filter(Or((Not(one), Not(other))))(event)


@FEW
@given(data=st.data())
def test_the_normal_form_keeps_all_three_values(
    data: st.DataObject, conditions: Trees, events: Events
) -> None:
    tree, event = data.draw(conditions), data.draw(events)
    normal = normalise(tree)
    assert compile_filter(normal)(event) is compile_filter(tree)(event)
    assert compile_filter(normalise(Not(tree)))(event) is compile_filter(Not(tree))(event)
    assert normalise(normal) == normal


@FEW
@given(data=st.data())
def test_the_canonical_text_parses_to_the_normal_form(
    data: st.DataObject, conditions: Trees
) -> None:
    tree = data.draw(conditions)
    assert parse(canonical(tree)) == normalise(tree)
    assert canonical(parse(canonical(tree))) == canonical(tree)


@FEW
@given(data=st.data())
def test_text_and_tree_say_the_same(data: st.DataObject, conditions: Trees, events: Events) -> None:
    tree, event = data.draw(conditions), data.draw(events)
    again = parse(to_text(tree))
    assert to_text(again) == to_text(tree)
    assert compile_filter(again)(event) is compile_filter(tree)(event)


@FEW
@given(data=st.data())
def test_what_covers_a_filter_is_true_wherever_it_is(
    data: st.DataObject, conditions: Trees, tests_of_values: Trees, events: Events
) -> None:
    wider = data.draw(st.one_of(conditions, tests_of_values))
    narrower = data.draw(st.one_of(conditions, tests_of_values, st.just(And((wider, wider)))))
    happened = data.draw(st.lists(events, min_size=1, max_size=8))
    if covers(wider, narrower):
        accepts, asks = compile_filter(wider), compile_filter(narrower)
        assert all(accepts(event) is True for event in happened if asks(event) is True)


@FEW
@given(data=st.data())
def test_a_filter_covers_itself_and_what_is_added_to_it(
    data: st.DataObject, conditions: Trees
) -> None:
    tree, more = data.draw(conditions), data.draw(conditions)
    assert covers(tree, tree)
    assert covers(Or((tree, more)), tree)


@settings(max_examples=1000, deadline=None)
@given(text=st.text(alphabet="ab1.'\"@()=<>-+*/, \nNOTRANDIKEé", max_size=40))
def test_any_text_is_a_filter_or_a_filter_error(text: str) -> None:
    try:
        tree = parse(text)
    except FilterError:
        return
    assert parse(canonical(tree)) == normalise(tree)
