"""Why a filter is unknown of an event."""

import pytest
from fes.filter import parse
from fes.filter.language.outline import outline
from fes.filter.why import why_unknown
from fes.model import Event

BUS = Event.of("Bus", line="46A", load=3, open=True, raw=b"x", nan=float("nan"))


@pytest.mark.parametrize(
    ("text", "reasons"),
    [
        ("speed > 3", ("speed > 3 is unknown: the event has no parameter speed",)),
        ("@P = 3", ("@P = 3 is unknown: the event has no attribute P",)),
        ("line > 3", ("line > 3 is unknown: line is the string '46A'",)),
        ("raw = 'x'", ("raw = 'x' is unknown: raw is octets",)),
        ("nan < 3", ("nan < 3 is unknown: nan is NaN, which has no order",)),
        (
            "load = line",
            ("load = line is unknown: load is the number 3, line is the string '46A'",),
        ),
        ("a + b > 3", ("a + b > 3 is unknown: the event has no parameter a and no parameter b",)),
        ("NOT (speed > 3) AND open", ("speed > 3 is unknown: the event has no parameter speed",)),
        ("speed > 3 OR open", ()),
        ("speed > 3 AND load = 4", ()),
        ("(speed > 3) IS TRUE", ()),
    ],
)
def test_each_test_that_makes_it_unknown_is_told(text: str, reasons: tuple[str, ...]) -> None:
    assert why_unknown(parse(text), BUS) == reasons


def test_an_event_without_position_is_told() -> None:
    (reason,) = why_unknown(parse("WITHIN(1, 2, 3)"), BUS)
    assert reason.endswith("no position on Earth in lat and lon, or latitude and longitude")


def test_a_tree_is_drawn_a_node_a_line() -> None:
    assert outline(parse("a = 1 AND NOT (b = 2 OR flag IS TRUE)")) == (
        "AND",
        "  a = 1",
        "  NOT",
        "    OR",
        "      b = 2",
        "      IS TRUE",
        "        flag = TRUE",
    )
