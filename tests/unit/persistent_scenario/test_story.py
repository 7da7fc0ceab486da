"""What is published, and what is asked for."""

from collections import defaultdict
from pathlib import Path

import pytest
from eventservices.cns import structured_event
from eventservices.cns.etcl import parse
from fes.federation.load import load
from fes.filter import Filter
from fes.model import Event
from persistent_scenario.reading import constraint_of
from persistent_scenario.story import (
    READERS,
    VALUES,
    WITNESS,
    Asked,
    clients,
    deliveries,
    expected_by,
    is_asked_for,
    stream,
)

SCENARIO = Path(__file__).parents[3] / "scenarios/persistent"


@pytest.mark.parametrize("name", ["pair.yaml", "chain.yaml"])
def test_the_file_asks_for_what_the_judge_takes_to_be_asked_for(name: str) -> None:
    requests = load(SCENARIO / name, {}).requests
    filters = [Filter.of(str(request.filter)) for request in requests]

    for value in range(VALUES):
        event = Event.of("Reading", value=value)
        assert [each.matches(event) for each in filters] == [each.wants(value) for each in READERS]


@pytest.mark.parametrize("reader", READERS, ids=lambda reader: reader.name)
def test_a_reader_asks_its_own_event_service_for_the_same(reader: Asked) -> None:
    constraint = parse(constraint_of(reader))
    for value in range(VALUES):
        event = structured_event(("", "Reading"), filterable_data={"value": value})
        assert constraint.matches(event) == reader.wants(value)


def test_some_readings_are_asked_for_by_both_some_by_one_some_by_nobody() -> None:
    asked = [sum(each.wants(value) for each in READERS) for value in range(VALUES)]

    assert {0, 1, 2} == set(asked)
    assert [expected_by(WITNESS, value) for value in range(VALUES)] == [n > 0 for n in asked]


def test_a_stream_ends_when_enough_of_it_is_asked_for() -> None:
    readings = list(stream(1000, 8, 1))

    assert sum(is_asked_for(each.value) for each in readings) == 1000
    assert is_asked_for(readings[-1].value)
    assert len(readings) > 1000
    assert readings == list(stream(1000, 8, 1)) != list(stream(1000, 8, 2))
    assert deliveries(readings) == sum(
        expected_by(name, each.value) for each in readings for name in clients()
    )


def test_each_station_counts_its_readings_from_one() -> None:
    numbers = defaultdict(list)
    for each in stream(500, 4, 3):
        numbers[each.origin].append(each.number)

    assert sorted(numbers) == [f"station-{n}" for n in range(1, 5)]
    assert all(each == list(range(1, len(each) + 1)) for each in numbers.values())
