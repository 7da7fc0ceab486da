"""Topics whose levels are parameters, and filters as subscriptions to them."""

from pathlib import Path
from typing import Any

import pytest
from fes.errors import MappingError
from fes.filter import parse
from fes.mapping import Mapping, load_rules
from fes.mapping.topics.levels import MQTT, NATS, TopicNames
from fes.mapping.topics.routes import TOPIC_BYTES, Routes, route_of
from fes.mapping.topics.sources import topics_of
from fes.model import Event, Field

NAMES = TopicNames(NATS)
ROUTES = Routes(
    [
        route_of("sensors.{room}.{quantity}", "Reading", NAMES),
        route_of("sensors.{room}", "Room", NAMES),
        route_of("alarm", "Alarm", NAMES),
        route_of("alarm.{room}", "Alarm", NAMES),
    ],
    NAMES,
)


def fields(**values: Any) -> tuple[Field, ...]:
    return Event.of("x", values).parameters


def test_levels_are_parameters_before_those_of_the_payload() -> None:
    taken = ROUTES.take("sensors.living%20room.a%2Eb")
    assert taken == ("Reading", fields(room="living room", quantity="a.b"), 0)


def test_parameters_are_levels_and_the_rest_is_left_for_the_payload() -> None:
    placed = ROUTES.place("Reading", fields(c=1.5, quantity=">", room="$SYS"))
    assert placed == ("sensors.$SYS.%3E", fields(c=1.5), 0)


def test_the_first_route_that_an_event_fits_is_taken() -> None:
    assert ROUTES.place("Alarm", fields(room="x")).topic == "alarm"
    assert ROUTES.take("alarm.x") == ("Alarm", fields(room="x"), 3)


def test_what_lacks_a_level_is_refused() -> None:
    for values in ({}, {"room": "x"}, {"room": 1, "quantity": "x"}):
        with pytest.raises(MappingError, match="needs the text parameters"):
            ROUTES.place("Reading", fields(**values))


def test_what_would_come_back_as_another_event_is_refused() -> None:
    with pytest.raises(MappingError, match="would come back as 'Reading'"):
        ROUTES.place("sensors.a.b", ())


@pytest.mark.parametrize("subject", ["$SYS.x", "$JS.API.STREAM.NAMES", "_INBOX.a", "_INBOX"])
def test_what_belongs_to_the_server_is_nobodys_event(subject: str) -> None:
    """D13."""
    assert ROUTES.take(subject) is None
    with pytest.raises(MappingError, match="belongs to the server"):
        ROUTES.place(subject, ())


def test_a_topic_that_is_called_like_a_routes_events_would_go_back_elsewhere() -> None:
    with pytest.raises(MappingError, match="follows no route"):
        ROUTES.take("Reading")


def test_a_topic_longer_than_the_server_reads_is_refused_before_it_is_sent() -> None:
    with pytest.raises(MappingError, match="exceeds the limit"):
        ROUTES.place("ü" * TOPIC_BYTES, ())


@pytest.mark.parametrize(
    "pattern", ["a..b", "a.*", "a.>", "a.{x}y", "a.{}", "a.{x}.{x}", "a b", "a.{x", ""]
)
def test_a_pattern_that_is_none_is_refused(pattern: str) -> None:
    with pytest.raises(ValueError, match=r"level|twice"):
        route_of(pattern, "Reading", NAMES)


def test_a_reserved_subject_has_no_route() -> None:
    with pytest.raises(ValueError, match="reserved"):
        route_of("a", "FES_ControlEvent", NAMES)


@pytest.mark.parametrize(
    ("filter_", "patterns", "widened"),
    [
        ("subject = 'Reading'", ("sensors.*.*",), 0),
        ("subject = 'Reading' AND room = 'a b'", ("sensors.a%20b.*",), 0),
        ("subject = 'Reading' AND room = 'a' AND room = 'b'", (), 0),
        (
            "subject = 'Reading' AND room IN ('a', 'b') AND quantity = '*'",
            ("sensors.a.%2A", "sensors.b.%2A"),
            0,
        ),
        ("subject = 'Reading' AND room = 'a' AND value > 30", ("sensors.a.*",), 1),
        ("subject = 'Reading' AND room STARTS WITH 'a'", ("sensors.*.*",), 1),
        ("subject = 'Alarm'", ("alarm", "alarm.*"), 0),
        ("subject = 'Reading' OR subject = 'x'", ("x", "sensors.*.*"), 0),
        ("subject = 'a b'", ("a%20b",), 0),
        ("subject = 'sensors.a.b'", (), 0),
        ("subject = '$SYS.a'", (), 0),
        ("subject LIKE 'a.%'", ("a.>",), 0),
        ("subject LIKE 'a%'", (">",), 0),
        ("room = 'a'", (">",), 1),
    ],
)
def test_a_filter_becomes_subscriptions(
    filter_: str, patterns: tuple[str, ...], widened: int
) -> None:
    found = topics_of(parse(filter_), Mapping(()), ROUTES)
    assert found.patterns == patterns
    assert len(found.widened) == widened


def test_mapping_rules_are_inverted() -> None:
    rules: list[dict[str, Any]] = [
        {
            "subject": "Temperature",
            "native": {"subject": "Reading"},
            "parameters": {"where": {"from": "room"}},
        }
    ]
    mapping = Mapping(load_rules(rules, Path()))
    found = topics_of(parse("subject = 'Temperature' AND where = 'hall'"), mapping, ROUTES)
    assert (found.patterns, found.widened) == (
        ("Temperature", "sensors.hall.*"),
        ("where = 'hall' is not applied: the service does not apply = to parameter where",),
    )


def test_a_topic_of_mqtt_may_have_dots_and_empty_levels() -> None:
    names = TopicNames(MQTT)
    routes = Routes([route_of("spBv1.0/{plant}/", "Device", names)], names)
    assert routes.take("spBv1.0/a.b/") == ("Device", fields(plant="a.b"), 0)
    assert routes.place("Device", fields(plant="a/b")).topic == "spBv1.0/a%2Fb/"
    assert routes.take("$SYS/broker") is None
