"""Mapping filters: priority and lifetime of events in one consumer's queue."""

import pytest
from eventservices.cns import Event, Value, structured_event
from eventservices.cns.etcl import MappingFilter
from eventservices.cns.mapping import Mappings
from eventservices.cns.qos.holder import inherited
from eventservices.cns.qos.properties import Level
from eventservices.cns.qos.terms import UNMAPPED, Mapped, Terms
from eventservices.cns.queueing import EventQueue, Item

EVENT = structured_event(("d", "t"), filterable_data={"n": 6})


class Gives:
    """Is a mapping filter that always gives the same."""

    def __init__(self, value: Value, *, matched: bool) -> None:
        self.result = matched, value

    def match(self, _event: Event) -> tuple[bool, Value]:
        return self.result


@pytest.mark.parametrize(
    ("matched", "default_first", "expected"),
    [
        (True, False, Mapped(priority=7)),
        (False, False, Mapped(priority_default=7)),
        (False, True, Mapped(priority=7)),
    ],
)
def test_a_result_counts_first_and_a_default_as_the_switch_says(
    expected: Mapped, *, matched: bool, default_first: bool
) -> None:
    mappings = Mappings(default_first=default_first)

    assert mappings.apply(EVENT, Gives(7, matched=matched), None) == expected


def test_without_filters_nothing_is_mapped() -> None:
    assert Mappings(default_first=False).apply(EVENT, None, None) is UNMAPPED


def test_a_lifetime_is_in_units_of_100_ns() -> None:
    found = Mappings(default_first=False).apply(EVENT, None, Gives(5, matched=True))

    assert found == Mapped(timeout=5)


@pytest.mark.parametrize("value", ["7", 40_000, None, 1.5])
def test_a_result_that_is_no_priority_is_counted_and_does_nothing(value: Value) -> None:
    mappings = Mappings(default_first=False)

    assert mappings.apply(EVENT, Gives(value, matched=True), None) == Mapped()
    assert mappings.failed == 1


def test_a_filter_that_raises_is_counted_and_does_nothing() -> None:
    class Broken:
        def match(self, _event: Event) -> tuple[bool, Value]:
            raise RuntimeError("on purpose")

    mappings = Mappings(default_first=False)

    assert mappings.apply(EVENT, Broken(), None) == Mapped()
    assert mappings.failed == 1


ERLANG = (0, 0, 0, 2, 2, 0, -1, -1, 0)


@pytest.mark.parametrize(
    ("default_first", "expected"),
    [(True, "612345789"), (False, "645123978")],
)
def test_one_mapped_event_goes_ahead_and_the_others_as_the_switch_says(
    expected: str, *, default_first: bool
) -> None:
    mapping = MappingFilter(0)
    mapping.add_mapping_constraints([(((), "$n == 6"), 10)])
    mappings = Mappings(default_first=default_first)
    terms = Terms.of(inherited(Level.PROXY, {}))
    queue = EventQueue(terms.order)
    for number, own in enumerate(ERLANG, 1):
        header: dict[str, Value] = {"Priority": own} if own else {}
        event = structured_event(("d", "t"), variable_header=header, filterable_data={"n": number})
        found = terms.appraise(event, 0, mappings.apply(event, mapping, None))
        queue.put(Item(event, priority=found.priority))

    order = queue.head(9, 0)

    assert "".join(str(item.event.filterable_data["n"]) for item in order) == expected  # type: ignore[union-attr] # all are structured
