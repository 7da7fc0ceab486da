"""What a native filter asks of the federation is at least all that it would accept."""

from pathlib import Path
from random import Random
from typing import Any

import pytest
from fes.errors import MappingError
from fes.filter import canonical, compile_filter, parse
from fes.filter.language.text import to_text
from fes.filter.language.tree import RELATIONS, And, Comparison, Constant, Parameter, Subject, Truth
from fes.mapping import Mapping, NameRule, load_rules
from fes.mapping.inversion.asked import asked_for
from fes.model import Event
from support.filters.chance import SUBJECTS, Chance

CASES = 400

NAME_RULES = {
    "any name": None,
    "no case": NameRule(case="lower", escape="_", subjects=True),
    "few characters": NameRule(illegal=" ß", escape="_"),
}

RULES: list[list[dict[str, Any]]] = [
    [],
    [
        {
            "subject": "a",
            "native": {"subject": "Raw"},
            "parameters": {
                "a": {"from": "b"},
                "b": {"from": "c", "scale": 2},
                "c": {"from": "a", "scale": -0.1, "offset": 3, "native_type": "long"},
            },
            "attributes": {"P": {"from_attribute": "AND"}},
        },
        {"subject": "ab", "native": {"subject": "S.x"}, "rest": "drop", "parameters": {"c": {}}},
        {"subject": "a", "native": {"subject": "ab"}, "parameters": {"c": {"default": 1}}},
        {"subject": "abc", "direction": "in", "parameters": {"a": {"from": "c"}}},
    ],
    [
        {"subject": "été", "parameters": {"a": {"constant": 1}, "c": {"from_attribute": "P"}}},
        {
            "subject": "ab",
            "native": {"can_id": 12345, "extended": True},
            "parameters": {"a": {"bytes": [7, 7], "type": "double"}},
        },
    ],
]


@pytest.mark.parametrize("rules", range(len(RULES)))
@pytest.mark.parametrize("names", NAME_RULES)
def test_an_event_that_would_become_one_that_is_accepted_is_asked_for(
    names: str, rules: int
) -> None:
    """The law of `asked_for`."""
    mapping = Mapping(load_rules(RULES[rules], Path()), NAME_RULES[names])
    accepted = 0
    for seed in range(CASES):
        chance = Chance(seed)
        native = chance.filter()
        if chance.random() < 0.5:
            only = Constant(chance.choice(SUBJECTS))
            native = And((native, Comparison(Subject(), "=", only)))
        chance.favour(native)
        accepts, asked = compile_filter(native), asked_for(native, mapping)
        wants = compile_filter(parse(to_text(asked.tree)))
        for _ in range(3):
            event = chance.event()
            met = any(accepts(made) is True for made in natively(event, mapping))
            accepted += met
            assert wants(event) is True or not met, (seed, to_text(native), event)
    assert accepted > CASES / 20


def natively(event: Event, mapping: Mapping) -> list[Event]:
    """Return the native events that one becomes, in the neutral form."""
    try:
        made = mapping.to_native(event)
    except MappingError:
        return []
    subjects = [native.subject or "no subject" for native in made]
    return [
        Event(subject, native.parameters, native.attributes)
        for subject, native in zip(subjects, made, strict=True)
    ]


def test_what_is_asked_for_without_rules_is_the_native_filter_itself() -> None:
    """Nothing is widened where names stay as they are."""
    native = parse("subject = 'Speed' AND rate > 70 AND (note = 'x') IS NOT TRUE")
    asked = asked_for(native, Mapping())
    assert canonical(asked.tree) == canonical(native)
    assert asked.widened == ()


def test_what_no_event_becomes_is_not_asked_for() -> None:
    """A rule moves every event of the subject elsewhere."""
    rules = [{"subject": "Speed", "native": {"subject": "Tempo"}}]
    mapping = Mapping(load_rules(rules, Path()))
    assert asked_for(parse("subject = 'Speed'"), mapping).tree == Truth(value=False)
    either = canonical(parse("subject = 'Speed' OR subject = 'Tempo'"))
    assert canonical(asked_for(parse("subject = 'Tempo'"), mapping).tree) == either


@pytest.mark.parametrize("text", ["subject STARTS WITH '_53_'", "subject <> '_53_peed'"])
def test_what_is_said_of_the_characters_of_a_subject_that_has_others_here_is_left_out(
    text: str,
) -> None:
    mapping = Mapping((), NAME_RULES["no case"])
    assert asked_for(parse(text), mapping).tree == Truth(value=True)
    exact = asked_for(parse("subject = '_53_peed'"), mapping).tree
    assert exact == parse("subject = 'Speed'")


def test_a_number_that_a_rule_scales_is_compared_with_what_it_was() -> None:
    """Wider by what rounding may do, and no more."""
    rules = [{"subject": "Speed", "parameters": {"rate": {"scale": 3.6}}}]
    mapping = Mapping(load_rules(rules, Path()))
    asked = asked_for(parse("subject = 'Speed' AND rate > 20"), mapping)
    wants = compile_filter(asked.tree)
    assert [wants(Event.of("Speed", rate=rate)) for rate in (71.9999, 72.0, 72.1)] == [
        False,
        True,
        True,
    ]
    assert asked.widened == ()


@pytest.mark.parametrize("scale", [3.6, -0.25, 1e-9, 7, 1e90])
@pytest.mark.parametrize("offset", [0, -40, 1e6])
@pytest.mark.parametrize("native_type", [None, "double", "long", "longlong"])
def test_every_number_that_becomes_one_that_passes_is_asked_for(
    scale: float, offset: float, native_type: str | None
) -> None:
    field = {"scale": scale, "offset": offset}
    if native_type:
        field["native_type"] = native_type  # type: ignore[assignment] # a rule as plain data
    rules = [{"subject": "a", "parameters": {"x": field}}]
    mapping, chance, met = Mapping(load_rules(rules, Path())), Random(5), 0
    for _ in range(300):
        native = chance.choice([0, 1, -3, 2.5, 1e12, -1e-9, 2**31 - 1, -(2**31), chance.random()])
        value = native * scale + offset + chance.choice([0, 0, 0.4, -0.4, 1e-12, 1.0, -1.0])
        event = Event.of(
            "a", x=chance.choice([value, round(value)]) if abs(value) < 1e15 else value
        )
        test = Comparison(Parameter("x"), chance.choice(RELATIONS), Constant(native))
        asked = asked_for(test, mapping).tree
        wants = compile_filter(parse(to_text(asked)))
        accepts = any(compile_filter(test)(made) is True for made in natively(event, mapping))
        met += accepts
        assert wants(event) is True or not accepts, (test, event)
    assert met > 50


def test_what_has_no_way_back_is_left_out_and_told() -> None:
    """A value of another type is not compared."""
    rules = [{"subject": "Speed", "parameters": {"rate": {"native_type": "string"}}}]
    mapping = Mapping(load_rules(rules, Path()))
    asked = asked_for(parse("subject = 'Speed' AND rate > '70' AND EXISTS rate"), mapping)
    assert canonical(asked.tree) == canonical(parse("subject = 'Speed' AND EXISTS rate"))
    assert asked.widened == ("rate > '70' is not requested: the mapping cannot invert it",)
