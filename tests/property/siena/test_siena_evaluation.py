"""Evaluation never fails and agrees with a slow reference; the filter table with brute force."""

from decimal import Decimal
from typing import Any

from eventservices.siena import (
    Filter,
    FilterTable,
    Notification,
    Op,
    TextError,
    Value,
    compile_filter,
    covers_notification,
    format_filter,
    parse_filter,
)
from eventservices.siena.codec import decode, encode
from eventservices.siena.matching import holds
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule
from support.siena.inputs import (
    POOL,
    VALUES,
    any_filters,
    any_values,
    filters,
    names,
    notifications,
)
from support.siena.reference import advertises, matches, satisfies

TOKENS = [
    "a", "b", "any", "true", "false", "=", "!=", "<", "<=", ">", ">=", ">*", "*<", "*", "5", "-0",
    "1e308", "1e999", "-Infinity", "NaN", '""', '"a"', '"\\"\\\\"', '"\\777"', '"\\ud800"', 'x""',
    'x"ff"', 'x"f"', "9223372036854775807", "9223372036854775808", "-", "{", "}", " ", "\n", "é",
]  # fmt: skip
texts = st.lists(st.sampled_from(TOKENS), max_size=12).map(" ".join)


@given(filters, notifications)
@settings(max_examples=300)
def test_evaluation_agrees_with_the_reference(what: Filter, event: dict[str, Value]) -> None:
    assert compile_filter(what)(event) is matches(what, event)


@settings(max_examples=60)
@given(any_filters, st.dictionaries(st.sampled_from("abc"), any_values, max_size=4))
def test_evaluation_agrees_with_the_reference_for_any_value(
    what: Filter, event: dict[str, Value]
) -> None:
    renamed = dict(zip(what.names, event.values(), strict=False))
    assert compile_filter(what)(renamed) is matches(what, renamed)


def test_every_operator_agrees_with_the_reference_for_all_pairs_of_a_pool() -> None:

    wrong = [
        (value, op, operand)
        for op in Op
        if op is not Op.ANY
        for operand in POOL
        for value in VALUES
        if bool(holds(op, value, operand)) is not satisfies(value, op, operand)
    ]
    assert wrong == []


@given(filters, notifications)
@settings(max_examples=100)
def test_advertisements_agree_with_the_reference(what: Filter, event: dict[str, Value]) -> None:
    assert covers_notification(what, event) is advertises(what, event)


@given(texts, st.dictionaries(st.sampled_from(["a", "b", "any"]), any_values, max_size=3))
@settings(max_examples=250)
def test_no_event_makes_a_filter_that_parses_fail(text: str, event: dict[str, Value]) -> None:
    try:
        what = parse_filter(f"filter{{ {text} }}")
    except TextError as error:
        assert error.line >= 1  # noqa: PT017 - most texts are none
        return
    assert parse_filter(format_filter(what)) == what
    assert compile_filter(what)(event) is matches(what, event)


@given(st.binary(max_size=60), filters)
def test_no_payload_makes_a_filter_fail(payload: bytes, what: Filter) -> None:
    try:
        event = decode(payload)
    except ValueError:
        return
    assert compile_filter(what)(event) is matches(what, event)
    assert decode(encode(event)) == event or Notification(event) != event  # NaN equals nothing


foreign = st.sampled_from(
    [None, [1], {}, 10**400, -(10**400), 1j, Decimal("NaN"), "\ud800", bytearray(b"a"), object()]
)


@given(filters, st.dictionaries(names, foreign | st.sampled_from(VALUES), max_size=3))
@settings(max_examples=150)
def test_what_is_no_value_of_siena_makes_nothing_fail(what: Filter, event: dict[str, Any]) -> None:
    table: FilterTable[int] = FilterTable()
    table.add(1, what)
    hit = compile_filter(what)(event)
    assert table.match(event) == [1] * hit
    assert covers_notification(what, event) in (True, False)
    known = {name: value for name, value in event.items() if value in VALUES and value is not None}
    assert hit is matches(what, known) or len(known) < len(event)


class Table(RuleBasedStateMachine):
    """A filter table from which filters come and go."""

    @initialize()
    def begin(self) -> None:
        self.table: FilterTable[int] = FilterTable()
        self.model: dict[int, Filter] = {}
        self.number = 0

    @rule(several=st.lists(filters, min_size=1, max_size=8))
    def add(self, several: list[Filter]) -> None:
        for what in several:
            self.number += 1
            self.table.add(self.number, what)
            self.model[self.number] = what

    @rule(data=st.data())
    def remove(self, data: st.DataObject) -> None:
        if self.model:
            number = data.draw(st.sampled_from(sorted(self.model)))
            self.table.remove(number)
            del self.model[number]

    @rule(event=notifications)
    def match(self, event: dict[str, Value]) -> None:
        expected = [number for number, what in self.model.items() if matches(what, event)]
        assert self.table.match(event) == expected

    @invariant()
    def the_size_is_right(self) -> None:
        assert len(self.table) == len(self.model)

    def teardown(self) -> None:
        for number in self.model:
            self.table.remove(number)
        assert not self.table._names
        assert not self.table._nodes
        assert not self.table._always


TestTable = Table.TestCase
TestTable.settings = settings(max_examples=30, stateful_step_count=20, deadline=None)


@given(st.lists(filters, max_size=40), st.lists(notifications, min_size=1, max_size=5))
@settings(max_examples=100)
def test_the_table_of_many_filters_equals_brute_force(
    many: list[Filter], events: list[dict[str, Value]]
) -> None:
    table: FilterTable[int] = FilterTable()
    for number, what in enumerate(many):
        table.add(number, what)
    for event in events:
        expected = [number for number, what in enumerate(many) if matches(what, event)]
        assert table.match(event) == expected
