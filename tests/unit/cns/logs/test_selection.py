"""What a search of records costs: it depends on what it finds, not on where that lies."""

from importlib import import_module
from pathlib import Path

import pytest
from eventservices.cns.domains.logs.attributes import LogFullAction
from eventservices.cns.domains.logs.log import Log
from eventservices.cns.domains.logs.manager import LogManager
from eventservices.cns.domains.logs.records import LogRecord, packed
from eventservices.cns.domains.logs.selection import IDS, TIMES, Cursor, Order, Span
from eventservices.cns.domains.logs.store import PART_BYTES, LogStore

RECORDS = 5_000
PART = 10
STEPS = 20
"""More than SQLite's virtual machine makes to return one record of a part, and to begin it."""


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> LogStore:
    """Records of the times 1 to 1,000, then of a single one, then of the times 1,001 to 2,000."""
    made = LogStore(Path(tmp_path_factory.mktemp("log"), "log.sqlite"))
    times = [*range(1, 1_001), *[1_000] * (RECORDS - 2_000), *range(1_001, 2_001)]
    made.append([(time, b"", b"", 16) for time in times])
    return made


@pytest.mark.parametrize("keys", [False, True])
@pytest.mark.parametrize("backwards", [False, True])
@pytest.mark.parametrize(
    ("by_time", "span"),
    [
        (False, IDS),
        (False, Span(RECORDS - 20, RECORDS - 5)),
        (False, Span(5, 20)),
        (False, Span(2_500, 2_500)),
        (True, TIMES),
        (True, Span(1_980, 1_995)),
        (True, Span(5, 20)),
        (True, Span(1_000, 1_000)),
        (True, Span(1_500, 1_500)),
    ],
)
def test_each_part_of_a_search_costs_what_it_returns(
    store: LogStore, span: Span, *, by_time: bool, backwards: bool, keys: bool
) -> None:
    order = Order(by_time, backwards)
    cursor, found, steps = Cursor(2_000, RECORDS + 1) if backwards else Cursor(0, 0), 0, 0

    def count() -> bool:
        nonlocal steps
        steps += 1
        return False

    store._db.set_progress_handler(count, 1)
    while True:
        steps = 0
        if keys:
            part = store.keys(order, span, cursor, PART)
        else:
            rows = store.select(order, span, cursor, PART)
            part = [Cursor(row[1], row[0]) for row in rows]
        assert steps <= STEPS * PART
        if not part:
            break
        found, cursor = found + len(part), part[-1]
    store._db.set_progress_handler(None)
    query = "select sum(time between ? and ?), sum(id between ? and ?) from record"
    [(times, ids)] = store._db.execute(query, (*span, *span))
    assert found == (times if by_time else ids)


def test_an_empty_span_has_nothing(store: LogStore) -> None:
    for order in (Order(), Order(by_time=True)):
        assert store.select(order, Span(2**63, -(2**63) - 1), Cursor(0, 0), 10) == []


@pytest.mark.parametrize("order", [Order(), Order(by_time=True)])
def test_nothing_is_found_past_the_end_of_a_span(store: LogStore, order: Order) -> None:
    assert store.select(order, Span(5, 20), Cursor(30, 29), 10) == []
    backwards = order._replace(backwards=True)
    assert store.select(backwards, Span(15, 20), Cursor(10, 11), 10) == []


async def test_a_part_of_large_events_is_small(log: Log) -> None:
    events = ["x" * (PART_BYTES // 3)] * 20
    log.write_records(events)
    assert len(log._store.select(Order(), IDS, Cursor(0, 0), 20)) == 3
    assert [each.info for each in await log.query("").get(0, 20)] == events
    log.write_records(["y" * (2 * PART_BYTES)])
    assert (await log.query("$.id == 21").get(0, 1))[0].info == "y" * (2 * PART_BYTES)


async def test_nothing_is_decoded_or_evaluated_that_the_index_decides(
    log: Log, monkeypatch: pytest.MonkeyPatch
) -> None:
    def evaluated(_: object) -> None:
        raise AssertionError("the constraint was evaluated")

    log.write_records(["a", "b", "c"])
    monkeypatch.setattr(LogRecord, "content", property(evaluated))
    log._store._db.execute("update record set info = x'00' where id < 3")
    for constraint in ("$.time > 0", "$.id >= 1", "", "TRUE and ($.time > 0 and $.id > 0)"):
        assert await log.match(constraint) == 3
        assert [each.info for each in await log.query(constraint).get(2, 1)] == ["c"]
    assert packed("c") == log._store.select(Order(), Span(3, 3), Cursor(0, 0), 1)[0][2]


def test_a_log_has_its_parser_before_the_first_query(manager: LogManager) -> None:
    parser = import_module("eventservices.cns.etcl.parse")._parser
    parser.cache_clear()
    manager.create(LogFullAction.WRAP, 0)
    assert parser.cache_info().currsize == 1
