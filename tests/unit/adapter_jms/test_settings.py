"""What the file may contain of a JMS event service, and what filters become there."""

from typing import Any

import pytest
from adapter_jms.mapping import native_form
from adapter_jms.settings import Settings
from fes.adapter.settings import read_settings
from fes.errors import FederationError
from fes.filter import Filter
from fes.mapping import Mapping

ROUTES = [
    {"topic": "sensors.{room}", "event": "Reading"},
    {"queue": "orders", "event": "Order"},
]
SETTINGS = {"routes": ROUTES, "properties": {"rate": "double", "plate": "string", "big": "long"}}


@pytest.mark.parametrize(
    ("settings", "reason"),
    [
        ({"routes": [{"event": "A"}]}, "either topic or queue"),
        ({"routes": [{"topic": "a", "queue": "a", "event": "A"}]}, "either topic or queue"),
        ({"routes": [{"topic": "a.>", "event": "A"}]}, "neither a text nor one"),
        ({"routes": [{"queue": "a,b", "event": "A"}]}, "neither a text nor one"),
        ({"properties": {"a b": "int"}}, "'a b' is not a name"),
        ({"properties": {"type": "int"}}, "'type' is not a name"),
        ({"properties": {"Like": "int"}}, "'Like' is not a name"),
        ({"properties": {"FES_x": "int"}}, "'FES_x' is not a name"),
        ({"properties": {"a": "decimal"}}, "decimal"),
        ({"properties": {f"p{n}": "int" for n in range(65)}}, "more than 64"),
        ({"payload": "cloudevents-binary"}, "no form in JMS"),
        ({"payload": "text", "messages": "map"}, "map messages have no payload"),
        ({"destinations": "table"}, "table"),
        ({"durable": True}, "durable"),
    ],
)
def test_a_setting_that_is_not_good_is_refused(settings: dict[str, Any], reason: str) -> None:
    with pytest.raises(FederationError, match=reason):
        read_settings("plant", settings, Settings)


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("", ["/topic/>: TRUE", "/queue/orders: TRUE"]),
        ("subject = 'Order' AND rate > 46", ["/queue/orders: rate > 46.0"]),
        (
            "subject = 'Reading' AND room = 'a b' AND rate <= 46",
            ["/topic/sensors.a%20b: rate <= 46.0"],
        ),
        (
            "subject = 'x' AND rate > 1 OR subject = 'y' AND plate LIKE 'D_%'",
            ["/topic/x: rate > 1.0", "/topic/y: plate LIKE 'D_%'"],
        ),
        ("subject = 'x' AND plate STARTS WITH 'a_'", ["/topic/x: plate LIKE 'a!_%' ESCAPE '!'"]),
        ("subject = 'x' AND plate = 'O''C'", ["/topic/x: plate = 'O''C'"]),
        ("subject = 'x' AND @Priority > 0", ["/topic/x: JMSPriority >= 4"]),
        ("subject = 'x' AND @Reliability = 1", ["/topic/x: JMSDeliveryMode = 'PERSISTENT'"]),
        ("subject = 'x' AND @JMSType = 't'", ["/topic/x: JMSType = 't'"]),
        ("subject = 'x' AND @region = 'w'", ["/topic/x: region = 'w'"]),
        ("subject = 'x' AND big > 9007199254740993", ["/topic/x: big > 9007199254740993"]),
        ("subject = 'x' AND rate = 0", ["/topic/x: (rate = 0.0 OR rate = -0.0)"]),
        ("subject = 'x' AND rate > 5 AND rate < 4", []),
    ],
)
def test_filters_become_destinations_and_selectors(text: str, lines: list[str]) -> None:
    form = native_form(Filter.of(text), Mapping(()), SETTINGS)
    assert (sorted(form.lines), form.widened) == (sorted(lines), ())


@pytest.mark.parametrize(
    ("text", "line", "widened"),
    [
        ("subject = 'x' AND other > 3", "/topic/x: TRUE", "other > 3 is not applied"),
        ("subject = 'x' AND rate * 2 > 3", "/topic/x: rate IS NOT NULL", "rate * 2 > 3 is widened"),
        ("subject = 'x' AND @region <> 'w'", "/topic/x: region IS NOT NULL", "is widened"),
        ("subject = 'x' AND (rate > 3 OR other = 1)", "/topic/x: TRUE", "other = 1 is not applied"),
    ],
)
def test_what_no_selector_tests_is_widened_and_reported(text: str, line: str, widened: str) -> None:
    form = native_form(Filter.of(text), Mapping(()), SETTINGS)
    assert form.lines == (line,)
    assert len(form.widened) == 1
    assert widened in form.widened[0]


def test_a_destination_that_a_wildcard_covers_is_not_subscribed_to_as_well() -> None:
    text = "subject STARTS WITH 'sensors.' OR (subject = 'Reading' AND room = 'attic')"
    form = native_form(Filter.of(text), Mapping(()), SETTINGS)
    assert form.lines == ("/topic/sensors.>: TRUE",)
