"""JMS message selectors: rows of selector, message and result; None is unknown."""

import json
from pathlib import Path
from typing import Any

import pytest
from fes.errors import FilterError
from fes.filter import canonical, compile_filter, parse, parse_selector
from fes.model import Event

SHARED = Path(__file__).parents[4] / "shared/data/payloads/handmade/jms_selectors.jsonl"

TRAIN: dict[str, Any] = {
    "subject": "a heading",
    "line": "S7",
    "cars": 8,
    "speed": 80.0,
    "late": False,
    "express": True,
    "platform": "3",
    "note": "_closed",
    "big": 2**63 - 1,
}

ROWS: list[tuple[str, bool | None]] = [
    # a word alone is a boolean property, and `subject` a property as any other
    ("express", True),
    ("late", False),
    ("line", False),
    ("gone", None),
    ("subject = 'a heading'", True),
    ("TRUE", True),
    # unlike kinds are false, not unknown
    ("platform > 2", False),
    ("NOT (platform > 2)", True),
    ("platform = 3", False),
    ("platform <> 3", False),
    ("cars = '8'", False),
    ("NOT cars = '8'", True),
    ("late = 0", False),
    ("line LIKE 'S%'", True),
    ("cars LIKE '8'", False),
    ("cars NOT LIKE '8'", True),
    ("platform IN ('1', '3')", True),
    ("cars IN ('8')", False),
    ("cars NOT IN ('8')", True),
    ("line + 1 = 8", False),
    ("platform BETWEEN 1 AND 5", False),
    ("platform NOT BETWEEN 1 AND 5", True),
    # what is absent is unknown
    ("gone > 1", None),
    ("NOT (gone > 1)", None),
    ("gone <> platform", None),
    ("gone + cars > 1", None),
    ("gone LIKE '%'", None),
    ("gone NOT IN ('x')", None),
    ("gone IS NULL AND cars IS NOT NULL", True),
    ("gone = 1 OR express", True),
    ("gone = 1 AND late", False),
    ("NOT (gone = 1 AND late)", True),
    # numbers
    ("cars = 8.0 AND speed = 80", True),
    ("cars / 3 = 2", True),
    ("cars * 1.5 = 12", True),
    ("big > 9223372036854775806", True),
    ("-cars + 10 BETWEEN 2 AND 2", True),
    ("note LIKE '!_%' ESCAPE '!' AND line NOT LIKE '_'", True),
    ("cars = 8 OR late AND gone", True),
]


@pytest.mark.parametrize(("selector", "result"), ROWS)
def test_a_selector_is_true_false_or_unknown(selector: str, *, result: bool | None) -> None:
    tree = parse_selector(selector)
    message = Event.of("Train", TRAIN)
    assert compile_filter(tree)(message) is result
    assert compile_filter(parse(canonical(tree)))(message) is result, "the filter says the same"


@pytest.mark.parametrize("blank", ["", " ", "\n\t"])
def test_a_blank_selector_selects_everything(blank: str) -> None:
    assert compile_filter(parse_selector(blank))(Event.of("Train")) is True


@pytest.mark.parametrize(
    ("selector", "column"),
    [
        ("line > 'S6'", 8),
        ("'S6' < line", 1),
        ("line BETWEEN 'A' AND 'Z'", 14),
        ("cars + 1", 1),
        ("TRUE AND cars + 1", 10),
        ("= 'S7'", 1),
        ("late > TRUE", 6),
    ],
)
def test_an_invalid_selector_is_refused_with_its_place(selector: str, column: int) -> None:
    with pytest.raises(FilterError) as caught:
        parse_selector(selector)
    assert caught.value.place is not None
    assert caught.value.place.column == column


def _shared_rows() -> list[dict[str, Any]]:
    if not SHARED.exists():
        return []
    return [json.loads(line) for line in SHARED.read_text("utf-8").splitlines()]


@pytest.mark.skipif(not SHARED.exists(), reason="the shared payloads are not here")
@pytest.mark.parametrize("row", _shared_rows(), ids=lambda row: row["selector"])
def test_a_shared_selector_gives_its_result(row: dict[str, Any]) -> None:
    try:
        result: object = compile_filter(parse_selector(row["selector"]))(
            Event.of("Any", row["attributes"])
        )
    except FilterError:
        result = "ERROR"
    assert result is (True if row["result"] == "ALL" else row["result"]) or result == row["result"]
