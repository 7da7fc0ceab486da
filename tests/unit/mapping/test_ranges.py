"""An event whose value is outside the range of its rule is left out, counted and told."""

import math
from pathlib import Path
from typing import Any

import pytest
from fes.errors import FederationError
from fes.filter.translation.vocabulary import Term
from fes.mapping import Mapping, Native, load_rules
from fes.mapping.rules.schema import rules_schema
from fes.model import Event, Field, Type

SPEED = {"min": 0, "max": 250}


def mapping(plausible: Any = SPEED, /, **rate: Any) -> Mapping:
    rule = {"subject": "Speed", "parameters": {"rate": {"range": plausible, **rate}}}
    return Mapping(load_rules([rule], Path()))


def native(rate: float) -> Native:
    return Native("Speed", (Field("rate", Type.DOUBLE, rate),))


@pytest.mark.parametrize("rate", [0.0, 250.0, -0.0, 30.5])
def test_what_is_within_passes_both_ways(rate: float) -> None:
    made = mapping()
    assert [event.parameter("rate") for event, _ in made.to_events(native(rate))] == [rate]
    assert len(made.to_native(Event.of("Speed", rate=rate))) == 1
    assert made.counters.implausible == 0


@pytest.mark.parametrize("rate", [-0.1, 250.1, math.nan, math.inf, -math.inf, 1e300])
def test_what_is_outside_is_left_out_and_told_with_its_value_both_ways(rate: float) -> None:
    made = mapping()
    (inward,) = made.events_of(native(rate)).left_out
    (outward,) = made.natives_of(Event.of("Speed", rate=rate)).left_out
    for told in (inward, outward):
        assert (told.subject, told.reason) == (
            "Speed",
            f"rule 0 (Speed): parameter 'rate': {rate!r} is outside 0..250",
        )
    assert (made.to_events(native(rate)), made.to_native(Event.of("Speed", rate=rate))) == ((), ())
    assert (made.counters.implausible, made.counters.refused) == (4, 0)
    assert made.counters.by_kind["implausible", "Speed"] == 4


def test_the_range_is_of_the_value_of_the_federation() -> None:
    made = mapping(SPEED, scale=1.609344)
    assert made.to_events(native(150.0))
    assert not made.to_events(native(160.0))


def test_a_range_may_have_one_end() -> None:
    assert mapping({"min": 0}).to_events(native(1e300))
    assert not mapping({"max": 1}).to_events(native(2.0))


def test_an_event_without_the_value_and_another_rules_event_pass() -> None:
    made = mapping()
    assert made.to_events(Native("Speed"))
    rules = [
        {"subject": "Slow", "native": {"subject": "raw"}, "parameters": {"x": {"range": SPEED}}},
        {"subject": "Any", "native": {"subject": "raw"}},
    ]
    both = Mapping(load_rules(rules, Path())).events_of(
        Native("raw", (Field("x", Type.LONG, 300),))
    )
    assert [part.event.subject for part in both.parts] == ["Any"]
    assert [gone.subject for gone in both.left_out] == ["Slow"]


def test_what_is_no_number_is_outside_too() -> None:
    assert not mapping().to_events(Native("Speed", (Field("rate", Type.STRING, "fast"),)))


def test_an_octet_and_an_attribute_may_have_a_range() -> None:
    rule = {
        "native": {"can_id": 1},
        "subject": "Speed",
        "parameters": {"rate": {"bytes": [0, 0], "type": "long", "range": {"max": 200}}},
        "attributes": {"Priority": {"bytes": [1, 1], "type": "long", "range": {"max": 3}}},
    }
    made = Mapping(load_rules([rule], Path()))
    frames = [bytes((200, 3)), bytes((201, 3)), bytes((200, 4))]
    found = [len(made.to_events(Native(None, octets=frame, can_id=1))) for frame in frames]
    assert found == [1, 0, 0]


def test_an_announcement_is_made_whatever_its_values() -> None:
    assert mapping().natives_of(Event.of("Speed", rate=-1.0), ranges=False).parts
    assert mapping().events_of(native(-1.0), ranges=False).parts


@pytest.mark.parametrize(
    ("field", "reason"),
    [
        ({"range": {}}, "a range needs min, max or both"),
        ({"range": {"min": 2, "max": 1}}, "min 2 is above max 1"),
        ({"range": {"min": math.nan}}, "finite"),
        ({"range": {"max": math.inf}}, "finite"),
        ({"range": {"min": "low"}}, "rate.range.min"),
        ({"range": {"most": 3}}, "most"),
        ({"range": SPEED, "type": "string"}, "range does not apply to type string"),
        ({"range": SPEED, "constant": 300}, "constant 300 is outside range 0..250"),
        ({"range": SPEED, "default": -1}, "default -1 is outside range 0..250"),
    ],
)
def test_a_range_that_makes_no_sense_is_refused(field: dict[str, Any], reason: str) -> None:
    with pytest.raises(FederationError) as caught:
        load_rules([{"subject": "Speed", "parameters": {"rate": field}}], Path(), "mappings.m")
    assert reason in str(caught.value)


def test_the_schema_knows_ranges() -> None:
    assert {"min", "max"} == set(rules_schema()["$defs"]["Range"]["properties"])


@pytest.mark.parametrize("relation", ["=", "<", "<=", ">", ">=", "<>"])
@pytest.mark.parametrize("value", [-1.0, 0.0, 250.0, 300.0])
def test_a_filter_that_travels_is_as_wide_as_without_a_range(relation: str, value: float) -> None:
    """It is a superset, by `test_term_laws`: a range narrows what comes in, no filter."""
    plain = Mapping(load_rules([{"subject": "Speed", "parameters": {"rate": {}}}], Path()))
    term = Term("parameter", "rate", relation, value)
    assert mapping().native_terms(term, "Speed") == plain.native_terms(term, "Speed") is not None
