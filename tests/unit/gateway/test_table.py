"""The request table: what it costs, and that what holds is what the rows say."""

from dataclasses import fields
from typing import Any

import fes.gateway.requests.held as held_module
import fes.gateway.requests.table as table_module
import pytest
from fes import distribution
from fes.control import RequestType
from fes.distribution import covers_pattern, matches
from fes.gateway.requests.desired import DesiredState
from fes.gateway.requests.growth import MAX_WILD
from fes.gateway.requests.row import FOREVER, Row, ended_at
from fes.gateway.requests.table import RequestTable
from fes.model import Stamp
from fes.wildcard import Wildcard
from hypothesis import given
from hypothesis import strategies as st
from support.gateways.cores import core_of, inject, request, say

SERVICES = ("a", "b", "ab")
HORIZON_US = 1_000
PATTERNS = ("a", "b", "ab", "*", "a*", "*b", "?", "??")


def row_of(pattern: str, version: int = 1, **changes: Any) -> Row:
    given_: dict[str, Any] = {
        "kind": RequestType.SUBSCRIPTION,
        "source": "s",
        "requester": "r",
        "what": "f",
        "withdrawn": False,
        "since_us": 1,
        "expires_us": 0,
        "filter": "f",
        "body": b"",
        "request": Stamp(f"c{pattern}", 1, version, 1, "s"),
        **changes,
    }
    return Row(pattern=pattern, version=version, **given_)


def that_hold(table: RequestTable, service: str) -> list[Row]:
    """Return what holds, looked for among all rows."""
    by_key: dict[Any, list[Row]] = {}
    for row in table.rows():
        if row.source != service and matches(row.pattern, service):
            by_key.setdefault(row.key, []).append(row)
    best = [max(rows, key=lambda row: row.rank) for rows in by_key.values()]
    return sorted((row for row in best if not row.withdrawn), key=lambda row: (row.rank, row.name))


def test_a_request_with_too_many_wildcards_is_refused_with_a_reason() -> None:
    """Rule E6."""
    core = core_of("north", "south")

    (wide,) = say(core, request(dist_list=",".join(f"{each}*" for each in range(9))), "south")
    (long,) = say(core, request(dist_list="*a" * 65, sequence=2), "south")

    assert (wide.decision, long.decision) == ("refused", "refused")
    assert "DistList has more than 8 patterns with wildcards" in wide.reason
    assert "longer than 128 characters" in long.reason
    for number in range(MAX_WILD):
        inject(core, request(dist_list=f"n{number}*", sequence=number + 3))
    one_more = say(core, request(dist_list="m*", sequence=99), "south")
    assert "more than 32 patterns with wildcards" in one_more[-1].reason
    assert len(core.table) == MAX_WILD


def test_a_hostile_request_costs_steps_not_states(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every comparison reads a pattern once: 8 new ones beside 32 known."""
    steps = 0

    class Counted(Wildcard):
        def covers(self, other: Wildcard) -> bool:
            nonlocal steps
            steps += len(other.elements)
            return super().covers(other)

    compiled = distribution._compiled

    def counted(pattern: str) -> Wildcard:
        made = compiled(pattern)
        return Counted(*(getattr(made, each.name) for each in fields(made)))

    monkeypatch.setattr(distribution, "_compiled", counted)
    table = RequestTable(HORIZON_US, SERVICES)
    for start in range(0, MAX_WILD, 8):
        table.take([row_of("*a" * 60 + chr(300 + start + each)) for each in range(8)], 1)
    steps = 0
    table.take([row_of("*a?" * 40 + chr(400 + each), 2) for each in range(8)], 1)

    assert 0 < steps <= 2 * 8 * (MAX_WILD + 8) * 128


@pytest.fixture
def compared(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Note every pattern that a table compares with another, or with a service."""
    found: list[str] = []

    def noted_covers(wider: str, narrower: str) -> bool:
        found.append(wider)
        return covers_pattern(wider, narrower)

    def noted_match(pattern: str, name: str) -> bool:
        found.append(pattern)
        return matches(pattern, name)

    monkeypatch.setattr(table_module, "covers_pattern", noted_covers)
    monkeypatch.setattr(held_module, "matches", noted_match)
    return found


def test_a_request_is_compared_with_no_more_rows_in_a_large_table(compared: list[str]) -> None:
    table = RequestTable(HORIZON_US, SERVICES)
    table.take([row_of(f"n{number}") for number in range(2000)], 1)
    table.take([row_of("a*", requester=f"r{number}") for number in range(2000)], 1)
    compared.clear()

    table.take([row_of("n7", 2), row_of("fresh", 2)], 1)

    assert compared == []


def test_a_row_is_compared_with_the_patterns_of_its_own_key_only(compared: list[str]) -> None:
    table = RequestTable(HORIZON_US, SERVICES)
    table.take([row_of(f"{number}*") for number in range(5)], 1)
    table.take([row_of("9*", requester=f"r{number}") for number in range(500)], 1)
    compared.clear()

    table.take([row_of("a", 2)], 1)

    assert 0 < len(compared) <= 10


def test_what_changed_is_told_and_nothing_else() -> None:
    table = RequestTable(HORIZON_US, SERVICES)
    table.take([row_of("a", requester=f"r{number}") for number in range(100)], 1)
    assert len(table.changes()) == 100

    table.take([row_of("a", 2, requester="r5"), row_of("elsewhere", 2, requester="r6")], 1)

    ((service, before, after),) = table.changes()
    assert (service, before and before.version, after and after.version) == ("a", 1, 2)
    assert table.changes() == []


def test_no_more_patterns_with_wildcards_have_room_than_are_compared() -> None:
    table = RequestTable(HORIZON_US, SERVICES)
    table.take([row_of(f"{number}*") for number in range(MAX_WILD)], 1)

    assert not table.growth.has_room([row_of("a*")])
    assert table.growth.has_room([row_of("1*", 2), row_of("plain")])
    assert table.growth.has_room([row_of("a*", requester="another")])


def test_a_lease_that_is_renewed_for_ever_leaves_no_trace() -> None:
    table = RequestTable(HORIZON_US, SERVICES)
    for version in range(1, 1000):
        table.take([row_of("a", version, expires_us=version + 50, until_us=version + 50)], version)

    assert table.expire(1048).gone == ()
    assert len(table._ends) < 100
    assert [row.version for row in table.expire(1049).gone] == [999]


def restored(table: RequestTable) -> list[Row]:
    """Return the rows of a table that is restored from another's."""
    again = RequestTable(HORIZON_US, SERVICES)
    again.take(table.rows(), 0)
    return list(again.rows())


@pytest.mark.parametrize("before_us", [0, 90])
def test_what_a_shortened_lease_left_is_restored_as_it_is(before_us: int) -> None:
    table = RequestTable(HORIZON_US, SERVICES)
    table.take([row_of("a", 1, until_us=before_us)], 1)
    table.take([row_of("a", 2, until_us=50)], 2)
    table.expire(60)
    assert [row.withdrawn for row in table.rows()] == [True]
    assert restored(table) == list(table.rows())

    table.prolong(100)

    assert restored(table) == list(table.rows())


ROWS = st.builds(
    row_of,
    st.sampled_from(PATTERNS),
    st.integers(1, 9),
    source=st.sampled_from(("s", "a")),
    requester=st.sampled_from(("r", "q")),
    withdrawn=st.booleans(),
    until_us=st.sampled_from((0, 20, 40)),
)
STEPS = st.lists(
    st.one_of(
        st.lists(ROWS, min_size=1, max_size=3).map(lambda rows: ("take", rows)),
        st.lists(ROWS, min_size=1, max_size=3).map(lambda rows: ("follow", rows)),
        st.integers(1, 60).map(lambda moment: ("expire", moment)),
        st.sampled_from(PATTERNS).map(lambda pattern: ("discard", pattern)),
    ),
    max_size=12,
)


@given(STEPS)
def test_what_holds_is_what_the_rows_say_whatever_happened(steps: list[tuple[str, Any]]) -> None:
    table = RequestTable(HORIZON_US, SERVICES)
    numbers = iter(range(1, 10_000))
    states = {service: DesiredState(lambda: next(numbers)) for service in SERVICES}
    for step, what in steps:
        if step == "take":
            table.take(what, 1)
        elif step == "follow":
            table.follow(what)
        elif step == "expire":
            table.expire(what)
        else:
            table.discard([row.name for row in [*table.rows()] if row.pattern == what])
        for held in table.changes():
            states[held.service].update([held])

        for service in SERVICES:
            expected = that_hold(table, service)
            assert table.wanted(service) == expected
            applied = {each.what: each for each in states[service]}
            assert {row.what for row in expected} == applied.keys()
            for each in applied.values():
                behind = [row for row in expected if row.what == each.what]
                assert list(each.requests) == [str(row.request.identity) for row in behind]
                assert each.sources == tuple(sorted({row.source for row in behind}))
        for key in {row.key for row in table.rows()}:
            newest = table.newest(key)
            assert newest is not None
            ranks = [row.rank for row in table.rows() if row.key == key]
            assert newest.rank == max(ranks)
        assert len(table) == len([*table.rows()])


@pytest.mark.parametrize(
    ("outlives_us", "until_us", "left_us"),
    [(0, 5, 0), (4, 5, 0), (5, 5, 0), (6, 5, 6), (FOREVER, 5, FOREVER), (4, 3, 4)],
)
def test_the_end_of_superseded_rows_counts_where_it_is_later(
    outlives_us: int, until_us: int, left_us: int
) -> None:
    row = row_of("a", until_us=1, outlives_us=outlives_us)
    ended = ended_at(row, until_us, withdrawn=True)
    assert (ended.until_us, ended.outlives_us, ended.withdrawn) == (until_us, left_us, True)


@pytest.mark.parametrize("withdrawn", [False, True])
def test_how_new_a_row_was_that_ended_is_not_forgotten(*, withdrawn: bool) -> None:
    """Rule T18: another gateway may still have a withdrawal that the lease superseded."""
    table = RequestTable(10)
    table.take([row_of("s2", version=7, withdrawn=withdrawn, until_us=5)], 0)
    table.expire(6)
    assert (len(table), table.forgotten) == (0, 7)
