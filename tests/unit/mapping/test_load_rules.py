"""Rules are read strictly, and errors name the path of the value."""

from pathlib import Path
from typing import Any

import pytest
from fes.errors import FederationError
from fes.mapping import Rule, load_rules
from fes.mapping.rules.model import to_plain
from fes.mapping.rules.schema import rules_schema

RATE = {"bytes": [7, 7], "type": "double"}


def rule(**changes: Any) -> dict[str, Any]:
    return {"subject": "Speed", "native": {"can_id": 12345, "extended": True}, **changes}


def field(**changes: Any) -> dict[str, Any]:
    return rule(parameters={"rate": {**RATE, **changes}})


@pytest.mark.parametrize(
    ("plain", "key", "reason"),
    [
        ({}, "m[0]", "missing required field `subject`"),
        (rule(colour=1), "m[0]", "unknown field `colour`"),
        (rule(subject=""), "m[0].subject", "length >= 1"),
        (rule(subject="FES_ControlEvent"), "m[0]", "reserved"),
        (rule(native={"subject": "FES_ControlEvent"}), "m[0]", "reserved"),
        (rule(direction="sideways"), "m[0].direction", "sideways"),
        (rule(native={}), "m[0].native", "either can_id or subject"),
        (rule(native={"can_id": 12345}), "m[0].native", "needs extended: true"),
        (rule(native={"can_id": 2**29, "extended": True}), "m[0].native.can_id", "536870911"),
        (rule(native={"can_id": "1"}), "m[0].native.can_id", "Expected `int | null`"),
        (rule(native={"subject": "a", "extended": True}), "m[0].native", "belongs to can_id"),
        (rule(plugin="x", parameters={"rate": RATE}), "m[0]", "plugin maps the whole event"),
        (rule(parameters={"rate": {"signal": "S"}}), "m[0]", "signal needs dbc"),
        (field(colour=1), "m[0].parameters.rate", "unknown field `colour`"),
        (field(bytes=["a", 1]), "m[0].parameters.rate.bytes[0]", "Expected `int`"),
        (field(bytes=[1]), "m[0].parameters.rate.bytes", "length 2"),
        (field(bytes=[7, 6]), "m[0].parameters.rate", "before first byte"),
        (field(bytes=[0, 8]), "m[0].parameters.rate", "9 bytes exceeds 8"),
        (field(bytes=[0, None]), "m[0].parameters.rate", "needs a last byte"),
        (field(type=None), "m[0].parameters.rate", "bytes needs a type"),
        (field(type="speed"), "m[0].parameters.rate.type", "speed"),
        (field(bits=[0, 8]), "m[0].parameters.rate", "found bytes and bits"),
        (field(constant=1), "m[0].parameters.rate", "found bytes and constant"),
        (field(scale=0), "m[0].parameters.rate", "scale must be"),
        (field(offset=float("inf")), "m[0].parameters.rate", "offset finite"),
        (field(type="string", scale=2), "m[0].parameters.rate", "do not apply to type string"),
        (field(float=True), "m[0].parameters.rate", "4 or 8 bytes"),
        (rule(attributes={"a b": {"float": True}}), "m[0].attributes.a b", "belongs to bytes"),
    ],
)
def test_what_is_wrong_with_a_rule_is_told_with_its_path(plain: Any, key: str, reason: str) -> None:
    with pytest.raises(FederationError) as caught:
        load_rules([plain], Path(), "m")
    assert caught.value.key == key
    assert reason in caught.value.reason


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"bytes": [0, 7]}, "64 bits lose digits as a double; use longlong"),
        ({"bytes": [0, 6], "scale": 0.1}, "with this scale and offset lose digits"),
        ({"offset": 1e30}, "with this scale and offset lose digits"),
        ({"bytes": [0, 3], "type": "long"}, "do not fit type long"),
        ({"bytes": [0, 7], "type": "longlong"}, "do not fit type longlong"),
        ({"type": "long", "scale": 0.5}, "needs a whole scale"),
        ({"bytes": None, "bits": [0, 8], "type": "string"}, "needs bytes, not bits"),
        ({"default": "many"}, "'many' is not a number"),
    ],
)
def test_a_layout_in_which_values_would_lose_something_is_refused(
    changes: dict[str, Any], reason: str
) -> None:
    with pytest.raises(FederationError) as caught:
        load_rules([field(**changes)], Path(), "m")
    assert caught.value.key == "m[0]"
    assert caught.value.reason.startswith("rule 0 (Speed): parameter 'rate': ")
    assert reason in caught.value.reason


def test_errors_name_a_rule_by_its_index_and_name() -> None:
    plain = [rule(), rule(name="speed of the bus", parameters={"x": {**RATE, "offset": 1e30}})]
    with pytest.raises(FederationError, match=r"rule 1 \(speed of the bus\): parameter 'x'"):
        load_rules(plain, Path())


def test_fields_that_overlap_are_good_only_on_the_way_in() -> None:
    plain = rule(parameters={"rate": RATE, "rest": {"bytes": [5, None], "type": "octets"}})
    with pytest.raises(FederationError, match="'rate' and parameter 'rest' overlap"):
        load_rules([plain], Path())
    assert load_rules([{**plain, "direction": "in"}], Path())


def test_neighbouring_bit_fields_do_not_overlap() -> None:
    fields = {"low": {"bits": [0, 4]}, "high": {"bits": [4, 4]}, "big": {"bits": [15, 4]}}
    fields["big"]["endian"] = "big"  # type: ignore[assignment]  # plain values are of any type
    assert load_rules([rule(parameters=fields)], Path())


def test_two_fields_may_not_go_to_one_native_field() -> None:
    plain = {"subject": "Speed", "parameters": {"a": {"from": "x"}, "b": {"from": "x"}}}
    with pytest.raises(FederationError, match="both go to native parameter 'x'"):
        load_rules([plain], Path())
    assert load_rules([{**plain, "direction": "in"}], Path())


@pytest.mark.parametrize("plain", [None, {}, "rules", 3])
def test_what_is_no_list_of_rules_is_refused(plain: Any) -> None:
    with pytest.raises(FederationError, match="expected a list of rules"):
        load_rules(plain, Path())


def test_rules_go_back_to_the_plain_values_they_came_from() -> None:
    plain = [
        rule(parameters={"rate": RATE}),
        {"subject": "a", "attributes": {"P": {"constant": 1}}},
    ]
    rules = load_rules(plain, Path())
    assert load_rules(to_plain(rules), Path()) == rules


def test_the_schema_knows_every_key_of_the_file_and_no_other() -> None:
    schema = rules_schema()
    fields = schema["$defs"]["FieldRule"]
    assert {"from", "bytes", "bits", "type", "float", "round"} <= set(fields["properties"])
    assert fields["additionalProperties"] is False
    assert set(schema["$defs"]["Rule"]["properties"]) == set(Rule.__struct_encode_fields__)
