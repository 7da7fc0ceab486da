"""Records of a log: written, found, noted and removed."""

import asyncio
from collections.abc import Sequence

import pytest
from eventservices.cns import structured_event
from eventservices.cns.domains.logs.errors import (
    InvalidParamError,
)
from eventservices.cns.domains.logs.log import Log
from eventservices.cns.domains.logs.records import OVERHEAD_BYTES, packed
from eventservices.cns.etcl import InvalidConstraintError, InvalidGrammarError
from unit.cns.logs.conftest import MONDAY, SECOND, Clock


async def test_records_have_ascending_identifiers_times_and_attributes(
    log: Log, clock: Clock
) -> None:
    assert log.write_records(["a", 1]) == [1, 2]
    clock.now += SECOND
    assert log.write_records([{"deep": [1, 2]}], [{"note": "mine"}]) == [3]
    found = await log.query("").get(0, 10)
    assert [(each.id, each.time - MONDAY, each.info) for each in found] == [
        (1, 0, "a"),
        (2, 0, 1),
        (3, SECOND, {"deep": [1, 2]}),
    ]
    assert log.get_record_attribute(3) == {"note": "mine"}
    assert log.n_records == 3


@pytest.mark.parametrize(
    ("constraint", "ids"),
    [
        ("$.id > 2", [3, 4]),
        ("2 >= $.id", [1, 2]),
        ("$.attr_list(note) == 'x'", [2]),
        ("$.info.value == 3", [3]),
        ("$.info.header.fixed_header.event_type.type_name == 'T'", [4]),
        ("$.info.filterable_data(speed) > 70 and $.id == 4", [4]),
        ("TRUE", [1, 2, 3, 4]),
        ("", [1, 2, 3, 4]),
        ("exist $.info.value or $.id == 1", [1, 3]),
    ],
)
async def test_a_query_finds_by_identifier_attribute_and_event(
    log: Log, constraint: str, ids: list[int]
) -> None:
    event = structured_event(("D", "T"), filterable_data={"speed": 80.0})
    attributes = [{}, {"note": "x"}, {}, {}]
    log.write_records(["a", "b", {"value": 3}, event], attributes)
    assert [each.id for each in await log.query(constraint).get(0, 100)] == ids
    assert await log.match(constraint) == len(ids)
    assert await log.delete_records(constraint) == len(ids)
    assert log.n_records == 4 - len(ids)


async def test_an_iterator_is_read_in_parts_and_from_any_position(log: Log) -> None:
    log.write_records(list(range(1000)))
    iterator = log.query("$.info >= 100")
    assert [each.info for each in await iterator.get(0, 3)] == [100, 101, 102]
    assert [each.info for each in await iterator.get(500, 2)] == [600, 601]
    assert [each.info for each in await iterator.get(1, 1)] == [101]
    assert len(await iterator.get(899, 10)) == 1
    assert await iterator.get(900, 10) == []
    for position, how_many in ((-1, 1), (0, 0), (0, 10_001)):
        with pytest.raises(InvalidParamError):
            await iterator.get(position, how_many)
    iterator.destroy()
    with pytest.raises(InvalidParamError):
        await iterator.get(0, 1)


async def test_records_are_retrieved_from_a_time_on_and_back(log: Log, clock: Clock) -> None:
    for number in range(10):
        clock.now = MONDAY + number * SECOND
        log.write_records([number])
    onwards = log.retrieve(MONDAY + 4 * SECOND, 3)
    assert [each.info for each in await onwards.get(0, 3)] == [4, 5, 6]
    back = log.retrieve(MONDAY + 4 * SECOND, -3)
    assert [each.info for each in await back.get(0, 3)] == [4, 3, 2]
    with pytest.raises(InvalidParamError):
        log.retrieve(MONDAY, 0)


async def test_a_query_in_another_language_or_with_a_fault_is_refused(log: Log) -> None:
    with pytest.raises(InvalidGrammarError):
        log.query("", "SQL")
    with pytest.raises(InvalidConstraintError):
        await log.match("$.id >")


async def test_attributes_of_many_records_are_noted_at_once(log: Log) -> None:
    log.write_records([1, 2, 3])
    assert await log.set_records_attribute("$.info > 1", {"seen": True}) == 2
    assert await log.match("$.attr_list(seen)") == 2
    assert log.current_size == sum(
        OVERHEAD_BYTES + len(packed(each)) for each in (1, 2, 3)
    ) + 2 * len(packed({"seen": True}))


@pytest.mark.parametrize(
    ("constraint", "found"),
    [
        ("$.time >= {2}", range(2, 1000)),
        ("$.time > {2} and $.time <= {700}", range(3, 701)),
        ("$.time < {300} and $.id > 200", range(200, 300)),
        ("{10} == $.time", range(10, 11)),
        ("$.time > {998} or $.id == 1", [0, 999]),
        ("$.time > {998} and $.info == 7", []),
    ],
)
async def test_bounds_of_time_and_identifier_find_what_they_specify(
    log: Log, clock: Clock, constraint: str, found: Sequence[int]
) -> None:
    for number in range(1000):
        clock.now = MONDAY + number
        log.write_records([number])
    for number in (2, 10, 300, 700, 998):
        constraint = constraint.replace(f"{{{number}}}", str(MONDAY + number))
    assert [each.info for each in await log.query(constraint).get(0, 10_000)] == list(found)


async def test_where_the_clock_was_put_back_a_window_has_its_records_all_the_same(
    log: Log, clock: Clock
) -> None:
    for offset in (5, 6, 2, 3, 7):
        clock.now = MONDAY + offset
        log.write_records([offset])
    window = f"$.time >= {MONDAY + 3} and $.time <= {MONDAY + 6}"
    assert [each.info for each in await log.query(window).get(0, 10)] == [3, 5, 6]
    back = log.retrieve(MONDAY + 6, -10)
    assert [each.info for each in await back.get(0, 10)] == [6, 5, 3, 2]


async def test_others_have_their_turn_while_many_records_are_found_noted_and_deleted(
    log: Log,
) -> None:
    log.write_records(list(range(20_000)))
    turns = 0

    async def others() -> None:
        nonlocal turns
        while True:
            await asyncio.sleep(0)
            turns += 1

    for work in (
        log.match("$.info >= 0"),
        log.set_records_attribute("$.id > 0", {"seen": True}),
        log.delete_records("$.time > 0"),
    ):
        before, beside = turns, asyncio.create_task(others())
        assert await work == 20_000
        beside.cancel()
        assert turns > before + 3
    assert log.n_records == 0


async def test_a_query_over_all_records_lets_a_writer_write(log: Log) -> None:
    log.write_records(list(range(5_000)))
    written = 0

    async def write() -> None:
        nonlocal written
        while True:
            log.write_records([-1])
            written += 1
            await asyncio.sleep(0)

    writing = asyncio.create_task(write())
    assert await log.match("$.info >= 0") == 5_000
    writing.cancel()
    assert written > 1
