"""Filter terms go through a mapping to the native side, or not at all."""

from pathlib import Path
from typing import Any

import pytest
from fes.filter.translation.vocabulary import Term
from fes.mapping import Mapping, NameRule, load_rules


def mapping_of(*plain: dict[str, Any], **more: Any) -> Mapping:
    return Mapping(load_rules(plain, Path()), **more)


def renamed(**field: Any) -> Mapping:
    rule = {"subject": "S", "native": {"subject": "n"}, "parameters": {"rate": field}}
    return mapping_of(rule, automatic=False)


RATE = Term("parameter", "rate", ">", 70)


@pytest.mark.parametrize(
    "term",
    [
        RATE,
        Term("subject", "", "=", "Speed"),
        Term("subject", "", "LIKE", ("S%", "")),
        Term("attribute", "Priority", "IN", (1, 2)),
        Term("parameter", "x", "NOT EXISTS"),
    ],
)
def test_without_rules_every_term_stays(term: Term) -> None:
    assert mapping_of().native_terms(term) == term


def test_names_that_go_through_the_name_rule_do_so_in_terms() -> None:
    mapping = mapping_of(name_rule=NameRule(illegal="-", escape="_"))
    term = Term("parameter", "max-speed", ">", 3)
    assert mapping.native_terms(term) == Term("parameter", "max_2D_speed", ">", 3)
    assert mapping.native_terms(Term("subject", "", "=", "a-b")) == Term("subject", "", "=", "a-b")


def test_a_rename_is_inverted_for_every_operator() -> None:
    mapping = renamed(**{"from": "v"})
    for op, value in ((">", 70), ("LIKE", ("a%", "")), ("NOT EXISTS", None), ("IN", (1, "a"))):
        term = Term("parameter", "rate", op, value)
        assert mapping.native_terms(term) == Term("parameter", "v", op, value)


@pytest.mark.parametrize(
    ("op", "value", "expected"),
    [
        (">", 70, (">", 140.0)),
        (">=", 70, (">=", 140.0)),
        ("<", 70.5, ("<", 141.0)),
        ("=", 70, ("=", 140.0)),
        ("<>", 70, ("<>", 140.0)),
        ("IN", (1, 2), ("IN", (2.0, 4.0))),
    ],
)
def test_a_scale_is_inverted(op: str, value: Any, expected: tuple[str, Any]) -> None:
    found = renamed(**{"from": "v", "scale": 0.5}).native_terms(
        Term("parameter", "rate", op, value)
    )
    assert found == Term("parameter", "v", *expected)


def test_a_negative_scale_turns_the_comparison_round() -> None:
    mapping = renamed(**{"from": "v", "scale": -1, "offset": 10})
    assert mapping.native_terms(RATE) == Term("parameter", "v", "<", -60.0)


@pytest.mark.parametrize(
    ("field", "term"),
    [
        ({"from": "v", "scale": 2}, Term("parameter", "rate", "LIKE", ("7%", ""))),
        ({"from": "v", "scale": 2}, Term("parameter", "rate", ">", "70")),
        ({"from": "v", "scale": 2}, Term("parameter", "rate", "IN", (1, "a"))),
        ({"from": "v", "type": "double"}, RATE),
        ({"from": "v", "default": 80}, RATE),
        ({"constant": 80}, RATE),
        ({"from": "v"}, Term("parameter", "v", ">", 1)),
    ],
)
def test_what_has_no_inverse_is_told(field: dict[str, Any], term: Term) -> None:
    assert renamed(**field).native_terms(term) is None


def test_a_conversion_between_numbers_is_inverted_to_a_superset() -> None:
    mapping = renamed(**{"from": "v", "type": "long", "native_type": "double"})
    assert mapping.native_terms(RATE) == Term("parameter", "v", ">", 70.0)
    found = mapping.native_terms(Term("parameter", "rate", ">=", 70))
    assert found is not None
    assert found.op == ">"
    assert 69 < found.value < 69.5


def test_presence_survives_any_conversion() -> None:
    mapping = renamed(**{"from": "v", "type": "double"})
    term = Term("parameter", "rate", "EXISTS")
    assert mapping.native_terms(term) == Term("parameter", "v", "EXISTS")


def test_a_term_on_a_payload_has_no_inverse() -> None:
    rule = {
        "subject": "Speed",
        "native": {"can_id": 1},
        "parameters": {"rate": {"bytes": [0, 0], "type": "long"}},
    }
    mapping = mapping_of(rule, automatic=False)
    assert mapping.native_terms(RATE) is None
    assert mapping.native_terms(Term("subject", "", "=", "Speed")) is None


def test_a_subject_that_one_native_subject_makes_is_inverted() -> None:
    rule = {"subject": "Speed", "native": {"subject": "V"}}
    term = Term("subject", "", "=", "Speed")
    assert mapping_of(rule, automatic=False).native_terms(term) == Term("subject", "", "=", "V")
    assert mapping_of(rule).native_terms(term) is None  # a native Speed would pass as it is
    shadow = {"subject": "Other", "native": {"subject": "Speed"}}
    assert mapping_of(rule, shadow).native_terms(term) == Term("subject", "", "=", "V")


def test_a_known_subject_sets_other_rules_aside() -> None:
    mapping = mapping_of({"subject": "Other", "parameters": {"rate": {"from": "v"}}})
    assert mapping.native_terms(RATE) is None
    assert mapping.native_terms(RATE, "Speed") == RATE
    assert mapping.native_terms(RATE, "Other") == Term("parameter", "v", ">", 70)
