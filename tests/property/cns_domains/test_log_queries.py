"""A query of a small log finds what plain Python finds, in the same order, in parts of any size."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final
from unittest.mock import patch

import pytest
from eventservices.cns.domains.logs import bounds, iterator, selection, store
from eventservices.cns.domains.logs.iterator import LogIterator
from eventservices.cns.domains.logs.records import packed
from eventservices.cns.domains.logs.selection import Order, Span
from eventservices.cns.domains.logs.store import LogStore
from eventservices.cns.etcl import parse
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

Record = tuple[int, int, dict[str, int]]
"""Identifier, time, event."""

INT_MAX: Final = 2**63 - 1


class _NoValueError(Exception):
    """A constraint asks for what a record does not have; nothing can make it true."""


@dataclass(frozen=True)
class Wanted:
    """A constraint, and the same in plain Python.

    Attributes:
        text: In ETCL.
        test: Whether a record matches; raises `_NoValueError`.
        required: Which of `id` and `time` it bounds.
    """

    text: str
    test: Callable[[Record], bool]
    required: frozenset[str] = frozenset()


RELATIONS: Final[dict[str, Callable[[int, int], bool]]] = {
    "<": lambda a, b: a < b,
    "<=": lambda a, b: a <= b,
    ">": lambda a, b: a > b,
    ">=": lambda a, b: a >= b,
    "==": lambda a, b: a == b,
    "!=": lambda a, b: a != b,
}
TURNED: Final = {"<": ">", "<=": ">=", ">": "<", ">=": "<=", "==": "==", "!=": "!="}


def _value(record: Record, column: str) -> int:
    number, time, event = record
    if column == "info.n" and "n" not in event:
        raise _NoValueError
    return {"id": number, "time": time, "info.n": event.get("n", 0)}[column]


def _comparison(column: str, relation: str, value: int, *, turned: bool) -> Wanted:
    text = f"$.{column} {relation} {value}"
    if turned:
        text = f"{value} {TURNED[relation]} $.{column}"
    bounded = column in ("id", "time") and relation != "!="
    return Wanted(
        text,
        lambda record: RELATIONS[relation](_value(record, column), value),
        frozenset([column] if bounded else []),
    )


def _both(parts: list[Wanted]) -> Wanted:
    text = " and ".join(f"({part.text})" for part in parts)
    required = frozenset[str]().union(*(part.required for part in parts))
    return Wanted(text, lambda record: all(part.test(record) for part in parts), required)


def _either(parts: list[Wanted]) -> Wanted:
    text = " or ".join(f"({part.text})" for part in parts)
    return Wanted(text, lambda record: any(part.test(record) for part in parts))


def _not(part: Wanted) -> Wanted:
    return Wanted(f"not ({part.text})", lambda record: not part.test(record))


VALUES: Final = st.one_of(
    st.integers(0, 12), st.sampled_from((-1, INT_MAX, INT_MAX - 1, -INT_MAX - 1))
)
BOUNDS: Final = st.builds(
    _comparison,
    st.sampled_from(("id", "time", "time")),
    st.sampled_from(tuple(RELATIONS)),
    VALUES,
    turned=st.booleans(),
)
OTHERS: Final = st.builds(
    _comparison,
    st.just("info.n"),
    st.sampled_from(tuple(RELATIONS)),
    st.integers(0, 3),
    turned=st.booleans(),
)
LITERALS: Final = st.sampled_from(
    (
        Wanted("TRUE", lambda _: True),
        Wanted("FALSE", lambda _: False),
    )
)


def _windows(first: int, length: int) -> Wanted:
    ends = (
        _comparison("time", ">=", first, turned=False),
        _comparison("time", "<", first + length, turned=False),
    )
    return _both(list(ends))


TREES: Final = st.recursive(
    st.one_of(BOUNDS, BOUNDS, OTHERS, LITERALS),
    lambda inner: st.one_of(
        st.builds(_both, st.lists(inner, min_size=2, max_size=4)),
        st.builds(_both, st.lists(inner, min_size=2, max_size=4)),
        st.builds(_either, st.lists(inner, min_size=2, max_size=3)),
        st.builds(_not, inner),
    ),
    max_leaves=6,
)
CONSTRAINTS: Final = st.one_of(
    BOUNDS,
    st.builds(_windows, st.integers(0, 9), st.integers(0, 5)),
    st.builds(_both, st.lists(st.one_of(BOUNDS, BOUNDS, OTHERS), min_size=2, max_size=3)),
    st.builds(_either, st.lists(st.one_of(BOUNDS, BOUNDS, OTHERS), min_size=2, max_size=3)),
    TREES,
    TREES,
    st.just(Wanted("", lambda _: True)),
)
EVENTS: Final[st.SearchStrategy[dict[str, int]]] = st.one_of(
    st.just({}), st.fixed_dictionaries({"n": st.integers(0, 3)})
)
LOGS: Final = st.lists(st.tuples(st.integers(0, 9), EVENTS), max_size=24)
"""Times and events; the clock may be put back, and stand still."""

CASES: Final = st.fixed_dictionaries(
    {
        "log": LOGS,
        "wanted": CONSTRAINTS,
        "backwards": st.booleans(),
        "oldest": st.one_of(st.just(0), st.integers(0, 9)),
        "removed": st.sets(st.integers(1, 24), max_size=6),
        "reads": st.lists(st.tuples(st.integers(0, 20), st.integers(1, 12)), max_size=4),
        "chunk": st.integers(1, 6),
    }
)


def _matches(wanted: Wanted, record: Record) -> bool:
    try:
        return wanted.test(record)
    except _NoValueError:
        return False


def _expected(records: list[Record], case: dict[str, Any]) -> list[Record]:
    """Return what is found: in the order of times where only these are bounded."""
    wanted, backwards = case["wanted"], case["backwards"]
    by_time = wanted.required == {"time"}
    found = [each for each in records if each[1] >= case["oldest"] and _matches(wanted, each)]
    return sorted(found, key=lambda each: (each[1] if by_time else 0, each[0]), reverse=backwards)


def check(case: dict[str, Any]) -> None:
    """Compare every reading of a query with plain Python.

    Raises:
        AssertionError: They differ.
    """
    kept = LogStore(Path(":memory:"))
    kept.append([(time, packed(event), b"", 16) for time, event in case["log"]])
    kept.remove(sorted(case["removed"]))
    records = [
        (number, time, event)
        for number, (time, event) in enumerate(case["log"], 1)
        if number not in case["removed"]
    ]
    expected = _expected(records, case)
    constraint = parse(case["wanted"].text)
    query = LogIterator(kept, constraint, lambda: None, backwards=case["backwards"])
    query.oldest = lambda: case["oldest"]

    async def read() -> None:
        for position, how_many in (*case["reads"], (0, 100)):
            found = [
                (each.id, each.time, each.info) for each in await query.get(position, how_many)
            ]
            assert found == expected[position : position + how_many]
        assert await query.ids() == [number for number, *_ in expected]
        assert await query.count() == len(expected)

    with patch.object(iterator, "CHUNK", case["chunk"]):
        asyncio.run(read())
    kept.close()


@given(CASES)
def test_a_query_finds_what_plain_python_finds(case: dict[str, Any]) -> None:
    check(case)


_narrowed, _bound = bounds._narrowed, bounds._bound


def _loose(span: Span, relation: str, value: int) -> Span:
    return _narrowed(span, {"<": "<=", ">": ">="}.get(relation, relation), value)


def _only_later(order: Order, columns: str) -> tuple[str, ...]:
    return selection.statements(order, columns)[-1:]


FAULTS: Final = {
    "a bound belongs to the span that excludes it": (bounds, "_narrowed", _loose),
    "the last of several bounds counts alone": (
        bounds,
        "_narrowed",
        lambda _, relation, value: _narrowed(selection.TIMES, relation, value),
    ),
    "a constant at the left is not turned": (bounds, "_TURNED", {each: each for each in TURNED}),
    "alternatives are all required": (
        bounds,
        "_required",
        lambda tree: getattr(tree, "items", (tree,)),
    ),
    "nothing else is ever required": (
        bounds,
        "_bound",
        lambda item: _bound(item) or ("id", ">=", 0),
    ),
    "records of the cursor's time are passed over": (store, "statements", _only_later),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_a_planted_fault_is_noticed(fault: str, monkeypatch: pytest.MonkeyPatch) -> None:
    place, name, wrong = FAULTS[fault]
    monkeypatch.setattr(place, name, wrong)
    looking = settings(
        max_examples=500,
        phases=[Phase.generate],
        derandomize=True,
        database=None,
        report_multiple_bugs=False,
    )
    with pytest.raises(AssertionError):
        looking(given(CASES)(check))()
