"""Native filters in the filter language: at least what SIENA's servers would forward."""

import math
import random
from typing import Any

import pytest
from adapter_siena.codec import SUBJECT, Codec
from adapter_siena.names import Names
from adapter_siena.observed import announced, observed, wanted
from eventservices.siena import Filter, Op, Seen, compile_filter, where
from eventservices.siena.presence import Kind
from fes.filter import Filter as FesFilter
from fes.filter import canonical, parse
from fes.filter.evaluate import compile_filter as compile_fes
from fes.filter.language.text import to_text
from fes.mapping import Mapping, Native
from fes.mapping.inversion.asked import asked_for
from fes.model import Event, Field, Type

NAMES = Names({"-": "."})
CODEC = Codec(NAMES)

ROWS: list[tuple[tuple[Any, ...], str]] = [
    (((SUBJECT, "=", "Speed"),), "subject = 'Speed'"),
    ((("rate", ">", 70.0),), "rate > 70.0"),
    ((("rate", "<=", 70),), "rate <= 70"),
    ((("note", ">*", "FES"),), "note STARTS WITH 'FES'"),
    ((("note", "*<", "01"),), "note ENDS WITH '01'"),
    ((("note", "*", "S0"),), "note CONTAINS 'S0'"),
    ((("note", "any"),), "EXISTS note"),
    ((("braking", "=", True),), "braking = TRUE"),
    ((("license.no", "=", "x"),), "\"license-no\" = 'x'"),
    ((("FES_A.Priority", ">", 3),), "@Priority > 3"),
    ((("rate", "!=", 5),), "EXISTS rate AND (rate = 5) IS NOT TRUE"),
    ((("rate", ">", 1), ("rate", "<", 9)), "rate > 1 AND rate < 9"),
    ((), "TRUE"),
    ((("raw", "=", b"x"),), "EXISTS raw"),
    ((("braking", ">", False),), "EXISTS braking"),
    ((("rate", "<", float("inf")),), "EXISTS rate"),
    ((("rate", "*", 5),), "FALSE"),
    ((("FES_Unknown", "any"),), "FALSE"),
]


@pytest.mark.parametrize(("constraints", "text"), ROWS)
def test_each_operator_says_the_same_in_the_filter_language(
    constraints: tuple[Any, ...], text: str
) -> None:
    assert canonical(wanted(where(*constraints), NAMES)) == canonical(parse(text))


def is_nan(value: object) -> bool:
    return isinstance(value, float) and math.isnan(value)


def test_whatever_a_native_filter_would_accept_is_wanted() -> None:
    """The law, over random events and filters; a nested event alone is no text."""
    chance = random.Random(7)
    values: list[Any] = [0, 1, 70, 2**40, -1.5, 70.0, float("nan"), "", "FES", "xFES1", True]
    values += [False, b"", b"FES"]
    operators = [op for op in Op if op is not Op.ANY]
    accepted = 0
    for _ in range(5000):
        names = ["rate", "note", "license-no", "größe"]
        fields = {name: chance.choice(values) for name in names if chance.random() < 0.7}
        event = Event.of(chance.choice(("Speed", "Other")), fields, {"P": chance.choice(values)})
        own = CODEC.to_notification(Native(event.subject, event.parameters, event.attributes))
        parts: list[Any] = []
        for name in chance.sample(sorted(own.attributes), k=min(2, len(own.attributes))):
            operand = chance.choice([*values, own.attributes[name]])
            if not is_nan(operand):  # which is no operand
                parts.append((name, chance.choice(operators).value, operand))
        native = Filter() if not parts else where(*parts)
        accepts = compile_filter(native)(own.attributes)
        asked = asked_for(wanted(native, NAMES), Mapping())
        wants = compile_fes(parse(to_text(asked.tree)))(event) is True
        accepted += accepts
        assert wants or not accepts, (native, event)
    assert accepted > 300


def test_an_advertisement_is_an_event_like_those_to_come() -> None:
    what = where(
        (SUBJECT, "=", "Speed"),
        ("rate", ">", 0.5),
        ("note", "any"),
        ("FES_A.Proximity", "=", "0,1,0,0,300"),
    )
    assert announced(what, NAMES) == (
        Native(
            "Speed",
            (Field("rate", Type.DOUBLE, 0.5),),
            (Field("Proximity", Type.STRING, "0,1,0,0,300"),),
        ),
    )


def test_an_advertisement_of_several_subjects_is_as_many_announcements() -> None:
    what = where((SUBJECT, "=", "Speed"), (SUBJECT, "=", "Other"))
    assert {native.subject for native in announced(what, NAMES)} == {"Speed", "Other"}


@pytest.mark.parametrize("what", [where(("rate", "any")), where((SUBJECT, ">*", "Spe"))])
def test_an_advertisement_that_names_no_subject_announces_nothing(what: Filter) -> None:
    assert announced(what, NAMES) == ()


def test_each_declaration_has_a_name_of_its_own() -> None:
    filters = [where(("rate", ">", 1)), where(("rate", ">", 1.0))]
    seen = [
        Seen(kind, False, party, "", what, 1, connection)
        for kind in Kind
        for party in ("a", "b")
        for connection in ("x", "y")
        for what in filters
    ]
    assert len({observed(each, NAMES).by for each in seen}) == len(seen)


def test_what_was_withdrawn_bears_the_name_that_it_was_declared_under() -> None:
    declared = Seen(Kind.SUBSCRIPTION, False, "a", "", where(("rate", ">", 1)), 1, "x")
    withdrawn = Seen(Kind.SUBSCRIPTION, True, "a", "", where(("rate", ">", 1)), 9, "x")
    assert observed(declared, NAMES).by == observed(withdrawn, NAMES).by
    assert observed(withdrawn, NAMES).withdrawn


def test_the_filter_of_a_subscription_can_be_read_again() -> None:
    tree = wanted(where((SUBJECT, "=", "it's"), ("rate", "!=", 5)), NAMES)
    assert FesFilter.of(to_text(tree)).canonical == canonical(tree)
