"""Native subscriptions and offers of a channel as what they ask of the federation."""

import random
from pathlib import Path
from typing import Any

import pytest
from adapter_cns.mapping import Forms
from adapter_cns.observed import announced, anys_asked, wanted
from adapter_cns.settings import Settings
from eventservices.cns import ANY_TYPE, EventType, StructuredEvent
from eventservices.cns.event_type import canonical, matches
from fes.errors import FesError
from fes.filter import canonical as canonical_filter
from fes.filter import compile_filter, parse
from fes.filter.language.text import to_text
from fes.mapping import Mapping, Native, load_rules
from fes.mapping.inversion.asked import asked_for
from fes.model import Event, Field, Type

PLAIN = Settings()
CAN: dict[str, Any] = {
    "native": {"can_id": 12345, "extended": True},
    "subject": "Speed",
    "parameters": {"rate": {"bytes": [7, 7], "type": "double"}},
}


def rules(*plain: dict[str, Any]) -> Mapping:
    return Mapping(load_rules(list(plain), Path()))


@pytest.mark.parametrize(
    ("event_type", "given", "text"),
    [
        (("*", "Speed"), PLAIN, "subject = 'Speed'"),
        (("", "Speed"), PLAIN, "subject = 'Speed'"),
        (("Traffic", "Speed"), PLAIN, "subject = 'Speed' AND @DomainName = 'Traffic'"),
        (("Traffic", "Speed"), Settings(domain="Traffic"), "subject = 'Speed'"),
        (("T*", "Speed"), PLAIN, "subject = 'Speed' AND @DomainName LIKE 'T%' ESCAPE '!'"),
        (("*", "Sp*d_%!"), PLAIN, "subject LIKE 'Sp%d!_!%!!' ESCAPE '!'"),
        (("", "%ALL"), PLAIN, "TRUE"),
        (("Traffic", "%ALL"), PLAIN, "@DomainName = 'Traffic'"),
        (
            ("*", "Speed"),
            Settings(subject="event_name"),
            "@TypeName = 'Speed' OR (@TypeName <> '') IS NOT TRUE AND subject = 'Speed'",
        ),
    ],
)
def test_a_type_is_a_filter_on_subject_and_domain(
    event_type: tuple[str, str], given: Settings, text: str
) -> None:
    other = Forms(given, Mapping()).naming.other
    found = wanted(canonical(event_type), given, other)
    assert canonical_filter(found) == canonical_filter(parse(text))


@pytest.mark.parametrize(
    "given", [PLAIN, Settings(domain="Traffic"), Settings(subject="event_name", domain="T")]
)
@pytest.mark.slow
def test_whatever_a_native_consumer_would_get_is_wanted(given: Settings) -> None:
    chance, mapping, met = random.Random(3), Mapping(), 0
    forms = Forms(given, mapping)
    names = ["Speed", "Sp", "", "T", "Traffic", "a*b", "S%_"]
    for _ in range(2000):
        context = {
            name: chance.choice(names)
            for name in ("DomainName", "TypeName", "EventName")
            if chance.random() < 0.5
        }
        event = Event.of(chance.choice(["Speed", "Sp", "S%_", "a*b"]), {}, context)
        pattern = canonical((chance.choice([*names, "T*"]), chance.choice([*names, "S*", "%ALL"])))
        (native,) = mapping.to_native(event)
        try:
            made = forms.to_native(native)
        except FesError:
            continue
        assert isinstance(made, StructuredEvent)
        delivered = matches(pattern, made.event_type)
        asked = asked_for(wanted(pattern, given, forms.naming.other), mapping).tree
        wants = compile_filter(parse(to_text(asked)))(event) is True
        met += delivered
        assert wants or not delivered, (pattern, event)
    assert met > 100


def test_any_events_are_asked_of_the_subjects_that_become_frames() -> None:
    assert anys_asked(PLAIN, rules(CAN)) == parse("subject = 'Speed'")
    inward = {**CAN, "direction": "in"}
    assert to_text(anys_asked(PLAIN, rules(inward))) == "FALSE"


def test_any_events_are_asked_of_the_subject_that_the_settings_give_them() -> None:
    asked = anys_asked(Settings(any_subject="Raw"), rules(CAN))
    assert canonical_filter(asked) == canonical_filter(parse("subject IN ('Speed', 'Raw')"))


def test_an_offer_announces_an_event_of_its_type() -> None:
    forms = Forms(PLAIN, Mapping())
    domain = Field("DomainName", Type.STRING, "Traffic")
    assert announced(EventType("*", "Speed"), PLAIN, forms) == (Native("Speed"),)
    assert announced(EventType("Traffic", "Speed"), PLAIN, forms) == (
        Native("Speed", (), (domain,)),
    )


def test_an_offer_of_any_events_announces_the_subject_that_the_settings_give_them() -> None:
    given = Settings(any_subject="Raw")
    offered = canonical(ANY_TYPE)
    assert announced(offered, given, Forms(given, Mapping())) == (Native("Raw"),)
    assert announced(offered, PLAIN, Forms(PLAIN, Mapping())) == ()


@pytest.mark.parametrize("type_name", ["*", "Sp*", "%ALL", ""])
def test_an_offer_that_names_no_subject_announces_nothing(type_name: str) -> None:
    assert announced(EventType("*", type_name), PLAIN, Forms(PLAIN, Mapping())) == ()
