"""What a rule makes has an identity that follows from the rule, whatever list it stands in."""

from pathlib import Path
from typing import Any

import pytest
from fes.errors import FederationError
from fes.mapping import Mapping, Native, load_rules
from fes.mapping.rules.clashes import clashes
from fes.model import Event

A = {"native": {"subject": "raw"}, "subject": "A", "direction": "in"}
B = {"native": {"subject": "raw"}, "subject": "B", "direction": "in"}
FRAME = {
    "native": {"can_id": 12345, "extended": True},
    "subject": "Speed",
    "parameters": {"rate": {"bytes": [0, 0], "type": "double"}},
}


def mapping(*rules: dict[str, Any]) -> Mapping:
    return Mapping(load_rules(rules, Path()))


def inward(native: Native, *rules: dict[str, Any], origin: str = "o") -> dict[str, str]:
    parts = mapping(*rules).events_of(native).parts
    return {part.event.subject: part.origin(origin) for part in parts}


def outward(event: Event, *rules: dict[str, Any], origin: str = "o") -> dict[str | None, str]:
    parts = mapping(*rules).natives_of(event).parts
    return {part.native.subject: part.origin(origin) for part in parts}


def test_the_same_rule_in_another_list_makes_the_same_identity() -> None:
    both, alone = inward(Native("raw"), A, B), inward(Native("raw"), B)
    assert both["B"] == alone["B"] == inward(Native("raw"), B, A)["B"]
    assert both["A"] == inward(Native("raw"), A)["A"]
    assert both["A"] != both["B"]


def test_the_same_holds_on_the_way_out() -> None:
    fast, slow = ({"native": {"subject": name}, "subject": "Speed"} for name in ("Fast", "Slow"))
    both = outward(Event.of("Speed"), fast, slow)
    assert both["Slow"] == outward(Event.of("Speed"), slow)["Slow"]
    assert both["Fast"] != both["Slow"]


def test_a_rule_that_renames_nothing_keeps_the_identity() -> None:
    plain = {"subject": "Speed", "attributes": {"Proximity": {"constant": "x"}}}
    assert inward(Native("Speed"), plain) == {"Speed": "o"}
    assert outward(Event.of("Speed"), plain) == {"Speed": "o"}


def test_a_rule_may_say_that_its_event_is_the_native_one() -> None:
    frame = Native(None, (), (), bytes(8), 12345, extended=True)
    assert inward(frame, FRAME)["Speed"] != "o"
    assert inward(frame, {**FRAME, "identity": "native"}) == {"Speed": "o"}


@pytest.mark.parametrize("origin", ["o", "o#", "a~b", "#", "~", "o#1", "é"])
def test_the_way_out_undoes_the_way_in_and_back(origin: str) -> None:
    rule = {**A, "direction": "both"}
    (there,) = inward(Native("raw"), rule, origin=origin).values()
    assert outward(Event.of("A"), rule, origin=there) == {"raw": origin}
    (back,) = outward(Event.of("A"), rule, origin=origin).values()
    assert inward(Native("raw"), rule, origin=back) == {"A": origin}


def test_two_rules_for_the_two_directions_are_one_pair() -> None:
    (there,) = inward(Native("raw"), A).values()
    out = {**A, "direction": "out", "parameters": {"x": {"constant": 1}}}
    assert outward(Event.of("A"), out, origin=there) == {"raw": "o"}


def test_rules_that_would_give_two_events_one_identity_are_found() -> None:
    one, other = ({**A, "parameters": {"wheel": {"constant": name}}} for name in ("left", "right"))
    assert clashes(load_rules([one, other], Path())) == ((1, 0),)
    assert clashes(load_rules([one, {**other, "name": "right"}], Path())) == ()
    assert clashes(load_rules([one, dict(one)], Path())) == ()
    assert clashes(load_rules([A, {**A, "direction": "out", "rest": "drop"}], Path())) == ()


def test_two_rules_that_keep_identities_of_one_frame_are_found() -> None:
    kept = [{**FRAME, "identity": "native", "subject": name} for name in ("Speed", "Rate")]
    assert clashes(load_rules(kept, Path())) == ((1, 0),)


def test_an_identity_is_kept_or_made() -> None:
    with pytest.raises(FederationError, match="identity"):
        load_rules([{**A, "identity": "mine"}], Path())


def test_identities_are_the_same_in_every_process() -> None:
    """A tag that moved would make every event of a rule a new one after an update."""
    assert inward(Native("raw"), A, B) == {"A": "o#3545ccd2", "B": "o#9287da0a"}
