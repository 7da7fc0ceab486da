"""Rows of filter, event and result; None is unknown, and only True delivers."""

import math
from typing import Any

import pytest
from fes.filter import Filter, compile_filter, parse
from fes.model import Event

BUS: dict[str, Any] = {
    "line": "46A",
    "road": "O'Connell St",
    "load": 123,
    "zone": 2,
    "fill": 0.5,
    "open": True,
    "late": False,
    "note": "_first",
    "raw": b"\x00",
    "nan": math.nan,
    "big": 2**53 + 1,
    "empty": "",
}

ROWS: list[tuple[str, bool | None]] = [
    # subject, parameters, attributes
    ("subject = 'Bus'", True),
    ("Bus", True),
    ("Tram", False),
    ("subject = 'bus'", False),
    ("subject STARTS WITH 'B'", True),
    ("@Priority = 3", True),
    ("Priority = 3", None),
    ("LOAD = 123", None),
    # three values
    ("speed > 100", None),
    ("NOT (speed > 100)", None),
    ("speed <> 100", None),
    ("TRUE OR speed > 1", True),
    ("FALSE AND speed > 1", False),
    ("TRUE AND speed > 1", None),
    ("FALSE OR speed > 1", None),
    ("NOT (late AND speed)", True),
    ("open OR speed", True),
    ("NOT speed", None),
    ("(open OR late) AND late", False),
    ("speed IS NULL", True),
    ("speed IS NOT NULL", False),
    ("load IS NULL", False),
    ("EXISTS raw", True),
    ("NOT EXISTS speed", True),
    ("EXISTS @Priority AND NOT EXISTS @Timeout", True),
    # kinds do not mix
    ("load = '123'", None),
    ("line <> 46", None),
    ("open = 1", None),
    ("open = TRUE AND late <> TRUE", True),
    ("open > late", None),
    ("raw = raw", None),
    ("load = zone", False),
    ("load OR FALSE", None),
    # numbers
    ("load = 123.0", True),
    ("load >= 123 AND load <= 123", True),
    ("30 < load", True),
    ("big = 9007199254740992.0", False),
    ("big > 9007199254740992.0", True),
    ("nan = nan", False),
    ("nan <> nan", True),
    ("nan < 5", None),
    ("NOT (nan < 5)", None),
    ("nan IN (1, 2)", False),
    ("1. < 1.1 AND .1 < .5 AND -.5E1 < .1E1 AND 4E-10 < 5E-10", True),
    # strings
    ("road = 'O''Connell St'", True),
    ("line < '5'", True),
    ("line > '46'", True),
    ("line STARTS WITH '46'", True),
    ("line STARTS WITH 'A'", False),
    ("line ENDS WITH 'A' AND line CONTAINS '6'", True),
    ("line NOT CONTAINS '6'", False),
    ("load STARTS WITH '1'", None),
    ("load NOT STARTS WITH '1'", None),
    ("empty STARTS WITH ''", True),
    # BETWEEN, IN
    ("load BETWEEN 100 AND 150", True),
    ("load BETWEEN 10 AND 122", False),
    ("load NOT BETWEEN 10 AND 122", True),
    ("speed NOT BETWEEN 10 AND 122", None),
    ("load BETWEEN 200 AND speed", False),
    ("line IN ('46A', '7')", True),
    ("line NOT IN ('8', '7')", True),
    ("speed NOT IN ('8', '7')", None),
    ("zone IN (2.0)", True),
    ("zone IN ('2')", None),
    ("zone IN ('2', 2)", True),
    ("zone IN ('2', 3)", None),
    ("open IN (1)", None),
    ("open IN (TRUE)", True),
    # IS TRUE, IS FALSE: never unknown
    ("(load > 100) IS TRUE AND (load > 200) IS FALSE", True),
    ("(speed > 100) IS TRUE", False),
    ("(speed > 100) IS NOT TRUE AND (speed > 100) IS NOT FALSE", True),
    ("open IS TRUE AND late IS NOT TRUE AND late IS FALSE", True),
    ("(line > 5) IS NOT TRUE", True),
    # LIKE
    ("line LIKE '4%'", True),
    ("line LIKE '4_A'", True),
    ("line LIKE '4_'", False),
    ("line LIKE '46'", False),
    ("line LIKE '4.A'", False),
    ("line LIKE '46a'", False),
    ("empty LIKE '%'", True),
    ("empty LIKE '_'", False),
    ("note LIKE '!_%' ESCAPE '!'", True),
    ("line LIKE '!_%' ESCAPE '!'", False),
    ("note LIKE '%\\_first' ESCAPE '\\'", True),
    ("line NOT LIKE '%7%'", True),
    ("NOT line LIKE '%7%'", True),
    ("speed NOT LIKE '%7%'", None),
    ("load LIKE '1%'", None),
    # arithmetic
    ("load + 2 = 125 AND 125 = (load + 2)", True),
    ("load - zone = 121 AND load * zone = 246", True),
    ("load / zone = 61", True),
    ("load / 2.0 = 61.5", True),
    ("-load / zone = -61", True),
    ("load / 0 = 1", None),
    ("fill / 0.0 > 1", None),
    ("-speed = 0", None),
    ("speed * 2 = 0", None),
    ("line + 1 = 47", None),
    ("open + 1 = 2", None),
    ("load * 9223372036854775807 > 0", None),
    ("load - 3 * 41 = 0", True),
    ("- -load = 123", True),
    # precedence
    ("load = 123 OR zone = 9 AND zone = 8", True),
    ("NOT load = 1 AND zone = 2", True),
    ("NOT (load = 1 OR zone = 2)", False),
]


@pytest.mark.parametrize(("text", "result"), ROWS)
def test_a_filter_is_true_false_or_unknown(text: str, *, result: bool | None) -> None:
    event = Event.of("Bus", BUS, {"Priority": 3})
    assert compile_filter(parse(text))(event) is result
    assert Filter.of(text).matches(event) is (result is True)


@pytest.mark.parametrize(
    ("one", "other"),
    [("rate > 30 AND Speed = 1", "(Speed=1)and rate>30"), ("Speed", "subject = 'Speed'")],
)
def test_filters_that_differ_only_in_writing_are_equal(one: str, other: str) -> None:
    assert Filter.of(one) == Filter.of(other)
    assert hash(Filter.of(one)) == hash(Filter.of(other))
    assert Filter.of(one).text == one


def test_a_hostile_pattern_costs_no_backtracking() -> None:
    matching = compile_filter(parse("a LIKE '" + "%a" * 200 + "_b'"))
    assert matching(Event.of("X", a="a" * 20_000)) is False
